/** Everything of a job stands in the columns of its layout, whatever the printer has: read from the bytes, dot by dot. */
import bwip from 'bwip-js';
import { describe, expect, it } from 'vitest';
import { type EscposOptions, resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { symbolDrawer } from '../../../../plugins/printer/drawing/symbols.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';
import type { DrawnRun, TextStyle } from '../../../../plugins/printer/layout/typesetter.ts';
import { Boxes } from './boxes.ts';
import { type Ink, inkOf, type SymbolWidth } from './ink.ts';

const HEADS = [
  { dots: 384, columns: 32 },
  { dots: 576, columns: 48 },
  { dots: 512, columns: 42 },
] as const;
const COLUMNS = [32, 42, 48, 64] as const;
const ALIGNS = ['left', 'center', 'right'] as const;

/** EAN-13 is 95 modules wide, a character of Code 128 11 and its end 13, and a PDF417 of one column 86. */
const symbolWidth: SymbolWidth = (symbology, data, module) => {
  if (symbology === 67) return 95 * module;
  if (symbology === 73)
    return (11 * (Buffer.from(data).toString('latin1').replace(/\{./g, '_').length + 1) + 13) * module;
  if (symbology === 'pdf417') return 86 * module;
  const asked = { bcid: 'qrcode', text: Buffer.from(data).toString('latin1'), ...{ eclevel: 'M' } };
  const [drawn] = bwip.raw(asked);
  return (drawn !== undefined && 'pixx' in drawn ? drawn.pixx : 0) * module;
};

/** A black picture, the bits that pad its rows white. */
function black(width: number, height: number): Line {
  const rowBytes = Math.ceil(width / 8);
  const data = Buffer.alloc(rowBytes * height, 0xff);
  for (let at = rowBytes - 1; at < data.length; at += rowBytes) data[at] = 0xff << (8 * rowBytes - width);
  return { type: 'raster', width, height, data: data.toString('base64') };
}

/** `slack`: dots of white that belong to what is drawn, on either side. */
const LINES: [name: string, line: Line, slack?: number][] = [
  ['text', { type: 'text', value: 'TOTAL 9.99' }],
  ['text of 2x', { type: 'text', value: 'TOTAL', size: '2x' }],
  ['text of 2x1, bold', { type: 'text', value: 'TOTAL', size: '2x1', bold: true }],
  ['text of Font B', { type: 'text', value: 'TOTAL', font: 'b' }],
  ['inverted text', { type: 'text', value: ' TOTAL ', invert: true }],
  ['underlined text', { type: 'text', value: ' TOTAL ', underline: true }],
  ['text with tabs', { type: 'text', value: 'A\tB' }],
  ['text of several rows', { type: 'text', value: 'TOTAL\nSum' }],
  ['block letters in text', { type: 'text', value: '→ 9.99 →' }, 2],
  ['a full row', { type: 'text', value: 'X'.repeat(32) }],
  ['drawn text', { type: 'text', value: 'ab 日本' }, 1],
  ['drawn text of a high script', { type: 'text', value: 'ไทย' }, 1],
  ['drawn text of 2x', { type: 'text', value: '日本', size: '2x' }, 1],
  ['text from right to left', { type: 'text', value: 'שלום' }, 1],
  ['underlined drawn text', { type: 'text', value: '日本', underline: true }],
  ['a banner', { type: 'banner', value: 'HH' }],
  ['a drawn banner', { type: 'banner', value: 'ไทย' }, 6],
  ['a QR Code', { type: 'barcode', symbology: 'qr', value: 'https://example.com', size: 3 }],
  ['an EAN-13', { type: 'barcode', symbology: 'ean13', value: '400638133393' }],
  ['a Code 128', { type: 'barcode', symbology: 'code128', value: 'A-1' }],
  ['a PDF417', { type: 'barcode', symbology: 'pdf417', value: 'A' }],
  ['a GS1-128', { type: 'barcode', symbology: 'gs1-128', value: '(01)09521234543213' }, 1],
  ['a GS1 DataBar', { type: 'barcode', symbology: 'gs1-databar', value: '(01)09521234543213' }, 2],
  [
    'a GS1 DataBar that is stacked',
    { type: 'barcode', symbology: 'gs1-databar', value: '(01)09521234543213(10)ABCDEF(21)1234' },
  ],
  ['a Data Matrix', { type: 'barcode', symbology: 'datamatrix', value: 'https://example.com' }],
  ['an Aztec Code', { type: 'barcode', symbology: 'aztec', value: 'https://example.com' }],
  ['a raster', black(64, 3)],
  ['a raster of 101 dots', black(101, 3)],
  ['a raster of 1 dot', black(1, 1)],
  ['a raster padded with black', { ...black(101, 3), data: Buffer.alloc(39, 0xff).toString('base64') } as Line],
];

const printed = (line: Line, columns: number, options: EscposOptions, typesetter = new Boxes()): Ink[] => {
  const shaping = new ShapedText(typesetter, symbolDrawer);
  const rendered = render([line], { columns, cutClearanceLines: 4 }, options, shaping);
  if (!rendered.ok) throw new Error(`${JSON.stringify(line)}: ${rendered.detail}`);
  return inkOf(rendered.bytes, options, symbolWidth);
};

const around = (inks: readonly Ink[]): Ink => ({
  left: Math.min(...inks.map(({ left }) => left)),
  right: Math.max(...inks.map(({ right }) => right)),
});

describe.each(HEADS)('on $dots dots and $columns columns', (head) => {
  describe.each(COLUMNS)('in a layout of %i columns', (columns) => {
    const width = columns < head.columns ? columns * 12 : head.dots;

    describe.each([true, false])('with GS L and GS W: %s', (printArea) => {
      const options = resolveOptions({ ...head, printArea });
      it.each(LINES)('%s begins on the left, is in the middle, ends on the right', (_, line, slack = 0) => {
        for (const align of ALIGNS) {
          const rows = printed({ ...line, align } as Line, columns, options);
          // The text of a symbol stands below its middle.
          const inks = line.type === 'barcode' ? [around(rows)] : rows;
          expect(inks.length).toBeGreaterThan(0);
          for (const { left, right } of inks) {
            const free = width - right;
            if (align === 'left') expect(left).toBeLessThanOrEqual(slack);
            else if (align === 'right') expect(free).toBeLessThanOrEqual(slack);
            else expect(Math.abs(left - free)).toBeLessThanOrEqual(Math.max(1, slack));
            expect(free).toBeGreaterThanOrEqual(0);
          }
        }
      });
    });
  });
});

/** Ink that stands elsewhere than in the middle of its run, in dots that have white on both sides. */
class Lopsided extends Boxes {
  override run(text: string, style: TextStyle, direction: 'ltr' | 'rtl'): DrawnRun {
    const run = super.run(text, style, direction);
    const width = run.width + 9 * style.width;
    const before = 7 * style.width;
    const [from, to] = [Math.ceil(run.width / 8), Math.ceil(width / 8)];
    const dots = new Uint8Array(to * (run.ascent + run.descent));
    for (let at = 0; at < 8 * run.dots.length; at += 1) {
      if ((run.dots[at >> 3]! & (0x80 >> (at & 7))) === 0) continue;
      const x = (at % (8 * from)) + before;
      dots[Math.floor(at / 8 / from) * to + (x >> 3)]! |= 0x80 >> (x & 7);
    }
    return { ...run, left: -2 * style.width, width, dots };
  }
}

describe.each(HEADS)('text that is drawn beside the middle of its run, on $dots dots,', (head) => {
  it.each<[string, Line, before?: number]>([
    ['a text', { type: 'text', value: 'ไทยไ' }],
    ['a text of 2x', { type: 'text', value: 'ไทย', size: '2x' }],
    ['a bold text from right to left', { type: 'text', value: 'שלום', bold: true, size: '3x' }],
    ['a text behind spaces', { type: 'text', value: '  日本', size: '2x' }, 48],
    ['a banner', { type: 'banner', value: 'ไทย' }],
  ])('stands in the middle to a dot: %s', (_, line, before = 0) => {
    for (const columns of COLUMNS)
      for (const printArea of [true, false]) {
        const width = columns < head.columns ? columns * 12 : head.dots;
        const options = resolveOptions({ ...head, printArea });
        const [row] = printed({ ...line, align: 'center' } as Line, columns, options, new Lopsided());
        expect(Math.abs(row!.left - before - (width - row!.right))).toBeLessThanOrEqual(1);
        const [right] = printed({ ...line, align: 'right' } as Line, columns, options, new Lopsided());
        expect(width - right!.right).toBe(0);
      }
  });
});

describe.each(HEADS)('what has more white on one side than on the other, on $dots dots,', (head) => {
  /** As wide as an emoji, with its ink on the left. */
  class OnTheLeft extends Boxes {
    override run(text: string, style: TextStyle, direction: 'ltr' | 'rtl'): DrawnRun {
      const run = super.run(text, style, direction);
      const dots = run.dots.map((byte, at) => (at % Math.ceil(run.width / 8) === 0 ? byte : 0));
      return { ...run, dots };
    }
  }
  it.each<[string, Line, spaces?: number]>([
    ['a banner of a narrow letter', { type: 'banner', value: 'J' }],
    ['a banner between narrow letters', { type: 'banner', value: '[1:' }],
    ['a banner behind a space', { type: 'banner', value: ' J' }, 96],
    ['a sign that is drawn behind text', { type: 'text', value: 'ab 日' }],
    ['a sign that is drawn before text', { type: 'text', value: '日 ab' }],
    ['signs alone', { type: 'text', value: '日本' }],
    ['signs around text', { type: 'text', value: '日 ab 日' }],
    ['a sign behind a space', { type: 'text', value: ' 日' }, 12],
  ])('stands in the middle to a dot: %s', (_, line, spaces = 0) => {
    for (const columns of COLUMNS)
      for (const printArea of [true, false]) {
        const width = columns < head.columns ? columns * 12 : head.dots;
        const options = resolveOptions({ ...head, printArea });
        // A picture is sent in strips.
        const ink = around(printed({ ...line, align: 'center' } as Line, columns, options, new OnTheLeft()));
        expect(Math.abs(ink.left - spaces - (width - ink.right))).toBeLessThanOrEqual(1);
      }
  });
});

describe('rules and columns', () => {
  it.each([
    [32, 48],
    [42, 48],
    [48, 48],
  ])('of %i columns end where text on the right does, on a printer of %i', (columns, of) => {
    const options = resolveOptions({ dots: of * 12, columns: of, printArea: true });
    const cells = [{ value: 'Tea' }, { value: '3,20', align: 'right' as const }];
    const drawn = [{ value: 'ชา' }, { value: '日本', align: 'right' as const }];
    const rights = (line: Line) => printed(line, columns, options).map(({ right }) => right);
    expect(rights({ type: 'rule' })).toEqual([columns * 12]);
    expect(rights({ type: 'columns', cells })).toEqual([columns * 12]);
    expect(rights({ type: 'columns', cells: drawn })).toEqual([columns * 12 - 1]);
    expect(rights({ type: 'text', value: '3,20', align: 'right' })).toEqual([columns * 12]);
  });
});

it('the words of a picture that the node has moved stand where it does', () => {
  const options = resolveOptions({ dots: 576, columns: 48 });
  const shaping = new ShapedText(new Boxes(), symbolDrawer);
  const lines: Line[] = [
    { type: 'text', value: 'ไทย', align: 'right' },
    { type: 'barcode', symbology: 'aztec', value: 'x', align: 'center', size: 2 },
  ];
  const made = render(lines, { columns: 32, cutClearanceLines: 4 }, options, shaping);
  if (!made.ok) throw new Error(made.detail);
  // 30 dots of 384, in whole bytes, and 15 modules of 2.
  expect(made.drawn.map(({ text }) => text)).toEqual([`${' '.repeat(29)}ไทย`, `${' '.repeat(14)}[aztec x]`]);
});

describe('a printer whose line is wider than the layout', () => {
  const wide = resolveOptions({ dots: 576, columns: 48, printArea: true });
  const refusal = (line: Line, columns: number, options = wide) => {
    const rendered = render([line], { columns, cutClearanceLines: 4 }, options);
    return rendered.ok ? undefined : rendered.detail;
  };

  it('has its whole line again behind the job', () => {
    const rendered = render([{ type: 'cut' }], { columns: 32, cutClearanceLines: 4 }, wide);
    const bytes = Buffer.from(rendered.ok ? rendered.bytes : []);
    expect(bytes.includes(Buffer.of(0x1d, 0x57, 384 & 0xff, 384 >> 8))).toBe(true);
    expect(bytes.subarray(-8)).toEqual(Buffer.of(0x1d, 0x4c, 0, 0, 0x1d, 0x57, 576 & 0xff, 576 >> 8));
  });

  it('is told nothing of it where the layout has all its columns, or where it lacks the commands', () => {
    const bytes = (columns: number, printArea: boolean) => {
      const rendered = render([{ type: 'cut' }], { columns, cutClearanceLines: 4 }, { ...wide, printArea });
      return Buffer.from(rendered.ok ? rendered.bytes : []).toString('hex');
    };
    for (const [columns, has] of [
      [48, true],
      [64, true],
      [32, false],
    ] as const)
      expect(bytes(columns, has)).not.toMatch(/^(?:..)*?1d(?:4c|57)/);
  });

  it('refuses a picture or symbol that only its own line would hold', () => {
    expect(refusal(black(384, 1), 32)).toBeUndefined();
    expect(refusal(black(385, 1), 32)).toContain('385 dots is wider than the 384');
    const ean: Line = { type: 'barcode', symbology: 'ean13', value: '400638133393', moduleWidth: 5 };
    expect(refusal(ean, 48)).toBeUndefined();
    expect(refusal(ean, 32)).toContain('wider than the 384');
  });
});
