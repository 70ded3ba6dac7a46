/** Parses the IEEE 1284 device id of a printer (USB printer class 1.1, 4.2.1) and finds the printer language in it. */
import type { Parsed } from './parsed.ts';

/** What a device id says. */
export interface DeviceId {
  readonly manufacturer: string;
  readonly model: string;
  /** CMD: the printer languages, unchanged. */
  readonly commandSets: readonly string[];
  /** False where CMD is the last field and nothing ends it: its last name may be cut off. */
  readonly isWhole: boolean;
  readonly description: string;
  readonly serial: string;
  /** The values of all fields, unchanged, by key in capitals. */
  readonly fields: ReadonlyMap<string, string>;
}

const LENGTH_BYTES = 2;
const LANGUAGES = ['CMD', 'COMMAND SET'];
/** Bytes of the shortest useful id. A smaller length is read again as little-endian, as CUPS does. */
const SHORTEST = 14;

/** `reply`: the answer to GET_DEVICE_ID, a big-endian length (its own two bytes included), then `KEY:value;`... */
export function parseDeviceId(reply: Uint8Array): Parsed<DeviceId> {
  if (reply.length < LENGTH_BYTES) return { ok: false, reason: 'shorter than its length field' };
  const [first = 0, second = 0] = reply;
  const big = first * 256 + second;
  const little = second * 256 + first;
  const fits = (length: number): boolean => length >= SHORTEST && length <= reply.length;
  let length = reply.length;
  if (big === LENGTH_BYTES || fits(big)) length = big;
  else if (fits(little)) length = little;
  const text = String.fromCharCode(...reply.subarray(LENGTH_BYTES, Math.min(length, 1023)));
  const fields = new Map<string, string>();
  let last = '';
  for (const field of text.split(';')) {
    const colon = field.indexOf(':');
    const key = field.slice(0, Math.max(colon, 0)).trim().toUpperCase();
    last = key;
    if (key && !fields.has(key)) fields.set(key, clean(field.slice(colon + 1)));
  }
  if (fields.size === 0 && clean(text) !== '') return { ok: false, reason: 'no KEY:value in it' };
  const pick = (...keys: string[]): string => keys.map((key) => fields.get(key)).find((value) => value) ?? '';
  const commandSets = pick(...LANGUAGES).split(',');
  return {
    ok: true,
    value: {
      manufacturer: pick('MFG', 'MANUFACTURER'),
      model: pick('MDL', 'MODEL'),
      commandSets: commandSets.map((name) => name.trim()).filter((name) => name !== ''),
      isWhole: !LANGUAGES.includes(last),
      description: pick('DES', 'DESCRIPTION'),
      serial: pick('SN', 'SERN', 'SERIALNUMBER'),
      fields,
    },
  };
}

/** Nearly every device tells nothing else, and the first use of each class of Unicode takes long. */
const PLAIN = /^[!-~]*(?: [!-~]+)*$/;
const clean = (value: string): string => (PLAIN.test(value) ? value : value.replace(/[\p{Cc}\s]+/gu, ' ').trim());

/** A printer language that the node does not support, and how to recognise it in a device id. */
export interface RefusedLanguage {
  readonly name: string;
  /** Names in CMD; one that ends in `*` matches all names with that beginning. */
  readonly commandSets: readonly string[];
  /** Words in the manufacturer or model, for ids with an empty CMD. */
  readonly words: readonly string[];
}

/** `escpos-assumed`: the id names no language. */
export type LanguageVerdict =
  | { readonly verdict: 'escpos' }
  | { readonly verdict: 'escpos-assumed' }
  | { readonly verdict: 'refuse'; readonly language: string };

const RECEIPT_MODEL = /\bTM-|POS|RECEIPT|THERMAL/i;

/**
 * The language of a printer, `escpos` where that is one of several. `table`: the languages that are refused. A list that
 * may be cut off (the printer gadget of some kernels leaves off two bytes) names no other language for certain; what is
 * left of ESC/POS is still that.
 */
export function languageOf(id: DeviceId, table: readonly RefusedLanguage[]): LanguageVerdict {
  const names = id.commandSets.map((name) => name.toUpperCase());
  if (names.some((name) => /ESC\W*POS/.test(name) || name === 'POS')) return { verdict: 'escpos' };
  if (!id.isWhole && /^ESC\WPO$/.test(names.at(-1) ?? '')) return { verdict: 'escpos' };
  const byWord = table.find(({ words }) => words.some((word) => hasWord(id, word)));
  // CMD "EPSON" means ESC/POS on copies of Epson's receipt printers, and ESC/P on Epson's own dot-matrix printers.
  const clone = names.includes('EPSON') && (!/EPSON/i.test(id.manufacturer) || RECEIPT_MODEL.test(id.model));
  if (clone && !byWord) return { verdict: 'escpos' };
  const whole = id.isWhole ? id.commandSets : [];
  const byName = table.find(({ commandSets }) =>
    commandSets.some((known) => whole.some((name) => matches(name.toUpperCase(), known))),
  );
  const language = byName?.name ?? byWord?.name ?? whole[0];
  return language === undefined ? { verdict: 'escpos-assumed' } : { verdict: 'refuse', language };
}

function matches(name: string, known: string): boolean {
  const pattern = known.toUpperCase();
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function hasWord({ manufacturer, model }: DeviceId, word: string): boolean {
  const text = ` ${manufacturer} ${model}`.toUpperCase();
  const wanted = word.toUpperCase();
  for (let at = text.indexOf(wanted); at > 0; at = text.indexOf(wanted, at + 1)) {
    if (!/[A-Z0-9]/.test(text[at - 1]!)) return true;
  }
  return false;
}
