/** What the editor shows beforehand is what the twin then prints, and the samples are receipts that can be printed. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Line, PrintCommand } from '../../../plugins/printer/contract.ts';
import { preview } from '../../../plugins/printer/panel/preview.ts';
import { SAMPLES } from '../../../plugins/printer/panel/samples.ts';
import { faultsOf } from '../../../runtime/page/editor/check.ts';
import type { Schema } from '../../../runtime/page/editor/schema.ts';
import { type PrintingNode, startPrintingNode } from '../../node.ts';

let node: PrintingNode;
beforeAll(async () => {
  node = await startPrintingNode();
});
afterAll(() => node.stop());

const settings = { columns: 48, cutClearanceLines: 4 };
const printed = async (lines: readonly unknown[]) => {
  node.printer.tearOff();
  const { body } = await node.print(lines as object[]);
  return { body, svg: node.printer.paperSvg(), text: node.printer.paperText() };
};

const word = fc.string({ unit: fc.constantFrom(...'ab €éŁЖΩ✓’\n漢 '), maxLength: 60 });
const align = fc.constantFrom('left', 'center', 'right');
const optional = { requiredKeys: ['type'] } as { requiredKeys: ['type'] };
const line = fc.oneof(
  fc
    .record(
      {
        type: fc.constant('text'),
        align,
        bold: fc.boolean(),
        underline: fc.boolean(),
        invert: fc.boolean(),
        size: fc.constantFrom('1x', '2x', '1x2', '3x1'),
        font: fc.constantFrom('a', 'b'),
      },
      optional,
    )
    .chain((style) => word.map((value) => ({ ...style, value }))),
  fc
    .array(fc.record({ value: word, align, bold: fc.boolean() }), { minLength: 1, maxLength: 4 })
    .map((cells) => ({ type: 'columns', cells })),
  fc.record({ type: fc.constant('banner'), value: fc.constantFrom('Café', 'A B C', '✓'), align }),
  fc.record({ type: fc.constant('rule'), style: fc.constantFrom('single', 'double', 'dashed') }, optional),
  fc.record({ type: fc.constant('feed'), lines: fc.integer({ min: 1, max: 9 }) }, optional),
  fc.record({ type: fc.constant('cut'), mode: fc.constantFrom('full', 'partial') }, optional),
  fc.constantFrom(
    { type: 'barcode', symbology: 'ean13', value: '4006381333931', hri: 'both' },
    { type: 'barcode', symbology: 'code128', value: 'AB1234567', moduleWidth: 2 },
    { type: 'raster', width: 9, height: 2, data: 'gICAgA==', align: 'right' },
  ),
);

describe('the preview', () => {
  it('shows a QR code of the size that it comes out in', async () => {
    const lines: Line[] = [{ type: 'barcode', symbology: 'qr', value: 'https://example.com/é', align: 'center' }];
    const shown = preview(lines, settings);
    const place = (svg: string) => /<path transform="[^"]+"/.exec(svg)?.[0];
    const { svg, text } = await printed(lines);
    expect(shown).toMatchObject({ ok: true, text });
    expect(shown.ok && place(shown.svg)).toBe(place(svg));
  });

  it('shows a PDF417 as a box with its name', () => {
    const shown = preview([{ type: 'barcode', symbology: 'pdf417', value: 'abc' }], settings);
    expect(shown).toMatchObject({ ok: true, text: expect.stringContaining('[pdf417 abc]') });
  });

  it('is the paper that then comes out, dot for dot and row for row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const shown = preview(lines as Line[], settings, 48);
        const { body, svg, text } = await printed(lines);
        expect(body['ok']).toBe(true);
        expect(shown).toEqual({ ok: true, svg, text, substituted: expect.any(Number) });
      }),
      { numRuns: 60 },
    );
  });

  it('is laid out at the configured width, on the paper of the printer', () => {
    const lines: Line[] = [{ type: 'columns', cells: [{ value: 'a' }, { value: 'b', align: 'right' }] }];
    const text = (columns: number) => {
      const shown = preview(lines, { columns, cutClearanceLines: 4 }, 48);
      return shown.ok && shown.text;
    };
    expect(text(20)).toBe(`a${' '.repeat(18)}b\n`);
    expect(text(42)).toBe(`a${' '.repeat(40)}b\n`);
    expect(preview([{ type: 'rule' }], { columns: 32, cutClearanceLines: 4 }, 32)).toMatchObject({
      svg: expect.stringContaining('viewBox="-32 -32 448 '),
    });
  });

  it('counts the characters that are printed as a question mark', async () => {
    const lines: Line[] = [{ type: 'text', value: '漢字 ok' }];
    expect(preview(lines, settings)).toMatchObject({ substituted: 2, text: '?? ok\n' });
    expect((await printed(lines)).body['detail']).toMatch(/^2 characters/);
  });

  it.each([
    ['data that a symbology cannot hold', [{ type: 'feed' }, { type: 'barcode', symbology: 'ean13', value: '12' }]],
    ['cells that do not fit', [{ type: 'columns', cells: [{ value: 'a', width: 60 }] }]],
    ['a raster wider than the paper', [{ type: 'raster', width: 800, height: 1, data: 'AA==' }]],
    ['a raster that is not base64', [{ type: 'raster', width: 8, height: 1, data: 'A' }]],
    ['a job that is too large', Array.from({ length: 200 }, () => ({ type: 'banner', value: 'x' }))],
  ] as Array<[string, Line[]]>)('refuses %s as the node does', async (_what, lines) => {
    const { error, detail } = (await printed(lines)).body;
    expect(preview(lines, settings)).toEqual({ ok: false, error, detail });
  });
});

describe.each(SAMPLES)('the sample $name', ({ text: json }) => {
  const lines = JSON.parse(json) as Line[];

  it('has the shape of the contract', () => {
    expect(faultsOf(PrintCommand.properties.lines as Schema, lines, 'lines')).toEqual([]);
  });

  it.each([48, 42, 32])('can be printed in %i columns, every character as itself', (columns) => {
    const shown = preview(lines, { columns, cutClearanceLines: 4 }, columns);
    expect(shown).toMatchObject({ ok: true, substituted: 0 });
    // A symbol and a cut are named in the text, at any length; Font B has four characters where Font A has three.
    const rows = shown.ok ? shown.text.split('\n').filter((row) => !/^ *[[✂]/.test(row)) : [];
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(Math.floor((columns * 4) / 3));
    const symbols = lines.filter(({ type }) => type === 'barcode').length;
    expect(shown.ok && shown.text.match(/\[(?:qr|ean13|code128) /g)?.length).toBe(symbols === 0 ? undefined : symbols);
  });

  it('prints on the twin', async () => {
    const { body, text } = await printed(lines);
    expect(body).toMatchObject({ ok: true, outcome: 'accepted' });
    expect(body['detail']).toBeUndefined();
    const shown = preview(lines, settings, 48);
    expect(shown.ok && shown.text).toBe(text);
  });
});
