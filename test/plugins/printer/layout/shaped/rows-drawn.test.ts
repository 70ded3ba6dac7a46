/** Rows of any script: how drawn text is broken and printed, and what the twin is told of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EscposOptions, resolveOptions } from '../../../../../codecs/escpos.ts';
import type { Line } from '../../../../../plugins/printer/contract.ts';
import { render } from '../../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../../plugins/printer/layout/shaped/shaped-text.ts';
import type { DrawnRun } from '../../../../../plugins/printer/layout/typesetter.ts';
import { BOX_DOTS, Boxes } from '../boxes.ts';
import { type InkRow, inkOf } from './columns-of-ink.ts';
import { edges, job, textRows } from './job-rows.ts';

/** Texts of the pictures of a text on 16 columns: 192 dots, 19 boxes. */
const broken = (value: string, style: object = {}) =>
  job([{ type: 'text', value, ...style }], 16).drawn.map(({ text }) => text);

describe('a row of drawn text ends', () => {
  it.each([
    ['between words', 'אבגדה וזחטי כלמנס עפצקר', ['אבגדה וזחטי כלמנס', 'עפצקר']],
    ['where the next word just does not fit', `${'א'.repeat(9)} ${'ב'.repeat(10)}`, ['א'.repeat(9), 'ב'.repeat(10)]],
    ['behind a word that just fits', `${'א'.repeat(9)} ${'ב'.repeat(9)}`, [`${'א'.repeat(9)} ${'ב'.repeat(9)}`]],
    ['between words that no space divides', 'สวัสดีชาวโลกสวัสดีชาวโลก', ['สวัสดีชาวโลกสวัสดีชาว', 'โลก']],
    ['within a word that is longer than a row', 'א'.repeat(45), ['א'.repeat(19), 'א'.repeat(19), 'א'.repeat(7)]],
    ['within one that is longer than a piece', 'א'.repeat(90), [19, 19, 19, 19, 14].map((count) => 'א'.repeat(count))],
    ['not within a word of two ways or directions', 'אבגדהוזחט abcדגדגדג', ['אבגדהוזחט', 'abcדגדגדג']],
    ['not before a closing bracket', `${'א'.repeat(17)} (בג)`, ['א'.repeat(17), '(בג)']],
    ['not behind spaces that open no break', `${'א'.repeat(12)} ( בגדה`, ['א'.repeat(12), '( בגדה']],
    [
      'not behind as many of them as go over its edge',
      `${'א'.repeat(12)} (${' '.repeat(10)}ב`,
      ['א'.repeat(12), `(${' '.repeat(10)}ב`],
    ],
    ['before a word, with the spaces between left out', `${'א'.repeat(19)}    בג`, ['א'.repeat(19), 'בג']],
    ['at a line end', 'אב\n\nגד', ['אב', 'גד']],
  ])('%s', (_, value, wanted) => {
    expect(broken(value)).toEqual(wanted);
  });

  it('after as many letters as fit beside what stands before them', () => {
    expect(broken(`  ${'א'.repeat(30)}`)).toEqual([`  ${'א'.repeat(16)}`, 'א'.repeat(14)]);
    expect(broken(`abcdefgh${'א'.repeat(20)}`)).toEqual([`abcdefgh${'א'.repeat(9)}`, 'א'.repeat(11)]);
  });

  it('sooner in larger letters', () => {
    expect(broken('א'.repeat(10), { size: '2x' })).toEqual(['א'.repeat(9), 'א']);
    expect(broken('א'.repeat(19), { size: '1x2' })).toHaveLength(1);
  });

  it('with as many spaces as fit, where these are seen', () => {
    const [row, next] = textRows(`ไท${' '.repeat(40)}ไ`, { underline: true }, 16);
    // Two boxes, and fourteen cells of 12 dots.
    expect(row!.ink.at(-1)).toBe(2 * BOX_DOTS + 14 * 12 - 1);
    expect(next!.ink.at(-1)).toBe(BOX_DOTS - 1);
  });
});

describe('a tab in drawn text', () => {
  it('leads to the next of eight columns of its row', () => {
    const lefts = (value: string, style: object = {}) =>
      textRows(value, { align: 'left', ...style }, 32)[0]!.ink.filter(
        (dot, at, all) => dot !== (all[at - 1] ?? -9) + 1,
      );
    expect(lefts('ไ\tไ')).toEqual([1, 97]);
    expect(lefts('ไทไทไทไทไท\tไ').at(-1)).toBe(193);
    expect(lefts('ไ\tไ', { size: '2x' }).at(-1)).toBe(193);
  });

  it('goes no further than the edge', () => {
    expect(broken(`${'א'.repeat(18)}\tבג`)).toEqual(['א'.repeat(18), 'בג']);
  });
});

describe('what is drawn around text', () => {
  const bitmap = (style: object) => {
    const [row] = textRows('ไท ', style);
    const { rowBytes, pictures, height } = row!;
    return Array.from({ length: height }, (_, y) =>
      Array.from({ length: 8 * rowBytes }, (_bit, x) => (pictures[0]![y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1),
    );
  };

  it('is a line of two dots below, also below spaces', () => {
    const lines = bitmap({ underline: true }).map((row) => row.slice(0, 32).every((dot) => dot === 1));
    expect(lines.flatMap((whole, y) => (whole ? [y] : []))).toEqual([30, 31]);
  });

  it('is black where it is inverted, with white letters', () => {
    const [plain, inverted] = [bitmap({ align: 'left' }), bitmap({ invert: true })];
    for (let y = 0; y < 32; y += 1) {
      expect(inverted[y]!.slice(0, 2 * BOX_DOTS)).toEqual(plain[y]!.slice(0, 2 * BOX_DOTS).map((dot) => 1 - dot));
      expect(inverted[y]!.slice(2 * BOX_DOTS, 2 * BOX_DOTS + 12)).not.toContain(0);
    }
    expect(inverted[33]).not.toContain(1);
  });
});

describe('what a font lacks', () => {
  it('is a block letter in a row that is drawn, else a question mark', () => {
    expect(job([{ type: 'text', value: 'ไทย →' }]).substituted).toBe(0);
    expect(job([{ type: 'text', value: 'ไทย \u{1fae8}\ue000' }]).substituted).toBe(2);
    const [row] = textRows('ไทย →');
    expect(row).toMatchObject({ kind: 'picture' });
    expect(row!.ink.at(-1)).toBeGreaterThan(3 * BOX_DOTS + 12);
  });

  it.each([
    ['שלום \u0f56 12.50', 1],
    ['שלום \ue000 \ud800 \u0378 \u0001 \u001b \u007f \u0080 \u{20bb7} 12.50', 8],
    ['ไทย \u{20bb7}\u0f56\u0f7c\u0f51 12.50', 3],
  ])('is a question mark of one cell in a row that is drawn, and counted: %j', (value, count) => {
    /** Has a wide drawing of the character that stands for what is unknown, as faces do. */
    class Replacing extends Boxes {
      override draws(grapheme: string): boolean {
        return grapheme === '\ufffd' || (!/[\u0f00-\u0fff\u{20bb7}]/u.test(grapheme) && super.draws(grapheme));
      }
      override run(...args: Parameters<Boxes['run']>): DrawnRun {
        return super.run(args[0].replace('\ufffd', '日'), args[1], args[2]);
      }
    }
    const replacing = new Replacing();
    const made = job([{ type: 'text', value, align: 'left' }], 48, replacing);
    const marks = value.replaceAll(/[\u0f00-\u0fff\u{20bb7}\ue000\ud800\u0378\p{Cc}]\p{M}*/gu, '?');
    const wanted = job([{ type: 'text', value: marks, align: 'left' }]);
    expect(made.substituted).toBe(count);
    // No two boxes lie on each other.
    expect(made.rows[0]!.ink.length).toBe(wanted.rows[0]!.ink.length);
    expect(made.rows[0]!.ink.at(-1)).toBe(wanted.rows[0]!.ink.at(-1));
  });

  it('is a block letter turned round from right to left', () => {
    const dotsOf = (value: string) => {
      const [row] = job([{ type: 'text', value, align: 'left', size: '2x' }], 48, new Boxes(/[()]/)).drawn;
      return row?.dots;
    };
    expect(dotsOf('ש(')).not.toEqual(dotsOf('ש)'));
    // The same from left to right, by a control of direction.
    expect(dotsOf('ש(')).toEqual(dotsOf('\u202d)ש'));
  });

  it('is a question mark where a letter has over 30 marks, and no dot more', () => {
    const marks = (count: number) => job([{ type: 'text', value: `ש${'\u05b7'.repeat(count)}` }]);
    expect(marks(30)).toMatchObject({ substituted: 0 });
    expect(marks(31)).toMatchObject({ substituted: 1, drawn: [] });
    expect(marks(100_000).bytes).toEqual(marks(31).bytes);
  });

  it('is a question mark where one letter is wider than a row', () => {
    const cells = [{ value: '日', width: 1 }, { value: 'a' }];
    expect(job([{ type: 'columns', cells }])).toMatchObject({ substituted: 1 });
    const inCells = (value: string, width: number) => {
      const { bytes, substituted, drawn } = job([{ type: 'columns', cells: [{ value, width }] }]);
      return { substituted, drawn: drawn.map(({ text }) => text), rows: bytes.filter((byte) => byte === 0x0a).length };
    };
    expect(inCells('日bc', 1)).toEqual({ substituted: 1, drawn: [], rows: 3 });
    // Here it fits a row of its own, though not the rest of the one that it belongs to.
    expect(inCells('aa\u2060日bc', 2)).toEqual({ substituted: 0, drawn: ['日'], rows: 3 });
  });
});

describe('an image without faces', () => {
  const plain = (value: string, options: Partial<EscposOptions> = {}) => {
    const made = render(
      [{ type: 'text', value }],
      { columns: 48, cutClearanceLines: 0 },
      resolveOptions(options),
      new ShapedText(),
    );
    if (!made.ok) throw new Error(made.detail);
    return made;
  };

  it('prints question marks from right to left, and what it has between them', () => {
    const { bytes, substituted } = plain('אב (ab) 12');
    expect(substituted).toBe(2);
    expect(Buffer.from(bytes).toString('latin1')).toContain('12 (ab) ??');
  });

  it('prints the letter, and a question mark for the marks on it', () => {
    expect(plain('x\u0302').substituted).toBe(1);
    expect(Buffer.from(plain('x\u0302').bytes).toString('latin1')).toContain('x?\n');
  });
});

describe('what the twin is told', () => {
  it.each([
    ['a picture', 'שלום 12', ['שלום 12']],
    ['pictures in printed text', 'ab 日本 c₫', ['日本', '₫']],
    ['each row', 'ไทย\nไทย', ['ไทย', 'ไทย']],
  ])('is the text of %s, by the data as it was sent', (_, value, texts) => {
    const { drawn, rows } = job([{ type: 'text', value }]);
    expect(drawn.map(({ text }) => text)).toEqual(texts);
    expect(drawn.map(({ dots }) => Buffer.from(dots))).toEqual(
      rows.flatMap(({ pictures }) => pictures.map((data) => Buffer.from(data))),
    );
  });

  it('has the text of a high row with its first strip', () => {
    const { drawn } = job([{ type: 'text', value: 'ไทย', size: '8x' }], 48, new Boxes(), { rasterRows: 100 });
    expect(drawn.map(({ text }) => text)).toEqual(['ไทย', '', '']);
  });

  it('has it with the first strip that has ink', () => {
    const { drawn } = job([{ type: 'text', value: 'שלום' }], 48, new Boxes(), { rasterRows: 1 });
    // The letters stand a row below the top of the cell.
    expect(drawn.slice(0, 3).map(({ text }) => text)).toEqual(['', 'שלום', '']);
  });

  it('has the cells of a row at their columns', () => {
    const cells = [{ value: 'ชา' }, { value: '12', align: 'right' as const, width: 8 }];
    expect(job([{ type: 'columns', cells }], 24).drawn.map(({ text }) => text)).toEqual([`${'ชา'.padEnd(22)}12`]);
  });
});

describe('a banner', () => {
  const banner = (value: string, columns = 48, align?: 'center') =>
    job([{ type: 'banner', value, ...(align && { align }) }], columns, new Boxes(), { rasterRows: 256 });

  it('of any script is as large as fits the line', () => {
    expect(banner('ไทย').rows.map(({ height }) => height)).toEqual([6 * (24 + 8 + 2)]);
    expect(banner('ยินดีต้อนรับ').rows).toHaveLength(1);
    expect(banner('日本語日本語').rows.map(({ height }) => height)).toEqual([4 * 24]);
    for (const { ink } of banner('ร้านกาแฟ'.repeat(6), 32).rows) expect(ink.at(-1)).toBeLessThan(384);
  });

  it('stands where it is told to, else where its text begins', () => {
    expect(banner('שלום').rows[0]?.ink.at(-1)).toBeGreaterThan(560);
    const [first = 0, last = 0] = edges(banner('שלום', 48, 'center').rows[0]!);
    expect(Math.abs(first - (575 - last))).toBeLessThanOrEqual(1);
  });

  it('of letters that are block letters stays so', () => {
    const boxes = new Boxes();
    expect(job([{ type: 'banner', value: 'CAFÉ 5 €' }], 48, boxes).substituted).toBe(0);
    expect(boxes.runs).toEqual([]);
  });
});

describe('any text', () => {
  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        ...'abc 12,() ไทยกี้ مرحبا שלום 日本語、。 한글 नमस्ते ｶﾞ☂é\t\n\u200b\u200f\u202e\u2067\u2069\u0301\u200d\u3000→─\u{1fae8}👍🏽',
      ),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
    ),
    maxLength: 150,
  });
  const styles = fc.constantFrom<object>(
    {},
    { size: '2x' },
    { size: '8x1' },
    { font: 'b' },
    { underline: true },
    { invert: true, align: 'center' },
    { bold: true, align: 'right' },
    { font: 'b', size: '3x' },
  );
  const fonts = fc.constantFrom<EscposOptions['twoByte']>('none', 'gb18030', 'shift_jis');

  /** A face whose letters reach over their edges. */
  class Wide extends Boxes {
    override run(...args: Parameters<Boxes['run']>): DrawnRun {
      const run = super.run(...args);
      const width = run.width + 6;
      const dots = new Uint8Array(Math.ceil(width / 8) * (run.ascent + run.descent)).fill(255);
      return { ...run, left: -3, width, dots };
    }
  }

  it.each([new Boxes(), new Wide()])('fits its row (%#)', (typesetter) => {
    fc.assert(
      fc.property(texts, styles, fonts, fc.constantFrom(16, 32, 48), (value, style, twoByte, columns) => {
        const { rows } = job([{ type: 'text', value, ...style }], columns, typesetter, { twoByte });
        for (const { ink, rowBytes } of rows) {
          expect(ink.at(-1) ?? 0).toBeLessThan(12 * columns);
          expect(ink[0] ?? 0).toBeGreaterThanOrEqual(0);
          expect(8 * rowBytes).toBeLessThanOrEqual(12 * columns);
        }
      }),
    );
  });

  it.each(['left', 'center', 'right'])(
    'has no dot beyond a paper of 420 dots, which end within a byte (%s)',
    (align) => {
      for (const value of ['ש'.repeat(42), 'ไท'.repeat(21)]) {
        const { rows } = job([{ type: 'text', value, align } as Line], 35, new Wide());
        expect(rows.map(({ ink, rowBytes }) => [ink.at(-1), rowBytes])).toEqual([[419, 53]]);
      }
    },
  );

  it('is printed with no letter lost', () => {
    fc.assert(
      fc.property(texts, fonts, (value, twoByte) => {
        const seen = new Boxes();
        const { bytes, substituted } = job([{ type: 'text', value, align: 'left' }], 16, seen, { twoByte });
        const once = job([{ type: 'text', value, align: 'left' }], 96, new Boxes(), { twoByte });
        expect(substituted).toBe(once.substituted);
        // Each letter is a box of as many dots, however the rows are broken.
        const ink = (rows: readonly InkRow[]) => rows.reduce((sum, row) => sum + row.ink.length, 0);
        expect(ink(inkOf(bytes, 192))).toBe(ink(once.rows));
      }),
    );
  });

  it('spells no command in its pictures', () => {
    /** Draws nothing but dots that would be commands. */
    class Hostile extends Boxes {
      override run(...args: Parameters<Boxes['run']>): DrawnRun {
        const run = super.run(...args);
        const spelled = [0x1b, 0x70, 0x00, 0x10, 0x14, 0x01, 0x10, 0x04, 0x01, 0x10, 0x1b];
        return { ...run, dots: run.dots.map((_, at) => spelled[(at + args[0].length) % spelled.length]!) };
      }
    }
    fc.assert(
      fc.property(texts, styles, (value, style) => {
        const { bytes } = job([{ type: 'text', value: `${value} 日p`, ...style }], 32, new Hostile());
        const sent = Buffer.from(bytes).toString('latin1');
        for (const command of ['\x1bp', '\x10\x14', '\x10\x04', '\x10\x05']) expect(sent).not.toContain(command);
      }),
    );
  });
});
