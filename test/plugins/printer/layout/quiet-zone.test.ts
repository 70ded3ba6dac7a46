/** Symbols keep their quiet zones above and below, read from the paper: what the lines give already counts. */
import { expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import type { Row } from '../../../../plugins/printer/virtual/paper/rows.ts';
import { paperOf } from '../../../../plugins/printer/virtual/paper-of.ts';

const options = resolveOptions();
const qr = (size: number): Line => ({ type: 'barcode', symbology: 'qr', value: 'x', size });
const ean = (rest: object = {}): Line => ({ type: 'barcode', symbology: 'ean13', value: '400638133393', ...rest });
const text = (value: string, rest: object = {}): Line => ({ type: 'text', value, ...rest });
/** Four rows, of which these are black. */
const raster = (...black: number[]): Line => ({
  ...{ type: 'raster', width: 8, height: 4 },
  data: Buffer.from([0, 1, 2, 3].map((row) => (black.includes(row) ? 0xff : 0))).toString('base64'),
});
const pdf417: Line = { type: 'barcode', symbology: 'pdf417', value: 'x' };

const rowsOf = (lines: readonly Line[]): readonly Row[] => {
  const rendered = render(lines, { columns: 48, cutClearanceLines: 4 }, options);
  if (!rendered.ok) throw new Error(rendered.detail);
  return paperOf(rendered.bytes, options).rows;
};
/** First and last row of ink of what is printed; a character has its whole cell. */
function edges(row: Row): readonly [number, number] | undefined {
  if (row.kind === 'line') return [row.y, row.y + Math.max(...row.pieces.map(({ height }) => height))];
  if (row.kind === 'symbol') return [row.y, row.y + row.height];
  if (row.kind !== 'raster') return undefined;
  const { rows, width } = row.bitmap;
  const black = [...rows].flatMap((byte, at) => (byte === 0 ? [] : [Math.floor(at / Math.ceil(width / 8))]));
  return black.length === 0 ? undefined : [row.y + black[0]!, row.y + black.at(-1)! + 1];
}
/** White rows between what is printed and what comes next. */
const gaps = (...lines: Line[]): number[] => {
  const inks = rowsOf(lines).flatMap((row) => [edges(row) ?? []].filter((each) => each.length > 0));
  return inks.slice(1).map(([top = 0], index) => top - inks[index]![1]!);
};

it.each<[string, Line[], number]>([
  ['two QR Codes', [qr(6), qr(6)], 24],
  ['two QR Codes of which the second is larger', [qr(3), qr(10)], 40],
  ['two QR Codes of which the first is larger', [qr(10), qr(3)], 40],
  ['a picture and a QR Code', [raster(0, 1, 2, 3), qr(6)], 24],
  ['a QR Code and a picture', [qr(6), raster(0, 1, 2, 3)], 24],
  ['a picture with white at its end, which counts, and a QR Code', [raster(0), qr(6)], 24],
  ['a QR Code and a picture with white at its top, which counts', [qr(6), raster(3)], 24],
  ['a QR Code, a picture without ink and a QR Code', [qr(6), raster(), qr(6)], 24],
  ['a QR Code and an EAN-13', [qr(6), ean()], 33],
  ['an EAN-13 with its digits below and a QR Code', [ean(), qr(6)], 24],
  ['an EAN-13 without digits and a small QR Code', [ean({ hri: 'none' }), qr(2)], 33],
  ['two EAN-13 with digits above', [ean({ hri: 'above' }), ean({ hri: 'above' })], 33],
  ['two PDF417', [pdf417, pdf417], 30],
  ['a QR Code and a text', [qr(6), text('Thank you')], 24],
  ['a QR Code and a rule', [qr(6), { type: 'rule' }], 24],
  ['a QR Code and cells', [qr(6), { type: 'columns', cells: [{ value: '' }, { value: 'x' }] }], 24],
  ['a QR Code and a banner, which has white above its letters', [qr(6), { type: 'banner', value: 'H' }], 32],
  // The least that printers leave below a row: 6 of its 30 dots.
  ['a text and a QR Code', [text('Pay here'), qr(6)], 10 + 18],
  ['a text of double height and a QR Code', [text('Pay here', { size: '2x' }), qr(6)], 24],
  ['a blank text counts, as a feed does', [qr(6), text(''), qr(6)], 34],
  ['a feed', [qr(6), { type: 'feed', lines: 2 }, qr(6)], 68],
  ['text that begins with a line end', [qr(6), text('\nThank you')], 34],
  ['two texts are as they were', [text('a'), text('b')], 10],
])('quiet zones are kept, and what the lines give already counts: %s', (_, lines, wanted) => {
  expect(gaps(...lines)).toEqual([wanted]);
});

it('a symbol at the end of a job keeps the next job from it, and none is kept from a cut', () => {
  expect(rowsOf([qr(6)]).at(-1)).toMatchObject({ kind: 'raster', height: 24 });
  expect(rowsOf([qr(6), { type: 'cut' }]).map(({ kind }) => kind)).toEqual(['symbol', 'feed', 'cut']);
  const [first] = rowsOf([{ type: 'cut' }, qr(6), { type: 'cut' }]).filter(({ kind }) => kind === 'symbol');
  expect(first?.y).toBe(4 * 34 + 24);
});
