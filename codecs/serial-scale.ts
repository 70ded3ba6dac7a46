/**
 * Scales on a serial line: what the protocols share. A protocol is a regular expression for one whole message, with bytes as
 * text of seven bits, and a function that reads it. What stands before or between messages is noise.
 */
import type { Parsed } from './codec.ts';
import type { ScaleFault, ScaleReading, ScaleUnit } from './hid-scale.ts';
import type { LineSettings } from './serial-line.ts';

/** One protocol, as the configuration names it. */
export interface SerialScaleProtocol {
  readonly name: string;
  /** As the scale leaves the factory. */
  readonly line: LineSettings;
  /** What asks for one weight; absent for scales that send by themselves. */
  readonly ask?: string;
  /** Sent when a scale answers the question with this character, before it gives a weight. */
  readonly reply?: { readonly heard: string; readonly send: string };
  /** One whole message, with flag `g`. */
  readonly message: RegExp;
  /** The last character of a message. */
  readonly last: string;
  /** Set where its messages have no unit: `read` is told what the operator says. */
  readonly unitless?: true;
  read(groups: readonly (string | undefined)[], said: SaidUnit | undefined): Parsed<ScaleReading>;
}

/** What an operator may say of messages without a unit. */
export const SAID_UNITS = ['kg', 'g', 'lb'] as const;
export type SaidUnit = (typeof SAID_UNITS)[number];

export const STX = '\x02';
export const ETX = '\x03';

/**
 * The first character of a message, for its regular expression: the first since the end of the one before. Another one in
 * the middle of a message is a fault of the line, and what follows it is no whole message.
 */
export const begin = (first: string, last: string): string => `(?<=(?:^|${last})[^${first}${last}]*)${first}`;

/** Characters of a message at most; what is longer is no message. */
export const MAX_MESSAGE = 64;

/** What was read of the text of a line. */
export interface Heard {
  /** The reading of the last whole message; earlier ones are out of date. */
  readonly reading: Parsed<ScaleReading> | undefined;
  /** The text behind it, which may be the beginning of the next; at most 64 characters. */
  readonly rest: string;
}

/** Reads what has arrived. `said`: the unit of messages that have none, where the operator has said it. */
export function readMessages({ message, read }: SerialScaleProtocol, text: string, said?: SaidUnit): Heard {
  const last = [...text.matchAll(message)].at(-1);
  const rest = last === undefined ? text : text.slice(last.index + last[0].length);
  return { reading: last && read(last.slice(1), said), rest: rest.slice(-MAX_MESSAGE) };
}

/** A reading without a weight. In motion there is no fault. */
export const withoutWeight = (fault: ScaleFault | null): Parsed<ScaleReading> => ({
  ok: true,
  value: { weight: null, unit: null, stable: false, fault },
});

const UNITS: Readonly<Record<string, ScaleUnit>> = {
  mg: 'mg',
  g: 'g',
  kg: 'kg',
  ct: 'ct',
  t: 't',
  oz: 'oz',
  lb: 'lb',
  lbs: 'lb',
};
const DECIMAL = /^([+-]?) *(\d{1,8}(?:\.\d{0,6})?|\.\d{1,6})$/;

/**
 * A weight out of its digits, exact to the last decimal sent, and its unit in any case; `unit` undefined where the message has
 * none. What is under zero has that fault, as with HID scales. Digits or a unit that are none are an error, never a guess.
 */
export function weightOf(digits: string, unit: string | undefined, stable: boolean): Parsed<ScaleReading> {
  const [, sign, decimal] = DECIMAL.exec(digits.trim()) ?? [];
  if (decimal === undefined) return { ok: false, reason: `weight ${JSON.stringify(digits)}` };
  const known = unit === undefined ? null : UNITS[unit.toLowerCase()];
  if (known === undefined) return { ok: false, reason: `unit ${JSON.stringify(unit)}` };
  const weight = Number(decimal);
  const under = sign === '-' && weight !== 0;
  return {
    ok: true,
    value: {
      weight: under ? -weight : weight,
      unit: known,
      stable: stable && !under,
      fault: under ? 'under_zero' : null,
    },
  };
}

const OUNCES = 16;

/** A weight in pounds and ounces, given as ounces, to the last decimal sent. Ounces that make a pound are an error. */
export function ouncesOf(sign: string, pounds: string, ounces: string, stable: boolean): Parsed<ScaleReading> {
  if (Number(ounces) >= OUNCES) return { ok: false, reason: `${ounces} ounces` };
  const [, decimals = ''] = ounces.split('.');
  return weightOf(`${sign}${(Number(pounds) * OUNCES + Number(ounces)).toFixed(decimals.length)}`, 'oz', stable);
}
