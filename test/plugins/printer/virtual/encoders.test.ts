/** The symbols that the virtual printer draws are those of another encoder, bwip-js, element by element. */
import bwip from 'bwip-js';
import { describe, expect, it } from 'vitest';
import { encodeBarcode, type LinearSymbology } from '../../../../plugins/printer/virtual/symbols/barcode.ts';
import { encodePdf417 } from '../../../../plugins/printer/virtual/symbols/pdf417.ts';

const NAMES: Readonly<Record<LinearSymbology, string>> = {
  ...{ upca: 'upca', upce: 'upce', ean13: 'ean13', ean8: 'ean8', code39: 'code39', itf: 'interleaved2of5' },
  ...{ codabar: 'rationalizedCodabar', code93: 'code93', code128: 'code128' },
  ...{ 'gs1-128': 'gs1-128', 'code128-auto': 'code128' },
};
/** Symbologies of two widths: by how much the wide ones are wider is for the printer to say. */
const TWO_WIDTHS: readonly LinearSymbology[] = ['code39', 'itf', 'codabar'];

/** Widths of the elements in turn, from bar to bar. */
const ours = (symbology: LinearSymbology, data: string) => {
  const { bars = '' } = encodeBarcode(symbology, Buffer.from(data, 'latin1')) ?? {};
  return (bars.match(/1+|0+/g) ?? []).map(({ length }) => length);
};
const theirs = (symbology: LinearSymbology, text: string, options: object = {}): number[] => {
  const [drawn] = bwip.raw({ bcid: NAMES[symbology], text, ...options });
  const widths = drawn !== undefined && 'sbs' in drawn ? drawn.sbs : [];
  // The space after a character of two widths is told behind the last one too.
  return widths.length % 2 === 0 ? widths.slice(0, -1) : widths;
};
const told = (symbology: LinearSymbology, widths: readonly number[]) =>
  TWO_WIDTHS.includes(symbology) ? widths.map((width) => (width > 1 ? 'wide' : 'narrow')) : widths;

describe('a bar code', () => {
  const all39 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%';
  const ascii = String.fromCharCode(...Array.from({ length: 127 }, (_, code) => code + 1));
  const even = Array.from({ length: 100 }, (_, pair) => String(pair).padStart(2, '0')).join('');
  const eans = Array.from({ length: 10 }, (_, first) => `${first}01234567890`);
  it.each<[LinearSymbology, string, string, object?]>([
    ...eans.map((digits): [LinearSymbology, string, string] => ['ean13', digits, digits]),
    ['ean8', '9638507', '9638507'],
    ['upca', '03600029145', '03600029145'],
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((last): [LinearSymbology, string, string] => [
      'upce',
      `42526${last}`,
      `042526${last}`,
    ]),
    ['code39', all39, all39],
    ['itf', even, even],
    ['codabar', 'A0123456789-$:/.+B', 'A0123456789-$:/.+B'],
    ['codabar', 'C31D', 'C31D'],
    ['code93', all39, all39, { includecheck: true }],
    ['code128', '{Babcxyz~', 'abcxyz~'],
    ['code128', `{C${String.fromCharCode(12, 34, 56, 99)}`, '12345699'],
    ['code128', '{AAB\x01\x1f', 'AB\x01\x1f'],
  ])('of %s, %j, is that of another encoder', (symbology, data, text, options) => {
    const wanted = told(symbology, theirs(symbology, text, options));
    expect(wanted.length).toBeGreaterThan(20);
    expect(told(symbology, ours(symbology, data))).toEqual(wanted);
  });

  it('of Code 93 holds every character of ASCII', () => {
    for (const char of ascii) {
      const wanted = bwip.raw({ bcid: 'code93ext', text: char, includecheck: true })[0];
      expect(ours('code93', char), JSON.stringify(char)).toEqual(wanted && 'sbs' in wanted ? wanted.sbs : []);
    }
  });
});

describe('a PDF417', () => {
  it.each([
    ['TISCH', 2, 0],
    ['TISCH SIEBEN BITTE ZAHLEN', 4, 2],
    ['12345678901234567890', 3, 1],
    ['a longer text of small letters', 5, 4],
  ])('of %j, %i columns and level %i is that of another encoder', (text, columns, level) => {
    const [drawn] = bwip.raw({ bcid: 'pdf417', text, ...{ columns, eclevel: level } });
    if (drawn === undefined || !('pixs' in drawn)) throw new Error('no matrix');
    const { pixs, pixx } = drawn;
    const rows = Array.from({ length: pixs.length / pixx }, (_, row) =>
      pixs.slice(row * pixx, (row + 1) * pixx).join(''),
    );
    const setup = { columns, rows: 0, module: 1, rowHeight: 3, correction: { level }, truncated: false };
    const symbol = encodePdf417(Buffer.from(text), setup, 1000) ?? [];
    expect(symbol.length).toBeGreaterThan(2);
    // Of each of our rows there are three of theirs, where they draw the height too.
    expect(symbol).toEqual(rows.filter((_, index) => index % (rows.length / symbol.length) === 0));
  });
});
