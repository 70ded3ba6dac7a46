/** Any lines in any layout that the printer has room for: printed within its columns, or refused by the name of the line. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { symbolDrawer } from '../../../../plugins/printer/drawing/symbols.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';
import type { Row } from '../../../../plugins/printer/virtual/paper/rows.ts';
import { paperOf } from '../../../../plugins/printer/virtual/paper-of.ts';
import { Boxes } from './boxes.ts';

const align = fc.constantFrom('left', 'center', 'right', undefined);
const words = fc.constantFrom('TOTAL 9.99', 'ไทย', 'שלום 12', '₺ 12', 'a\tb\n\nc', '', ' ');
const value = fc.oneof(fc.string(), words);
const raster = (width: number) => ({
  ...{ type: 'raster', width, height: 2 },
  data: Buffer.alloc(2 * Math.ceil(width / 8), 0x80).toString('base64'),
});
const LINES = fc.oneof(
  fc.record({
    ...{ type: fc.constant('text'), value, align, size: fc.constantFrom('1x', '2x', '3x1', '8x') },
    ...{ font: fc.constantFrom('a', 'b'), invert: fc.boolean(), underline: fc.boolean() },
  }),
  fc.record({
    type: fc.constant('columns'),
    cells: fc.array(fc.record({ value, align }), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ type: fc.constant('banner'), value: fc.constantFrom('HI', 'ไทย', 'x y z'), align }),
  fc.constantFrom({ type: 'rule' }, { type: 'feed' }, { type: 'cut' }),
  fc.constantFrom(1, 8, 101, 384).map(raster),
  fc.record({
    ...{ type: fc.constant('barcode'), align, hri: fc.constantFrom('none', 'above', 'below', 'both') },
    symbology: fc.constantFrom(
      ...['qr', 'pdf417', 'aztec', 'datamatrix', 'ean13', 'upce', 'code128', 'code39', 'itf', 'codabar'],
      ...['gs1-128', 'gs1-databar', 'gs1-databar-expanded'],
    ),
    value: fc.constantFrom('12', 'A12B', '400638133393', '01234565', '(01)09521234543213(10)A', 'x\ty'),
    moduleWidth: fc.constantFrom(2, 3, 6, undefined),
    size: fc.constantFrom(1, 2, 8, 16, undefined),
  }),
);
const PRINTERS = fc.constantFrom(
  ...[
    { columns: 32, dots: 384 },
    { columns: 42, dots: 512 },
    { columns: 48, dots: 576 },
    { columns: 40, dots: 576 },
  ],
);

/** The dot behind the last one that a row may blacken. */
const endOf = (row: Row): number => {
  if (row.kind === 'symbol') return row.x + row.width;
  return row.kind === 'line' ? row.x + Math.max(...row.pieces.map(({ x, width }) => x + width)) : 0;
};

it('a job stays within the columns, whether the printer keeps them or the node', () => {
  let printed = 0;
  fc.assert(
    fc.property(
      fc.array(LINES, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 16, max: 48 }),
      PRINTERS,
      fc.boolean(),
      (lines, asked, printer, printArea) => {
        const columns = Math.min(asked, printer.columns);
        const options = resolveOptions({ ...printer, printArea });
        // What is undefined is not there in JSON.
        const job = JSON.parse(JSON.stringify(lines)) as Line[];
        const rendered = render(
          job,
          { columns, cutClearanceLines: 4 },
          options,
          new ShapedText(new Boxes(), symbolDrawer),
        );
        if (!rendered.ok) {
          expect(rendered).toMatchObject({ error: 'invalid_command', detail: expect.stringMatching(/^lines\/\d: ./) });
          return;
        }
        printed += 1;
        const cell = Math.max(12, Math.floor(printer.dots / printer.columns));
        const area = columns < printer.columns ? columns * cell : printer.dots;
        for (const row of paperOf(rendered.bytes, options).rows) expect(endOf(row)).toBeLessThanOrEqual(area);
      },
    ),
    { numRuns: 800 },
  );
  expect(printed).toBeGreaterThan(100);
});
