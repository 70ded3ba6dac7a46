/** Text that a printer has no font for, as dots: widths, sizes, fallback by character, and bounds. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import { OutlineFace } from '../../../../plugins/printer/drawing/faces.ts';
import { blacken } from '../../../../plugins/printer/drawing/hint.ts';
import { Pack } from '../../../../plugins/printer/drawing/pack.ts';
import { coverageOf, fill } from '../../../../plugins/printer/drawing/scan-line.ts';
import { PackTypesetter } from '../../../../plugins/printer/drawing/typesetter.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';
import type { DrawnRun, TextStyle } from '../../../../plugins/printer/layout/typesetter.ts';
import { writeFonts } from '../../../../runtime/assembly/page/fonts/write-pack.ts';
import { inkOf as columnsOf } from '../layout/shaped/columns-of-ink.ts';
import { RIGHT_TO_LEFT, WORDS } from './words.ts';

const PLAIN: TextStyle = { width: 1, height: 1, cell: 12, bold: false };
const folder = mkdtempSync(join(tmpdir(), 'tillnode-typesetter-'));
let typesetter: PackTypesetter;
beforeAll(() => {
  writeFonts(folder, 'all');
  typesetter = new PackTypesetter(new Pack(join(folder, 'fonts.pack')));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const run = (text: string, style: Partial<TextStyle> = {}, direction: 'ltr' | 'rtl' = 'ltr'): DrawnRun =>
  typesetter.run(text, { ...PLAIN, ...style }, direction);

/** Each row as a string of `#` and `.`. */
const rowsOf = ({ dots, width, ascent, descent }: DrawnRun): string[] =>
  Array.from({ length: ascent + descent }, (_, row) =>
    Array.from({ length: width }, (_, column) => {
      const byte = dots[row * Math.ceil(width / 8) + (column >> 3)]!;
      return byte & (0x80 >> (column & 7)) ? '#' : '.';
    }).join(''),
  );
const inkOf = (drawn: DrawnRun): number => rowsOf(drawn).join('').replaceAll('.', '').length;

describe('the width of', () => {
  it.each([
    ['Latin, Greek, Cyrillic, digits and signs', 'Nguyễn αβ Жђ 12.50 ₹', 20],
    ['katakana of half width', 'ﾗｰﾒﾝ', 4],
  ])('%s is one cell', (_, text, cells) => {
    expect(run(text).advance).toBe(12 * cells);
    expect(run(text, { width: 3 }).advance).toBe(36 * cells);
  });

  it('a cell of Font B is 9 dots', () => {
    expect(run('12.50', { cell: 9 }).advance).toBe(45);
  });

  it.each(['你好', 'ラー', '😀👍', '🇫🇷👨‍👩‍👧', '👍🏽❤️', '５％'])('%s is two cells a character', (text) => {
    expect(run(text).advance).toBe(48);
    expect(run(text, { width: 2 }).advance).toBe(96);
  });

  it('Hangul is two cells, within half a dot', () => {
    expect(Math.abs(run('한글불고기').advance - 120)).toBeLessThanOrEqual(2);
  });

  it('a text is that of its parts, within a dot for each', () => {
    for (const [name, words] of Object.entries(WORDS)) {
      const direction = RIGHT_TO_LEFT.includes(name) ? 'rtl' : 'ltr';
      const parts = words.map((word) => run(word, {}, direction).advance + 12);
      const sum = parts.reduce((total, each) => total + each) - 12;
      expect(Math.abs(run(words.join(' '), {}, direction).advance - sum)).toBeLessThanOrEqual(words.length);
    }
  });
});

describe('a drawn run', () => {
  it('of a Han character fills the cell of a printed row and nothing else', () => {
    const { ascent, descent, left, width } = run('國');
    expect([ascent, descent, left, width]).toEqual([19, 5, 0, 24]);
  });

  it('of every script has ink, and no character without a shape', () => {
    for (const [name, words] of Object.entries(WORDS))
      for (const word of words) {
        const drawn = run(word, {}, RIGHT_TO_LEFT.includes(name) ? 'rtl' : 'ltr');
        expect(inkOf(drawn), word).toBeGreaterThan(20);
        expect(drawn.ascent + drawn.descent, word).toBeLessThanOrEqual(48);
        expect(drawn.dots.length, word).toBe(Math.ceil(drawn.width / 8) * (drawn.ascent + drawn.descent));
      }
  });

  it('is drawn anew at a larger size, and ready glyphs are enlarged', () => {
    const [small, large] = [run('ก'), run('ก', { width: 2, height: 2 })];
    expect(Math.abs(large.width - 2 * small.width)).toBeLessThanOrEqual(2);
    const doubled = rowsOf(small).flatMap((row) => [row, row].map((each) => each.replaceAll(/./g, '$&$&')));
    expect(rowsOf(large)).not.toEqual(doubled);
    const han = rowsOf(run('你')).flatMap((row) => [row, row].map((each) => each.replaceAll(/./g, '$&$&')));
    expect(rowsOf(run('你', { width: 2, height: 2 }))).toEqual(han);
  });

  it('can be wider than high, and of any size for a banner', () => {
    const [plain, wide, banner] = [run('ก'), run('ก', { width: 2 }), run('ก', { width: 10.5, height: 7.5 })];
    expect([wide.ascent, Math.abs(wide.width - 2 * plain.width) <= 2]).toEqual([plain.ascent, true]);
    expect(Math.abs(banner.width - 10.5 * plain.width)).toBeLessThanOrEqual(11);
    expect(rowsOf(run('你', { width: 1.5, height: 1.5 }))[0]!.length).toBe(36);
  });

  it('is bolder by a dot to the right, and no wider along the row', () => {
    const [plain, bold] = [run('สวัสดี'), run('สวัสดี', { bold: true })];
    expect(bold.advance).toBe(plain.advance);
    expect(inkOf(bold)).toBeGreaterThan(1.2 * inkOf(plain));
  });

  it('has joined letters', () => {
    expect(run('ببب', {}, 'rtl').advance).toBeLessThan(3 * run('ب', {}, 'rtl').advance);
    expect(rowsOf(run('क्ष'))).not.toEqual(rowsOf(run('कष')));
  });

  it('stands in its visual order where it is read from right to left', () => {
    const digits = rowsOf(run('1אב', {}, 'rtl'));
    const one = rowsOf(run('1'));
    const last = (rows: string[]) =>
      rows
        .map((row) => row.slice(-4))
        .join('')
        .includes('#');
    expect([last(digits), digits[0]!.length > one[0]!.length]).toEqual([true, true]);
    expect(rowsOf(run('😀👍', {}, 'rtl'))).toEqual(rowsOf(run('👍😀')));
    expect(rowsOf(run('(', {}, 'rtl'))).toEqual(rowsOf(run(')')));
  });

  it('is the same object while it is kept', () => {
    expect(run('ขอบคุณ')).toBe(run('ขอบคุณ'));
    expect(run('ขอบคุณ')).not.toBe(run('ขอบคุณ', { bold: true }));
  });
});

describe('digits', () => {
  /** The black dots of a character in its cell. */
  const dotsOf = (character: string, style: Partial<TextStyle>): ReadonlySet<string> => {
    const drawn = run(character, style);
    const rows = rowsOf(drawn);
    return new Set(
      rows.flatMap((row, y) =>
        [...row].flatMap((dot, x) => (dot === '#' ? [`${drawn.left + x} ${drawn.ascent - y}`] : [])),
      ),
    );
  };
  /** Dots that only one of two characters has. */
  const difference = (one: string, other: string, style: Partial<TextStyle>): number => {
    const [a, b] = [dotsOf(one, style), dotsOf(other, style)];
    return [...a].filter((dot) => !b.has(dot)).length + [...b].filter((dot) => !a.has(dot)).length;
  };

  describe.each([
    ['Font A', { cell: 12 }, 30],
    ['bold Font A', { cell: 12, bold: true }, 30],
    ['Font B', { cell: 9 }, 19],
    ['bold Font B', { cell: 9, bold: true }, 19],
  ] as const)('of %s', (_, style, least) => {
    it('differ from each other', () => {
      for (const one of '0123456789')
        for (const other of '0123456789')
          if (one < other) expect(difference(one, other, style), one + other).toBeGreaterThanOrEqual(least);
    });

    it('differ from the letters that are like them', () => {
      for (const [digit, letter] of ['5S', '1l', '8B', '6G', '2Z'])
        expect(difference(digit!, letter!, style), letter).toBeGreaterThanOrEqual(10);
    });

    it('have a zero with nothing in it', () => {
      const rows = rowsOf(run('0', style)).slice(3, -3);
      for (const row of rows) expect(row).toMatch(/^\.*#{2,3}\.+#{2,3}\.*$/);
    });

    it('are of one width, within their cell', () => {
      for (const digit of '0123456789') {
        const { advance, left, width } = run(digit, style);
        expect([advance, left >= 0, left + width <= advance], digit).toEqual([style.cell, true, true]);
      }
    });
  });
});

describe('a face is found', () => {
  it('for each character, by what faces have', () => {
    for (const text of ['ก', '฿', '₹', '5', 'é', 'ẞ', 'ə', 'Љ', '你', 'ｱ', '한', '😀', '🏳️‍🌈', '葛\u{e0100}', 'ی\u200c'])
      expect(typesetter.draws(text), text).toBe(true);
    expect(inkOf(run('ราคา ₹5'))).toBeGreaterThan(inkOf(run('ราคา ')));
  });

  it.each(['\ue000', '\u{10ffff}', '\ud800', '\u0378', 'ก\u0bcd', '\0'])('for %j none is', (text) => {
    expect(typesetter.draws(text)).toBe(false);
    expect(run(text).dots.length).toBe(0);
  });

  it('for emoji that Unicode does not join, each is drawn', () => {
    expect(run('☕\u200d🍕').advance).toBe(48);
  });
});

describe('a row of text', () => {
  it('has a question mark of one cell for each character that no face has', () => {
    const job = (value: string) => {
      const lines = [{ type: 'text', value }] as const;
      const settings = { columns: 48, cutClearanceLines: 0 };
      const made = render(lines, settings, resolveOptions(), new ShapedText(typesetter));
      if (!made.ok) throw new Error(made.detail);
      return { bytes: Buffer.from(made.bytes).toString('hex'), substituted: made.substituted };
    };
    const { bytes } = job('ไทย ?? ????? 12.50');
    expect(job('ไทย \u{20bb7}\u0f56\u0f7c \ue000\ud800\u0378\u007f\u001b 12.50')).toEqual({ bytes, substituted: 7 });
  });

  it.each([
    ['letters', 'ب', 70],
    ['letters of a row that is full', 'ب', 1000],
    ['bars', 'ـ', 90],
  ])('has no gap between joined %s, however many there are', (_, letter, count) => {
    const lines = [{ type: 'text', value: letter.repeat(count), align: 'left' }] as const;
    const made = render(lines, { columns: 48, cutClearanceLines: 0 }, resolveOptions(), new ShapedText(typesetter));
    if (!made.ok) throw new Error(made.detail);
    for (const { ink } of columnsOf(made.bytes, 576))
      expect(ink).toEqual(Array.from({ length: ink.length }, (_dot, at) => ink[0]! + at));
  });
});

describe('joined emoji are drawn', () => {
  const font = readFileSync('node_modules/@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf');
  const face = new OutlineFace({ dots: 24, rise: -2 }, font);
  /** Rows of the glyph that the font has for a text, in the middle of 24 dots. */
  const glyphRows = (text: string): string[] => {
    const { glyphs, advance } = face.shape(text, 0, text.length, 'ltr');
    const coverage = coverageOf(24, 24);
    const scale = Math.min(24 / advance, 1);
    const { id, x, y } = glyphs[0]!;
    fill(coverage, face.outline(id).edges, {
      x: (24 - advance * scale) / 2 + x * scale,
      y: 19 - y * scale,
      scaleX: face.scale * scale,
      scaleY: face.scale * scale,
    });
    const black = blacken(coverage, 0.42);
    return Array.from({ length: 24 }, (_, row) =>
      Array.from(black.slice(24 * row, 24 * row + 24), (dot) => (dot === 1 ? '#' : '.')).join(''),
    );
  };

  it.each(['👩‍💻', '🏳️‍🌈', '👨‍👩‍👧‍👦', '❤️‍🔥', '🏃‍♂️', '🇩🇪'])('as the glyph that the face has for them: %s', (text) => {
    expect(run(text).advance).toBe(24);
    expect(rowsOf(run(text))).toEqual(glyphRows(text));
  });

  it.each([
    ['🧑‍🤝‍🧑', '🧑🤝🧑'],
    ['🐈‍💻', '🐈💻'],
  ])('side by side where it has none: %s', (text, parts) => {
    expect(run(text).advance).toBe(24 * [...parts].length);
    expect(rowsOf(run(text))).toEqual(rowsOf(run(parts)));
  });
});

describe('there is a bound to', () => {
  it('what is kept: other texts push the oldest out', () => {
    const first = run('ก');
    for (let each = 0; each < 3000; each += 1) run(`ข้าว${each}`, { width: 4, height: 4 });
    expect(run('ก')).not.toBe(first);
  });

  it('the dots of one run, however long it is or high its marks stand', () => {
    const long = run('ก'.repeat(50_000));
    expect([long.width <= 4096, long.advance > 500_000]).toEqual([true, true]);
    const high = run(`ก${'ิ'.repeat(20_000)}`);
    expect(high.ascent + high.descent).toBeLessThanOrEqual(2 * 192);
    expect(high.dots.length).toBeLessThanOrEqual((4096 / 8) * 2 * 192);
  });

  it('any text at all', () => {
    const style = fc.record({
      width: fc.integer({ min: 1, max: 8 }),
      height: fc.integer({ min: 1, max: 8 }),
      cell: fc.constantFrom(9, 12, 13),
      bold: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), style, fc.boolean(), (text, of, rtl) => {
        const drawn = run(text, of, rtl ? 'rtl' : 'ltr');
        expect(drawn.dots.length).toBe(Math.ceil(drawn.width / 8) * (drawn.ascent + drawn.descent));
        expect(Number.isInteger(drawn.advance)).toBe(true);
      }),
    );
  });
});
