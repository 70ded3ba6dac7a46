/**
 * Validates values for the one-dimensional symbologies of GS k and makes the data bytes of its function B (Epson TM-T88III
 * manual, GS k).
 */
import type { Parsed } from './codec.ts';
import { checkDigit, withoutSuppression } from './gs1.ts';
import { FNC1, gs1Elements, gs1Message } from './gs1-elements.ts';

export type LinearSymbology =
  | ('upca' | 'upce' | 'ean13' | 'ean8' | 'code39' | 'itf' | 'codabar' | 'code93' | 'code128')
  | 'gs1-128';

/** m of function B: GS k m n d1...dn. */
export const SYMBOLOGY_M: Readonly<Record<LinearSymbology, number>> = {
  upca: 65,
  upce: 66,
  ean13: 67,
  ean8: 68,
  code39: 69,
  itf: 70,
  codabar: 71,
  code93: 72,
  code128: 73,
  // Its function 1 is part of the data of Code 128, which more printers have than m 74.
  'gs1-128': 73,
};

/** n is one byte. */
const MOST_BYTES = 255;

const right = (data: string): Parsed<string> => ({ ok: true, value: data });
const wrong = (reason: string): Parsed<string> => ({ ok: false, reason });

/** The digits with a check digit: added where it is missing, an error where it is wrong. */
function checked(name: string, value: string, digits: number): Parsed<string> {
  if (!/^\d+$/.test(value) || (value.length !== digits - 1 && value.length !== digits)) {
    return wrong(`${name} takes ${digits - 1} or ${digits} digits`);
  }
  const body = value.slice(0, digits - 1);
  const check = checkDigit(body);
  if (value.length === digits && value.at(-1) !== check) return wrong(`${name} check digit of ${body} is ${check}`);
  return right(body + check);
}

/** The UPC-A numbers that zero suppression can shorten: number system 0 and the right zeros. */
const SUPPRESSIBLE = /^0(?:\d\d[0-2]0000\d{3}|\d{3}00000\d\d|\d{4}00000\d|\d{5}0000[5-9])/;

/** Sends the UPC-A number, which every printer accepts; only newer ones accept the short forms. */
function upce(value: string): Parsed<string> {
  if (/^0?\d{6}$/.test(value)) return checked('upce', `0${withoutSuppression(value.slice(-6))}`, 12);
  if (/^0\d{7}$/.test(value)) return checked('upce', `0${withoutSuppression(value.slice(1, 7))}${value.slice(7)}`, 12);
  if (!/^\d{11,12}$/.test(value)) return wrong('upce takes 6 digits, 7 or 8 that begin with 0, or 11 or 12 of UPC-A');
  if (!SUPPRESSIBLE.test(value)) return wrong(`upce cannot shorten ${value}`);
  return checked('upce', value, 12);
}

const within = (value: string, alphabet: RegExp, fault: string): Parsed<string> =>
  alphabet.test(value) ? right(value) : wrong(fault);

/** The run of digits that begins at `from`. */
function digitsAt(value: string, from: number): string {
  let end = from;
  while (end < value.length && value.charCodeAt(end) >= 0x30 && value.charCodeAt(end) <= 0x39) end += 1;
  return value.slice(from, end);
}

/** In code set C the pairs 16 20 are the bytes DLE DC4, a real-time command that printers obey inside data, too. */
const REAL_TIME_PAIRS = /^(?:\d\d)*?1620/;

/** How many digits from `from` on go in code set C: all of an even number, or a run of four at either end, of six within. */
function digitsForSetC(value: string, from: number): number {
  const run = digitsAt(value, from);
  const even = run.length - (run.length % 2);
  if (REAL_TIME_PAIRS.test(run)) return 0;
  if (even === value.length) return even;
  const atAnEnd = from === 0 || value.slice(0, from) === FNC1 || from + run.length === value.length;
  return even >= (atAnEnd ? 4 : 6) ? even : 0;
}

function code128(value: string): Parsed<string> {
  if (!/^\p{ASCII}+$/u.test(value)) return wrong('code128 takes ASCII characters');
  const data = code128Data(value);
  return data.length > MOST_BYTES ? wrong(`code128 of ${data.length} bytes is longer than ${MOST_BYTES}`) : right(data);
}

/** Most characters of a GS1-128 symbol, with identifiers and FNC1 between them (GS1 General Specifications, 5.4.2). */
const GS1_MOST = 48;

/** An element string with its identifiers in brackets. */
function gs1128(value: string): Parsed<string> {
  const elements = gs1Elements(value);
  if (!elements.ok) return elements;
  const message = gs1Message(elements.value);
  return message.length > GS1_MOST
    ? wrong(`gs1-128 takes ${GS1_MOST} characters, not ${message.length}`)
    : right(code128Data(FNC1 + message));
}

/** The bytes of Code 128 with code sets: C for runs of digits, A for control characters, else B. */
function code128Data(value: string): string {
  let data = '';
  let set = '';
  const select = (wanted: string) => {
    if (wanted !== set) data += `{${wanted}`;
    set = wanted;
  };
  for (let at = 0; at < value.length; ) {
    const digits = digitsForSetC(value, at);
    if (digits > 0) {
      select('C');
      for (const end = at + digits; at < end; at += 2) data += String.fromCharCode(Number(value.slice(at, at + 2)));
      continue;
    }
    const char = value.charAt(at);
    if (char === FNC1) {
      if (set === '') select(digitsForSetC(value, at + 1) > 0 ? 'C' : 'B');
      data += '{1';
      at += 1;
      continue;
    }
    if (char < ' ') select('A');
    else if (char >= '`' || set !== 'A') select('B');
    data += char === '{' ? '{{' : char;
    at += 1;
  }
  return data;
}

const RULES: Readonly<Record<LinearSymbology, (value: string) => Parsed<string>>> = {
  upca: (value) => checked('upca', value, 12),
  upce,
  ean13: (value) => checked('ean13', value, 13),
  ean8: (value) => checked('ean8', value, 8),
  code39: (value) =>
    within(
      value,
      /^(?:[0-9A-Z $%+\-./]{1,255}|\*[0-9A-Z $%+\-./]{1,253}\*)$/,
      'code39 takes 1 to 255 of 0-9, A-Z, space and $%+-./',
    ),
  itf: (value) => within(value, /^(?:\d\d){1,127}$/, 'itf takes an even number of digits, 2 to 254'),
  codabar: (value) =>
    within(
      value,
      /^[A-Da-d][0-9$+\-./:]{0,253}[A-Da-d]$/,
      'codabar takes 2 to 255 of 0-9 and $+-./: between a start and a stop of A to D',
    ),
  code93: (value) => within(value, /^\p{ASCII}{1,255}$/u, 'code93 takes 1 to 255 ASCII characters'),
  code128,
  'gs1-128': gs1128,
};

/** The data bytes of GS k, as characters 00 to FF; or the reason why the symbology cannot hold the value. */
export const linearData = (symbology: LinearSymbology, value: string): Parsed<string> => RULES[symbology](value);
