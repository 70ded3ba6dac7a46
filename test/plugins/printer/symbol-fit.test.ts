/** The module size of a symbol: what was asked for or the largest that fits, and a refusal where none does. */
import { expect, it } from 'vitest';
import { resolveOptions } from '../../../codecs/escpos.ts';
import type { PrintedSymbology } from '../../../codecs/symbol-size.ts';
import type { Line } from '../../../plugins/printer/contract.ts';
import { render } from '../../../plugins/printer/layout/layout.ts';

/** GS w, and functions 67 of GS ( k. */
const MODULE = /1d77(..)|1d286b03003[01]43(..)/;
const settings = { columns: 48, cutClearanceLines: 4 };

const symbol = (symbology: PrintedSymbology, value: string, rest: object = {}) =>
  ({ type: 'barcode', symbology, value, ...rest }) as Line;
/** The dots of a module that were chosen, or why there is no symbol. */
const chosen = (line: Line, dots = 576): number | string => {
  const rendered = render([{ type: 'feed' }, line], settings, resolveOptions({ dots }));
  if (!rendered.ok) return `${rendered.error} ${rendered.detail}`;
  const [, linear, square = ''] = MODULE.exec(Buffer.from(rendered.bytes).toString('hex')) ?? [];
  return Number.parseInt(linear ?? square, 16);
};

it.each<[PrintedSymbology, string, string]>([
  ['code39', 'A'.repeat(16), 'A'.repeat(17)],
  ['code93', 'A'.repeat(27), 'A'.repeat(28)],
  ['code128', 'a'.repeat(23), 'a'.repeat(24)],
  ['itf', '0'.repeat(30), '0'.repeat(32)],
  ['codabar', `A${'0'.repeat(21)}B`, `A${'0'.repeat(22)}B`],
])('%s is refused from the first length that this printer would leave out', (symbology, fits, wider) => {
  expect(chosen(symbol(symbology, fits))).toBe(2);
  expect(chosen(symbol(symbology, wider))).toMatch(/^invalid_command lines\/1: .* \d+ dots .* the 576 of a line/);
});

it('a symbol is as large as ever where it fits, else as large as it can be', () => {
  expect(chosen(symbol('qr', 'x'.repeat(624)))).toBe(6);
  expect(chosen(symbol('qr', 'x'.repeat(625)))).toBe(5);
  expect(chosen(symbol('qr', 'x'.repeat(2331)))).toBe(3);
  expect(chosen(symbol('qr', 'x'.repeat(2331)), 384)).toBe(2);
  expect(chosen(symbol('pdf417', 'x'.repeat(700)))).toBe(3);
  expect(chosen(symbol('pdf417', 'x'.repeat(800)))).toBe(2);
  expect(chosen(symbol('ean13', '400638133393'), 384)).toBe(3);
  expect(chosen(symbol('ean13', '400638133393'), 256)).toBe(2);
});

it('a symbol is refused at a size that was asked for and does not fit, and says how wide both are', () => {
  expect(chosen(symbol('ean13', '400638133393', { moduleWidth: 6 }), 576)).toBe(
    'invalid_command lines/1: ean13 of 614 dots (95 modules of 6) is wider than the 576 of a line',
  );
  expect(chosen(symbol('ean13', '400638133393', { moduleWidth: 5 }))).toBe(5);
  expect(chosen(symbol('qr', 'x'.repeat(100), { size: 16 }))).toContain('qr of 720 dots (41 modules of 16)');
  expect(chosen(symbol('pdf417', 'x'.repeat(100), { size: 8 }))).toContain('dots');
});

it('a symbol whose length and data spell ESC p is refused', () => {
  expect(chosen(symbol('code93', `p${'A'.repeat(26)}`), 832)).toContain('ESC p');
  expect(chosen(symbol('code93', `p${'A'.repeat(25)}`), 832)).toBe(2);
});
