/**
 * PDF417 as a printer draws it (ISO/IEC 15438:2015): high-level encodation by text, byte and numeric compaction (5.4),
 * error correction (5.7), and the matrix with its row indicators (5.11).
 */
import type { Pdf417Setup } from '../state/modes.ts';
import { CLUSTERS } from './pdf417-patterns.ts';

const START = '11111111010101000';
const STOP = '111111101000101001';
const [PAD, BYTE, NUMERIC, BYTE_SIXES] = [900, 901, 902, 924];
const TEXT = PAD;
const BASE = 900n;
const PRIME = 929;
const MOST_CODEWORDS = 928;
const [FEWEST_ROWS, MOST_ROWS, MOST_COLUMNS] = [3, 90, 30];

/** Modules across of a symbol with so many data columns. */
const modulesAcross = (columns: number, truncated: boolean): number => 17 * (columns + (truncated ? 2 : 4)) + 1;

/** Text compaction (table 5), by sub-mode: what its values 0 to 29 mean. Capitals inside a word are not characters. */
const ALPHA = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ ', 'lower', 'mixed', 'punctuation shift'];
const LOWER = [...'abcdefghijklmnopqrstuvwxyz ', 'alpha shift', 'mixed', 'punctuation shift'];
const MIXED = [...'0123456789&\r\t,:#-.$/+%*=^', 'punctuation', ' ', 'lower', 'alpha', 'punctuation shift'];
const PUNCTUATION = [...';<>@[\\]_`~!\r\t,:\n-.$/"|*()?{}\'', 'alpha'];
const SUB_MODES = { alpha: ALPHA, lower: LOWER, mixed: MIXED, punctuation: PUNCTUATION } as const;
type SubMode = keyof typeof SUB_MODES;
const PAD_VALUE = 29;

/** The latches from one sub-mode to another, in turn. */
const WAYS: Readonly<Record<SubMode, Readonly<Record<SubMode, readonly SubMode[]>>>> = {
  alpha: { alpha: [], lower: ['lower'], mixed: ['mixed'], punctuation: ['mixed', 'punctuation'] },
  lower: { alpha: ['mixed', 'alpha'], lower: [], mixed: ['mixed'], punctuation: ['mixed', 'punctuation'] },
  mixed: { alpha: ['alpha'], lower: ['lower'], mixed: [], punctuation: ['punctuation'] },
  punctuation: { alpha: ['alpha'], lower: ['alpha', 'lower'], mixed: ['alpha', 'mixed'], punctuation: [] },
};

const isText = (byte: number): boolean =>
  byte === 0x09 || byte === 0x0a || byte === 0x0d || (byte >= 0x20 && byte < 0x7f);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** How many bytes from `at` on are such. */
const run = (data: Uint8Array, at: number, such: (byte: number) => boolean): number => {
  let end = at;
  while (end < data.length && such(data[end]!)) end += 1;
  return end - at;
};

const textCodewords = (data: Uint8Array): number[] => {
  const values: number[] = [];
  const text = String.fromCharCode(...data);
  let mode: SubMode = 'alpha';
  for (const [at, char] of [...text].entries()) {
    const set: readonly string[] = SUB_MODES[mode];
    if (set.includes(char)) values.push(set.indexOf(char));
    else {
      const to: SubMode = (Object.keys(SUB_MODES) as SubMode[]).find((each) => SUB_MODES[each].includes(char)) ?? mode;
      const alone = !SUB_MODES[to].includes(text[at + 1] ?? '');
      const shift = alone ? set.indexOf(`${to} shift`) : -1;
      if (shift >= 0) values.push(shift);
      else {
        for (const step of WAYS[mode][to]) {
          values.push(SUB_MODES[mode].indexOf(step));
          mode = step;
        }
      }
      values.push(SUB_MODES[to].indexOf(char));
    }
  }
  if (values.length % 2 === 1) values.push(PAD_VALUE);
  return Array.from({ length: values.length / 2 }, (_, at) => values[2 * at]! * 30 + values[2 * at + 1]!);
};

/** A number in base 900, in so many digits. */
const inBase900 = (value: bigint, digits: number): number[] =>
  Array.from({ length: digits }, (_, at) => Number((value / BASE ** BigInt(digits - 1 - at)) % BASE));

const byteCodewords = (data: Uint8Array): number[] => {
  const codewords = [data.length % 6 === 0 ? BYTE_SIXES : BYTE];
  let at = 0;
  for (; at + 6 <= data.length; at += 6) {
    const six = data.subarray(at, at + 6).reduce((value, byte) => value * 256n + BigInt(byte), 0n);
    codewords.push(...inBase900(six, 5));
  }
  return [...codewords, ...data.subarray(at)];
};

/** Up to 44 digits at a time, behind a 1. */
const numericCodewords = (data: Uint8Array): number[] => {
  const codewords = [NUMERIC];
  for (let at = 0; at < data.length; at += 44) {
    const digits = data.subarray(at, at + 44);
    const value = BigInt(`1${String.fromCharCode(...digits)}`);
    codewords.push(...inBase900(value, Math.floor(digits.length / 3) + 1));
  }
  return codewords;
};

/** Runs shorter than these stay in the compaction that is on (annex N). */
const [FEWEST_DIGITS, FEWEST_CHARACTERS] = [13, 5];

const compacted = (data: Uint8Array): number[] => {
  const codewords: number[] = [];
  // A symbol begins in text compaction.
  let text = true;
  for (let at = 0; at < data.length; ) {
    const digits = run(data, at, isDigit);
    let end = at;
    if (digits >= FEWEST_DIGITS) {
      end += digits;
      codewords.push(...numericCodewords(data.subarray(at, end)));
      text = false;
      at = end;
      continue;
    }
    const numeric = (from: number): boolean => run(data, from, isDigit) >= FEWEST_DIGITS;
    const asText = run(data, at, isText) >= FEWEST_CHARACTERS || run(data, at, isText) === data.length - at;
    while (end < data.length && !numeric(end)) {
      const characters = run(data, end, isText);
      if (asText ? characters === 0 : characters >= FEWEST_CHARACTERS) break;
      end += 1;
    }
    const piece = data.subarray(at, end);
    if (asText) codewords.push(...(text ? [] : [TEXT]), ...textCodewords(piece));
    else codewords.push(...byteCodewords(piece));
    text = asText;
    at = end;
  }
  return codewords;
};

/** The level for so many data codewords (Epson TM-T88VI command manual, GS ( k function 069, by ratio). */
const levelOf = (correction: Pdf417Setup['correction'], codewords: number): number => {
  if ('level' in correction) return correction.level;
  const wanted = Math.floor((codewords * correction.ratio) / 10);
  return [3, 10, 20, 45, 100, 200, 400].filter((most) => wanted > most).length + 1;
};

/** Reed-Solomon over GF(929): the remainder by the product of (x - 3^i), i from 1 to their number, negated (5.7). */
const correctionCodewords = (data: readonly number[], level: number): number[] => {
  const count = 2 ** (level + 1);
  let generator = [1];
  let root = 1;
  for (let each = 0; each < count; each += 1) {
    root = (root * 3) % PRIME;
    // Highest power first: times x, minus the root times itself.
    const next = [...generator, 0];
    for (const [at, factor] of generator.entries()) next[at + 1] = (next[at + 1]! + (PRIME - root) * factor) % PRIME;
    generator = next;
  }
  const rest = new Array<number>(count).fill(0);
  for (const codeword of data) {
    const lead = (codeword + rest[0]!) % PRIME;
    rest.shift();
    rest.push(0);
    for (let at = 0; at < count; at += 1) rest[at] = (rest[at]! + (PRIME - lead) * generator[at + 1]!) % PRIME;
  }
  return rest.map((value) => (PRIME - value) % PRIME);
};

/** Rows and columns for so many codewords; of those that fit the width, the shape nearest to twice as wide as high. */
const shapeOf = (
  codewords: number,
  setup: Pdf417Setup,
  dots: number,
): { columns: number; rows: number } | undefined => {
  const candidates = setup.columns > 0 ? [setup.columns] : Array.from({ length: MOST_COLUMNS }, (_, at) => at + 1);
  const shapes = candidates.flatMap((columns) => {
    const rows = setup.rows || Math.max(FEWEST_ROWS, Math.ceil(codewords / columns));
    const width = modulesAcross(columns, setup.truncated) * setup.module;
    const holds = rows <= MOST_ROWS && columns * rows >= codewords && columns * rows <= MOST_CODEWORDS;
    const oddness = Math.abs(Math.log(width / (rows * setup.rowHeight * setup.module) / 2));
    return holds && width <= dots ? [{ columns, rows, oddness }] : [];
  });
  return shapes.reduce<(typeof shapes)[number] | undefined>(
    (best, shape) => (best && best.oddness <= shape.oddness ? best : shape),
    undefined,
  );
};

const character = (cluster: number, codeword: number): string =>
  `1${Number.parseInt(CLUSTERS[cluster]!.slice(codeword * 3, codeword * 3 + 3), 32)
    .toString(2)
    .padStart(15, '0')}0`;

/**
 * The rows of modules, '1' is dark; undefined where the data does not fit the symbol, or the symbol not on paper that
 * many dots wide: then the printer prints none.
 */
export const encodePdf417 = (data: Uint8Array, setup: Pdf417Setup, dots: number): readonly string[] | undefined => {
  if (data.length === 0) return undefined;
  const [mixed, bytes] = [compacted(data), byteCodewords(data)];
  const message = mixed.length <= bytes.length ? mixed : bytes;
  const level = levelOf(setup.correction, message.length + 1);
  const corrections = 2 ** (level + 1);
  const shape = shapeOf(message.length + 1 + corrections, setup, dots);
  if (!shape) return undefined;
  const { columns, rows } = shape;
  const length = columns * rows - corrections;
  const described = [length, ...message, ...new Array<number>(length - 1 - message.length).fill(PAD)];
  const codewords = [...described, ...correctionCodewords(described, level)];
  const indicators = [Math.floor((rows - 1) / 3), level * 3 + ((rows - 1) % 3), columns - 1];
  return Array.from({ length: rows }, (_, row) => {
    const cluster = row % 3;
    const indicator = (which: number): string => character(cluster, 30 * Math.floor(row / 3) + indicators[which % 3]!);
    const body = codewords
      .slice(row * columns, (row + 1) * columns)
      .map((codeword) => character(cluster, codeword))
      .join('');
    const end = setup.truncated ? '1' : indicator(cluster + 2) + STOP;
    return START + indicator(cluster) + body + end;
  });
};
