/** Rows of text in scripts whose characters are not all one UTF-16 unit and one column, without faces that draw them. */
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';

const job = (lines: readonly Line[], columns: number, twoByte: 'none' | 'gb18030' | 'shift_jis' = 'gb18030') => {
  const made = render(
    lines,
    { columns, cutClearanceLines: 0 },
    resolveOptions({ codePages: 'mpt', twoByte }),
    new ShapedText(),
  );
  if (!made.ok) throw new Error(made.detail);
  return made;
};
const [ESC, FS, GS] = ['\x1b', '\x1c', '\x1d'];
const COMMANDS = new RegExp(`${ESC}@|${FS}[&.]|${FS}-.|${ESC}[-ERMta].|${GS}[!B].`, 'gs');
/** The characters of a job, without its commands. */
const characters = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes).toString('latin1').replace(COMMANDS, '');
  return new TextDecoder('gb18030').decode(Buffer.from(text, 'latin1'));
};
const rowsOf = (lines: readonly Line[], columns: number): string[] =>
  characters(job(lines, columns).bytes).replace(/\n$/, '').split('\n');
const rows = (value: string, columns: number, style: object = {}): string[] =>
  rowsOf([{ type: 'text', value, ...style }], columns);

/** Columns of a row whose ASCII is of one column and all else of two. */
const width = (row: string): number => [...row].reduce((sum, char) => sum + (char < '\x7f' ? 1 : 2), 0);

describe('a row of text', () => {
  it.each([
    ['counts a character of two bytes as two columns', '你好世界再见朋友们', ['你好世界', '再见朋友', '们']],
    ['does not divide one at its edge', 'a你好世界', ['a你好世', '界']],
    ['breaks between ideographs and letters', 'abc你好de', ['abc你好', 'de']],
    ['does not break a word of letters that fits', '你好世abcd', ['你好世', 'abcd']],
    ['begins with no closing punctuation', '你好世界。再见', ['你好世', '界。再见']],
    ['begins with no closing bracket after a space', '你好世a ）见', ['你好世', 'a ）见']],
    ['ends with no opening bracket', '你好世「界」', ['你好世', '「界」']],
    ['begins with no small kana', 'あいうきゃく', ['あいうき'.slice(0, 3), 'きゃく']],
    ['begins with no sign of length', 'あいうスープ', ['あいう', 'スープ']],
    ['holds what a no-break space ties', '你好世\u00a0界再', ['你好', '世\ufffd界再']],
    ['holds what a word joiner ties', '你好世界\u2060再', ['你好世', '界再']],
    ['breaks at a zero-width space', '你abcde\u200bfghij', ['你abcde', 'fghij']],
    ['keeps an amount with its sign', '合计是￥12', ['合计是', '￥12']],
    ['keeps a percentage with its number', '你好99％了', ['你好99％', '了']],
    ['breaks Hangul at its spaces and between its syllables alike', '你好 世界再', ['你好 世', '界再']],
    ['ends at a line end', '你好\n\n世界', ['你好', '', '世界']],
  ])('%s', (_, value, wanted) => {
    expect(rows(value, 8)).toEqual(wanted);
  });

  it('fits at every width, and loses nothing', () => {
    const value = '你好，世界！ Hello (你们) 100％ 「再见」、abc-def 朋友。';
    for (let columns = 8; columns <= 48; columns += 1) {
      const made = rows(value, columns);
      expect(Math.max(...made.map(width)), `${columns} columns`).toBeLessThanOrEqual(columns);
      expect(made.join('').replaceAll(' ', '')).toBe(value.replaceAll(' ', ''));
      for (const row of made) {
        expect(row, `${columns} columns`).not.toMatch(/^[，！％」、。)]/);
        expect(row, `${columns} columns`).not.toMatch(/[「(]$/);
      }
    }
  });

  it.each([
    ['Thai', 'สวัสดีชาวโลก', ['สวัสดี', 'ชาว', 'โลก']],
    ['Khmer', 'សួស្តីពិភពលោក', undefined],
    ['Lao', 'ສະບາຍດີຊາວໂລກ', undefined],
    ['Burmese', 'မင်္ဂလာပါကမ္ဘာ', undefined],
  ])('breaks %s between words', (_, value, wanted) => {
    const words =
      wanted ?? [...new Intl.Segmenter('th', { granularity: 'word' }).segment(value)].map((each) => each.segment);
    const graphemes = (text: string) => [...new Intl.Segmenter('en').segment(text)].length;
    expect(words.length).toBeGreaterThan(1);
    const columns = Math.max(8, ...words.map(graphemes));
    // No font has the letters, so a row is as many question marks as its words have graphemes.
    const ends = words.map((_word, at) => graphemes(words.slice(0, at + 1).join('')));
    const made = rows(value, columns).map((row) => row.length);
    expect(made.map((_length, at) => made.slice(0, at + 1).reduce((sum, each) => sum + each, 0))).toEqual(
      made.map(() => expect.toSatisfy((end: number) => ends.includes(end))),
    );
  });

  it('counts by the size of its letters, and by Font A beside Font B', () => {
    expect(rows('你好世界', 8, { size: '2x' })).toEqual(['你好', '世界']);
    expect(rows('你好世界', 8, { size: '1x2' })).toEqual(['你好世界']);
    expect(rows('你好世界', 8, { font: 'b' })).toEqual(['你好世', '界']);
  });

  it('shows one question mark for a grapheme that no font has behind the letter it can print, and counts it once', () => {
    const family = '👩\u200d👩\u200d👧\u200d👦';
    const unknown = `${family} 🇩🇪 ☕\ufe0f กี้ x\u0323\u0301\u0302`;
    expect(rows(unknown, 48)).toEqual(['? ? ? ? x?']);
    expect(job([{ type: 'text', value: unknown }], 48).substituted).toBe(5);
  });

  it('shows the digits and signs of keycaps', () => {
    expect(rows('1\ufe0f\u20e3 #\ufe0f\u20e3 *\u20e3 你', 48)).toEqual(['1 # * 你']);
    expect(job([{ type: 'text', value: '1\ufe0f\u20e3 #\ufe0f\u20e3' }], 48).substituted).toBe(0);
  });

  it('gives a mark no column', () => {
    expect(rows('e\u0301'.repeat(9), 8).map((row) => row.length)).not.toContain(9);
    expect(job([{ type: 'text', value: 'e\u0301'.repeat(8) }], 8).bytes.filter((byte) => byte === 0x0a)).toHaveLength(
      1,
    );
  });

  it('shows katakana of half width, with its voicing marks, at full width', () => {
    expect(rows('ｶﾞｷﾞA', 48)).toEqual(['ガギA']);
  });

  it('has an ideographic space of two columns', () => {
    expect(rows('你\u3000好', 48)).toEqual(['你\u3000好']);
    expect(characters(job([{ type: 'text', value: '你\u3000好' }], 48, 'none').bytes)).toBe('?  ?\n');
  });
});

describe('a text of an alphabet', () => {
  const words = 'Jus d’orange (frais), 0,5 l - T-shirt/Größe [XL] «été» 50% à 3,20 € … fin—fin';

  it.each([
    ['as it is', words],
    ['with line ends of two characters', `${words}\r\n`],
    ['with letters and accents apart', words.normalize('NFD')],
    ['with a word joiner', words.replace('orange', 'oran\u2060ge')],
  ])('is broken at the same places, without shaping: %s', (_, value) => {
    for (let columns = 8; columns <= 32; columns += 1) {
      const made = render([{ type: 'text', value }], { columns, cutClearanceLines: 0 }, resolveOptions());
      const wanted = render([{ type: 'text', value: words }], { columns, cutClearanceLines: 0 }, resolveOptions());
      if (!made.ok || !wanted.ok) throw new Error('it was to be shaped');
      expect(Buffer.from(made.bytes).toString('latin1').trimEnd()).toBe(
        Buffer.from(wanted.bytes).toString('latin1').trimEnd(),
      );
    }
  });

  it('is broken at the same places beside a character that has to be shaped', () => {
    for (let columns = 8; columns <= 32; columns += 1) {
      const alone = rows(words.replaceAll(/[’—…«»€àéß]/g, 'o'), columns);
      const beside = rows(`${words.replaceAll(/[’—…«»€àéß]/g, 'o')}\n你`, columns);
      expect(beside.slice(0, -1)).toEqual(alone);
    }
  });

  it('ends no row within a word, at whatever sign in it', () => {
    const value = 'abcdefgh-ijkl} (mno)p/qr|s!t 你';
    for (const row of rows(value, 16)) expect(value.split(' ')).toEqual(expect.arrayContaining(row.split(' ')));
  });
});

describe('a job that has to be shaped', () => {
  const settings = { columns: 48, cutClearanceLines: 0 };

  it.each<[string, Line]>([
    ['a text', { type: 'text', value: 'مرحبا' }],
    ['a cell', { type: 'columns', cells: [{ value: 'a' }, { value: '日' }] }],
    ['a banner', { type: 'banner', value: 'ไทย' }],
    ['two-byte characters', { type: 'text', value: '你好' }],
    ['an emoji', { type: 'text', value: '☂' }],
    ['a mark on a letter that has none', { type: 'text', value: 'x\u0302' }],
    ['a control of direction', { type: 'text', value: '\u202eabc' }],
  ])('is not printed where nothing shapes it: %s', (_, line) => {
    expect(render([{ type: 'feed' }, line], settings, resolveOptions({ twoByte: 'gb18030' }))).toMatchObject({
      ok: false,
      error: 'needs_shaping',
    });
  });

  it.each([
    'plain',
    'Ünïcödé → ✓ ₺ €',
    'e\u0301\r\n\tx',
    'a\u00adb\u200d\u200e',
    '\u0001 \ue000 \ufffd \ud800',
    'Ж Ω ł',
  ])('is none of these: %j', (value) => {
    expect(render([{ type: 'text', value }], settings, resolveOptions())).toMatchObject({ ok: true });
  });
});

describe('a tab', () => {
  it.each([
    ['a\tb', 'a       b'],
    ['你好\tb', '你好    b'],
    ['1234567\tb', '1234567 b'],
    ['12345678\tb', '12345678        b'],
    ['\tb', '        b'],
  ])('goes to the next column of eight: %j', (value, wanted) => {
    expect(rows(value, 48)).toEqual([wanted]);
  });

  it('ends at the edge of the paper, where the row is broken', () => {
    expect(rows('123456789\tb', 12)).toEqual(['123456789', 'b']);
    expect(rows('a\tb', 10, { underline: true }).map(width)).toEqual([9]);
    expect(Math.max(...rows('123456789\tb', 12, { underline: true }).map(width))).toBeLessThanOrEqual(12);
  });

  it('begins anew in each cell', () => {
    const cells = [
      { value: 'x', width: 4 },
      { value: 'a\tb', width: 12 },
    ];
    expect(rowsOf([{ type: 'columns', cells }], 32)).toEqual(['x   a       b']);
  });
});

describe('cells', () => {
  it('keep their edges with characters of one and two columns', () => {
    const items = ['牛肉面', 'Tea', '大 size 可乐', 'กาแฟ', '👍 好'];
    const made = rowsOf(
      items.map((value) => ({
        type: 'columns' as const,
        cells: [
          { value },
          { value: '好', width: 6, align: 'center' as const },
          { value: '9.50', width: 8, align: 'right' as const },
        ],
      })),
      32,
    );
    expect(made.map(width)).toEqual(items.map(() => 32));
    expect(made.every((row) => row.endsWith('9.50'))).toBe(true);
  });

  it('wrap side by side', () => {
    const cells = [
      { value: '你好世界再见', width: 8 },
      { value: '价格', width: 8, align: 'right' as const },
    ];
    expect(rowsOf([{ type: 'columns', cells }], 16)).toEqual(['你好世界    价格', '再见']);
  });

  it('of one column show a question mark for a character of two', () => {
    const cells = [{ value: '你', width: 1 }, { value: 'a' }];
    expect(rowsOf([{ type: 'columns', cells }], 16)).toEqual(['?a']);
    expect(job([{ type: 'columns', cells }], 16).substituted).toBe(1);
  });
});

describe('a text made to cost', () => {
  const million = 1_000_000;
  it.each([
    ['a million marks on one letter', `a${'\u0301'.repeat(million)}b`, 2],
    ['marks of many classes', `a${'\u0301\u0323\u0345\u1dc4'.repeat(million / 4)}b`, 2],
    ['a chain of joined emoji', '👩\u200d'.repeat(million / 3), 1],
    ['joiners alone', '\u200d'.repeat(million), 0],
    ['variation selectors', `a${'\ufe0f'.repeat(million)}`, 1],
    ['Hangul that is not composed', '\u1100'.repeat(million), 1],
    ['spaces behind a character', `你${' '.repeat(million)}`, 6],
    ['spaces that no row may end at', `（${' '.repeat(million)}你`, 14],
    ['tabs', `你${'\t'.repeat(million)}`, 6],
    ['controls of direction', '\u2067\u202e\u2068'.repeat(million / 3), 0],
  ])('is short where it shows little: %s', (_, value, most) => {
    const { bytes } = job([{ type: 'text', value }], 48);
    expect(bytes.length).toBeLessThan(40 + most);
  });

  it.each([
    ['lone surrogates', '\ud800'],
    ['private characters', '\ue000'],
    ['unassigned characters', '\u0378'],
    ['regional indicators', '🇦'],
    ['two-byte characters', '你'],
    ['one-byte and two-byte characters in turn', '你a'],
  ])('is refused by its bytes, as any other: %s', (_, unit) => {
    const lines: Line[] = [{ type: 'text', value: unit.repeat(600_000) }];
    expect(
      render(lines, { columns: 48, cutClearanceLines: 0 }, resolveOptions({ twoByte: 'gb18030' }), new ShapedText()),
    ).toMatchObject({
      ok: false,
      error: 'render_too_large',
    });
  });

  it.each([
    ['emoji', '👩\u200d👧'],
    ['flags', '🇩🇪'],
    ['letters with marks', 'x\u0323\u0301'],
  ])('is divided into the same graphemes wherever they stand in it: %s', (_, unit) => {
    for (const lead of ['', 'a', 'ab', 'abc']) {
      const { substituted } = job([{ type: 'text', value: `${lead}\t${unit.repeat(1500)}` }], 48);
      expect(substituted).toBe(1500);
    }
  });

  it('is one question mark for each surrogate and private character', () => {
    expect(rows('\ud800 \udc00 \ue000 \u0378 \u{f0000}', 48)).toEqual(['? ? ? ? ?']);
  });
});
