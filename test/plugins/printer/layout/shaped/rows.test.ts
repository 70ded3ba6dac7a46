/** Rows of any script: where their ink stands. */
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../../codecs/escpos.ts';
import type { Line } from '../../../../../plugins/printer/contract.ts';
import { render } from '../../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../../plugins/printer/layout/shaped/shaped-text.ts';
import { BOX_DOTS, Boxes } from '../boxes.ts';
import { type InkRow, inkOf } from './columns-of-ink.ts';
import { edges, job, textRows } from './job-rows.ts';

const NAMES = ['Tea', 'กาแฟเย็น', 'قهوة عربية', '牛肉面', 'קפה', 'Phở ☂', '👍🏽 ok', 'नमस्ते', 'ｺｰﾋｰ', 'x\u0302y'];

describe.each([48, 32])('cells on %i columns', (columns) => {
  const line = (value: string, price: string): Line => ({
    type: 'columns',
    cells: [{ value }, { value: '好', width: 5, align: 'center' }, { value: price, width: 9, align: 'right' }],
  });

  it.each(['gb18030', 'none'] as const)('end at the same dot, whatever stands beside them (%s)', (twoByte) => {
    const rows = job(
      NAMES.map((name) => line(name, '12.50')),
      columns,
      new Boxes(),
      { twoByte },
    ).rows;
    const price = Array.from({ length: 5 }, (_, at) => 12 * (columns - 5 + at)).flatMap((from) =>
      Array.from({ length: 10 }, (_, dot) => from + 1 + dot),
    );
    expect(rows).toHaveLength(NAMES.length);
    for (const [at, { ink }] of rows.entries()) {
      expect(
        ink.filter((dot) => dot >= 12 * (columns - 6)),
        NAMES[at],
      ).toEqual(price);
    }
    expect(new Set(rows.map(({ kind }) => kind)).size).toBe(2);
  });

  it.each(['١٢٫٥٠', '₹12', '12 ₪', '一二', '12฿'])('end at the same dot with a price of %s', (price) => {
    for (const { ink } of job(
      NAMES.map((name) => line(name, price)),
      columns,
    ).rows) {
      expect(ink.at(-1)).toBe(12 * columns - 2);
    }
  });

  it('of right-to-left text begin at the right of their own cell, one column from the next', () => {
    const [row] = job([line('קפה', '1')], columns).rows;
    const cell = 12 * (columns - 14);
    const name = row!.ink.filter((dot) => dot < cell);
    expect([name[0], name.at(-1)]).toEqual([cell - 12 - 3 * BOX_DOTS + 1, cell - 12 - 2]);
  });

  it('of right-to-left text are broken so that they do not touch the next one', () => {
    const beside = (style: object, width: number) =>
      job([{ type: 'columns', cells: [{ value: 'א'.repeat(12), width, ...style }, { value: 'x' }] }], columns).rows;
    // Twelve boxes are ten columns of 12 dots.
    expect(beside({}, 11)).toHaveLength(1);
    const [first, second] = beside({}, 10);
    expect([first!.ink.filter((dot) => dot < 120).at(-1), second!.ink.at(-1)]).toEqual([120 - 12 - 2, 120 - 12 - 2]);
    // Where a side was asked for, or there is no room, or nothing behind it, a cell is its own.
    expect(beside({ align: 'right' }, 10)).toHaveLength(1);
    expect(beside({}, 1)).toHaveLength(12);
    const last = job([{ type: 'columns', cells: [{ value: 'x' }, { value: 'אב' }] }], columns).rows;
    expect(last[0]!.ink.at(-1)).toBe(12 * columns - 2);
  });

  it('wrap side by side, and none is wider than its own', () => {
    const { rows } = job([line('กาแฟเย็น '.repeat(9), '日本'.repeat(9))], columns);
    expect(rows.length).toBeGreaterThan(4);
    for (const { ink } of rows) expect(ink.at(-1)).toBeLessThan(12 * columns);
  });
});

describe('where 44 columns fill 576 dots, cells', () => {
  const options = resolveOptions({ columns: 44, dots: 576 });
  const settings = { columns: 44, cutClearanceLines: 0 };
  const line = (value: string, price: string): Line => ({
    type: 'columns',
    cells: [{ value }, { value: price, width: 9, align: 'right' }],
  });

  it.each(['12.50', '→', '١٢٫٥٠', '₹12', '12 ₪', '一二'])(
    'end at the last dot of these with a price of %s',
    (price) => {
      const made = render(
        NAMES.map((name) => line(name, price)),
        settings,
        options,
        new ShapedText(new Boxes()),
      );
      if (!made.ok) throw new Error(made.detail);
      for (const { ink } of inkOf(made.bytes, 576, 13)) expect(ink.at(-1)).toBe(44 * 13 - 2);
    },
  );

  it('end there with a block letter in printed text', () => {
    const made = render([line('Tea', '→')], settings, options);
    if (!made.ok) throw new Error(made.detail);
    expect(inkOf(made.bytes, 576, 13)[0]!.pictures[0]).toHaveLength(3 * 13);
  });
});

describe('where the settings have more columns than the paper', () => {
  const paper = { columns: 32, dots: 384 };
  const onPaper = (line: Line) => job([line], 48, new Boxes(), paper);
  const inkOn = (lines: readonly InkRow[]) => lines.reduce((sum, { ink }) => sum + ink.length, 0);
  const cells = [{ value: 'قهوة عربية' }, { value: '12.50', align: 'right', width: 8 } as const];

  it('cells that do not fit go on below, where a printer would go on with characters', () => {
    const { rows, drawn } = onPaper({ type: 'columns', cells });
    expect(rows.map(({ ink }) => ink.at(-1))).toEqual([384 - 12 - 2, 12 * 16 - 2]);
    expect(drawn.map(({ text }) => text.trim())).toEqual(['قهوة عربية']);
    expect(inkOn(rows)).toBe(inkOn(job([{ type: 'columns', cells }]).rows));
  });

  it.each([
    ['a picture', 'שלום '.repeat(14)],
    ['stacked letters', 'กาแฟเย็น'.repeat(6)],
    ['printed text with pictures in it', '日本₫ abc '.repeat(6)],
    ['printed text with a picture where the paper ends', `${'a'.repeat(31)}日本語`],
  ])('%s is on the paper as a whole', (_, value) => {
    const lines: Line[] = [
      { type: 'text', value, align: 'left' },
      { type: 'text', value, align: 'left', size: '2x' },
      { type: 'text', value, align: 'left', font: 'b' },
      { type: 'columns', cells: [{ value }, { value: 'قهوة', width: 8 }] },
      { type: 'columns', cells: [{ value, width: 20 }, { value, width: 20 }, { value: '12.50' }] },
      { type: 'columns', cells: [{ value: '12', width: 2 }, { value }, { value: '12.50', width: 1 }] },
    ];
    for (const [at, line] of lines.entries()) {
      const { rows } = onPaper(line);
      for (const { ink, rowBytes } of rows) {
        expect(ink.at(-1) ?? 0, `${at}`).toBeLessThan(384);
        expect(8 * rowBytes, `${at}`).toBeLessThanOrEqual(384);
      }
      expect(inkOn(rows), `${at}`).toBe(inkOn(job([line]).rows));
    }
  });
});

describe('a row is', () => {
  it.each([
    ['printed text alone where no letter is drawn', 'abc', {}, 'printed', 0],
    ['printed text with pictures of the letters that are drawn', 'ab 日本 ₫', {}, 'printed', 2],
    ['one picture where a letter is higher than the cell', 'ab ไทย', {}, 'picture', 1],
    ['one picture where it is from right to left', 'שלום', {}, 'picture', 1],
    ['one picture where it is enlarged', '日本', { size: '2x' }, 'picture', 1],
    ['one picture where it is underlined', '日本', { underline: true }, 'picture', 1],
    ['one picture where it is inverted', '日本', { invert: true }, 'picture', 1],
    ['one picture in Font B', '日本', { font: 'b' }, 'picture', 1],
    ['printed text where it is bold', '日本', { bold: true }, 'printed', 1],
  ] as const)('%s', (_, value, style, kind, pictures) => {
    const [row, ...others] = textRows(value, style);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ kind, pictures: { length: pictures } });
  });

  it('at least as high as a printed one, and stacked letters two dots higher than they are', () => {
    expect(textRows('שלום')[0]?.height).toBe(34);
    expect(textRows('שלום', { size: '1x3' })[0]?.height).toBe(3 * 24);
    expect(textRows('ไทย', { size: '2x2' })[0]?.height).toBe(2 * (24 + 8 + 2));
  });

  it('as wide as its letters', () => {
    expect(edges(textRows('שלום')[0]!)).toEqual([576 - 4 * BOX_DOTS + 1, 574]);
    expect(edges(textRows('שלום', { align: 'left' })[0]!)).toEqual([1, 4 * BOX_DOTS - 2]);
    expect(edges(textRows('שלום', { align: 'left', size: '3x1' })[0]!)).toEqual([1, 12 * BOX_DOTS - 2]);
    expect(edges(textRows('ab日本', { font: 'b' })[0]!)).toEqual([1, 2 * 9 + 2 * 24 - 2]);
  });

  it('sent without what is white beside it', () => {
    for (const align of ['left', 'center', 'right']) {
      expect(textRows('שלום', { align })[0]?.rowBytes).toBe(Math.ceil((4 * BOX_DOTS) / 8));
    }
    expect(textRows('  ไทย')[0]?.rowBytes).toBe(Math.ceil((24 + 3 * BOX_DOTS) / 8));
  });

  it('in the middle to the dot', () => {
    for (let letters = 1; letters < 12; letters += 1) {
      const [first = 0, last = 0] = edges(textRows('ש'.repeat(letters), { align: 'center' })[0]!);
      expect(Math.abs(first - (575 - last)), `${letters} letters`).toBeLessThanOrEqual(1);
    }
  });
});

describe('a paragraph', () => {
  it('begins on the side of its direction, each for itself', () => {
    const rows = textRows('abc\nשלום\n12 דג\n12\n\u200f12');
    expect(rows.map(({ ink }) => ink.at(-1) === 574)).toEqual([false, true, true, false, true]);
  });

  it('stands where it is told to', () => {
    expect(textRows('שלום', { align: 'left' })[0]?.ink[0]).toBe(1);
    expect(textRows('ไทย', { align: 'right' })[0]?.ink.at(-1)).toBe(574);
  });

  it('leaves the printer aligned to the left', () => {
    const { bytes } = job([{ type: 'text', value: 'שלום' }]);
    expect([...bytes.subarray(-3)]).toEqual([0x1b, 0x61, 0]);
  });
});

describe('the order of a row', () => {
  const drawn = (value: string) => {
    const boxes = new Boxes();
    job([{ type: 'text', value }], 48, boxes);
    return boxes.runs.map(({ text, direction }) => (direction === 'rtl' ? `<${text}` : text));
  };

  it('is that of reading, by the level of each part', () => {
    const [row] = job([{ type: 'text', value: 'אב 12 ab' }]).rows;
    // From the left: ab, space, 12, space, two letters.
    expect(edges(row!)).toEqual([576 - (4 * 12 + 2 * 12 + 2 * BOX_DOTS) + 1, 574]);
    expect(drawn('אב 12 ab')).toEqual(['<אב', 'ab', '12']);
  });

  it('has words of one direction for themselves, and brackets turned by the face', () => {
    expect(drawn('שלום (עולם)')).toEqual(['<שלום', '<(', '<עולם', '<)'].slice(0, 1).concat(['<עולם', '<)', '<(']));
  });

  it('is turned where controls say so', () => {
    const { bytes, drawn: pictures } = job([{ type: 'text', value: '\u202eabc' }]);
    expect(Buffer.from(bytes).toString('latin1')).toContain('cba');
    expect(pictures).toEqual([]);
  });

  it('is that of each row, after it was broken', () => {
    const rows = textRows('אבגד הוזח טיכל', {}, 16);
    expect(rows.map(({ ink }) => ink.at(-1))).toEqual(rows.map(() => 190));
  });
});
