/** Every symbology at every length on both papers: what is accepted is on the paper and read again, the rest refused. */
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../codecs/escpos.ts';
import type { PrintedSymbology } from '../../../codecs/symbol-size.ts';
import type { Line } from '../../../plugins/printer/contract.ts';
import { render } from '../../../plugins/printer/layout/layout.ts';
import { paperOf } from '../../../plugins/printer/virtual/paper-of.ts';
import { loadReader, type SymbolRow, scan } from '../../symbol-reader.ts';

/** Every length takes minutes: `SYMBOLS=all`. Otherwise those where a symbol changes, and some between. */
const ALL = process.env['SYMBOLS'] === 'all';

type Level = 'l' | 'm' | 'q' | 'h';
interface Series {
  readonly symbology: PrintedSymbology;
  readonly about: string;
  readonly longest: number;
  readonly value: (length: number) => string;
  /** What a scanner says, where it is not the value. */
  readonly read?: (value: string) => string;
  readonly level?: Level;
  /** Which lengths can be read, and which are tried where not all are. */
  readonly shortest?: number;
  readonly some?: (length: number) => boolean;
}

const cycle = (characters: string) => (length: number) =>
  characters.repeat(Math.ceil(length / characters.length)).slice(0, length);
const digits = cycle('7012345689');
const sum = (number: string) =>
  [...number].reverse().reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
const checked = (whole: number) => (value: string) =>
  value.length === whole ? value : value + String((10 - (sum(value) % 10)) % 10);
/** Numbers with the right check digit where they have one. */
const number = (whole: number) => (length: number) =>
  length === whole ? checked(whole)(digits(length - 1)) : digits(length);
/** Around each change of version or column, and every 331st: the symbols between differ in nothing but their data. */
const near = (steps: readonly number[]) => (length: number) =>
  length % 331 === 0 || steps.some((step) => length === step || length === step + 1);
const VERSIONS: Readonly<Record<Level, readonly number[]>> = {
  l: [17, 106, 271, 586, 929, 1273, 1732, 2188, 2563, 2953],
  m: [14, 84, 213, 450, 560, 624, 666, 997, 1370, 1722, 2099, 2331],
  q: [11, 60, 151, 322, 482, 715, 982, 1283, 1663],
  h: [7, 44, 119, 250, 403, 535, 790, 1051, 1273],
};
const qr = (level: Level): Series => ({
  ...{ symbology: 'qr', about: `of level ${level}`, longest: 2960, value: cycle('Tisch 7: 12,50 / '), level },
  some: near(VERSIONS[level]),
});
const pdf417 = (level: Level): Series => ({
  ...{ symbology: 'pdf417', about: `of level ${level}`, longest: 1200, value: cycle('Tisch 7: 12,50 / '), level },
  some: near([6, 100, 300, 400, 500, 600, 700, 750, 1000, 1106]),
});

const SERIES: readonly Series[] = [
  { symbology: 'ean13', about: '', longest: 14, value: number(13), read: checked(13) },
  { symbology: 'ean8', about: '', longest: 9, value: number(8), read: checked(8) },
  { symbology: 'upca', about: '', longest: 13, value: number(12), read: (value) => `0${checked(12)(value)}` },
  {
    symbology: 'upce',
    about: '',
    longest: 9,
    value: (length) => '04252614'.slice(length > 6 ? 0 : 1).slice(0, length),
    read: () => '0042100005264',
  },
  { symbology: 'code39', about: '', longest: 256, value: cycle('AZ-19.') },
  { symbology: 'code93', about: 'of capitals', longest: 256, value: cycle('AZ-19.') },
  { symbology: 'code93', about: 'of any characters', longest: 256, value: cycle('aZ~1') },
  { symbology: 'code128', about: 'of letters', longest: 256, value: cycle('aZ-b{~') },
  { symbology: 'code128', about: 'of digits', longest: 511, value: digits },
  { symbology: 'code128', about: 'of both', longest: 300, value: cycle('A123456b') },
  { symbology: 'itf', about: '', longest: 257, value: digits },
  // The reader takes no Codabar of fewer characters.
  {
    symbology: 'codabar',
    about: 'of digits',
    shortest: 4,
    longest: 257,
    value: (length) => `A${digits(Math.max(0, length - 2))}B`,
  },
  {
    symbology: 'codabar',
    about: 'of marks',
    shortest: 4,
    longest: 257,
    value: (length) => `C${cycle(':/.+')(Math.max(0, length - 2))}D`,
  },
  ...(['l', 'm', 'q', 'h'] as const).flatMap((level) => [qr(level), pdf417(level)]),
];

beforeAll(loadReader);

/** What became of one value: read, refused, or what went wrong. */
async function outcome({ symbology, level, read = (value) => value }: Series, value: string, dots: number) {
  const line = { type: 'barcode', symbology, value, ...(level && { errorCorrection: level }) } as Line;
  const columns = dots / 12;
  const options = resolveOptions({ columns, dots });
  const rendered = render([line], { columns, cutClearanceLines: 4 }, options);
  if (!rendered.ok)
    return /^lines\/0: ./.test(rendered.detail) ? 'refused' : `refused without a reason: ${rendered.detail}`;
  const symbol = paperOf(rendered.bytes, options).rows.find((row): row is SymbolRow => row.kind === 'symbol');
  if (symbol === undefined) return 'accepted, and not on the paper';
  const said = await scan(symbol, symbology, dots);
  return said === read(value) ? 'read' : `read as ${said}`;
}

describe.each([576, 384])('on paper of %i dots', (dots) => {
  it.each(SERIES)('$symbology $about is read, or refused', { timeout: 600_000 }, async (series) => {
    const faults: string[] = [];
    const counts: Record<string, number> = {};
    for (let length = series.shortest ?? 1; length <= series.longest; length += 1) {
      if (!ALL && series.some?.(length) === false) continue;
      const became = await outcome(series, series.value(length), dots);
      counts[became] = (counts[became] ?? 0) + 1;
      if (!['read', 'refused'].includes(became)) faults.push(`${length}: ${became}`);
    }
    expect(faults).toEqual([]);
    expect(counts['read']).toBeGreaterThan(0);
    expect(counts['refused']).toBeGreaterThan(0);
  });
});
