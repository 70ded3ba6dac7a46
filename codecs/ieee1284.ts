/** The IEEE 1284 device id of a printer (USB printer class 1.1, 4.2.1), and the printer language it names. */
import type { Parsed } from './codec.ts';

export interface DeviceId {
  readonly manufacturer: string;
  readonly model: string;
  /** CMD: the languages it speaks, as written. */
  readonly commandSets: readonly string[];
  readonly description: string;
  readonly serial: string;
  /** Every field by its key in capitals, as written. */
  readonly fields: ReadonlyMap<string, string>;
}

const LENGTH_BYTES = 2;
/** A shorter id holds nothing: such a length is more likely read with the wrong byte first (CUPS does the same). */
const SHORTEST = 14;

/** `reply` is what GET_DEVICE_ID brought: a big-endian length that counts itself, then `KEY:value;`... */
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
  for (const field of text.split(';')) {
    const colon = field.indexOf(':');
    const key = field.slice(0, Math.max(colon, 0)).trim().toUpperCase();
    if (key && !fields.has(key)) fields.set(key, clean(field.slice(colon + 1)));
  }
  if (fields.size === 0 && clean(text) !== '') return { ok: false, reason: 'no KEY:value in it' };
  const pick = (...keys: string[]): string => keys.map((key) => fields.get(key)).find((value) => value) ?? '';
  const commandSets = pick('CMD', 'COMMAND SET').split(',');
  return {
    ok: true,
    value: {
      manufacturer: pick('MFG', 'MANUFACTURER'),
      model: pick('MDL', 'MODEL'),
      commandSets: commandSets.map((name) => name.trim()).filter((name) => name !== ''),
      description: pick('DES', 'DESCRIPTION'),
      serial: pick('SN', 'SERN', 'SERIALNUMBER'),
      fields,
    },
  };
}

const clean = (value: string): string => value.replace(/[\p{Cc}\s]+/gu, ' ').trim();

/** A printer language the node does not speak, and how a device id gives it away. */
export interface RefusedLanguage {
  readonly name: string;
  /** Names in CMD; one that ends in `*` stands for all that begin so. */
  readonly commandSets: readonly string[];
  /** Words of manufacturer or model, for ids whose CMD is empty. */
  readonly words: readonly string[];
}

/** `escpos-assumed`: the id does not say. */
export type LanguageVerdict =
  | { readonly verdict: 'escpos' }
  | { readonly verdict: 'escpos-assumed' }
  | { readonly verdict: 'refuse'; readonly language: string };

const RECEIPT_MODEL = /\bTM-|POS|RECEIPT|THERMAL/i;

/** Which language to speak to the printer. One that speaks ESC/POS among others is spoken to in ESC/POS. */
export function languageOf(id: DeviceId, table: readonly RefusedLanguage[]): LanguageVerdict {
  const names = id.commandSets.map((name) => name.toUpperCase());
  if (names.some((name) => /ESC\W*POS/.test(name) || name === 'POS')) return { verdict: 'escpos' };
  const byWord = table.find(({ words }) => words.some((word) => hasWord(id, word)));
  // Clones of Epson's receipt printers say EPSON; so do Epson's own dot-matrix printers, which speak ESC/P.
  const clone = names.includes('EPSON') && (!/EPSON/i.test(id.manufacturer) || RECEIPT_MODEL.test(id.model));
  if (clone && !byWord) return { verdict: 'escpos' };
  const byName = table.find(({ commandSets }) =>
    commandSets.some((known) => names.some((name) => matches(name, known))),
  );
  const language = byName?.name ?? byWord?.name ?? id.commandSets[0];
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
