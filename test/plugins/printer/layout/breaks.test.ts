/**
 * Where rows end, in every place where text is written: the rules of UAX #14 that are not tailorable (LB 4 to 12), with and
 * without shaping. The rows are those of the paper as text.
 */
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';
import { DrawnTexts } from '../../../../plugins/printer/virtual/paper/drawn-texts.ts';
import { paperText } from '../../../../plugins/printer/virtual/paper/text.ts';
import { paperOf } from '../../../../plugins/printer/virtual/paper-of.ts';
import { Boxes } from './boxes.ts';

/** The rows of a line on paper of so many columns; `shaped`: in the drawing thread, else as the node itself lays out. */
function rowsOf(line: Line, columns: number, shaped: boolean): string[] {
  const options = resolveOptions({ columns, dots: 12 * columns });
  const settings = { columns, cutClearanceLines: 0 };
  const made = render([line], settings, options, shaped ? new ShapedText(new Boxes()) : undefined);
  if (!made.ok) throw new Error(`${made.error} ${made.detail}`);
  expect(made.substituted).toBe(0);
  const texts = new DrawnTexts();
  texts.keep(made.drawn);
  return paperText(paperOf(made.bytes, options), texts).trimEnd().split('\n');
}

/** Each writes a text into rows of eight columns; behind `shape` stands what has to be shaped, in a row of its own. */
const PLACES: readonly (readonly [name: string, shape: string, rows: (value: string) => string[]])[] = [
  ['a text', '', (value) => rowsOf({ type: 'text', value }, 8, false)],
  ['a text that is shaped', '你', (value) => rowsOf({ type: 'text', value: `${value}\n你` }, 8, true)],
  ['a larger text', '', (value) => rowsOf({ type: 'text', value, size: '2x' }, 16, false)],
  [
    'a larger text that is shaped',
    '你',
    (value) => rowsOf({ type: 'text', value: `${value}\n你`, size: '2x' }, 16, true),
  ],
  ['an underlined text', '', (value) => rowsOf({ type: 'text', value, underline: true }, 8, false)],
  ['a drawn text', '\u05d0', (value) => rowsOf({ type: 'text', value: `${value}\n\u05d0`, invert: true }, 8, true)],
  ['a cell', '', (value) => rowsOf({ type: 'columns', cells: [{ value, width: 8 }, { value: '' }] }, 16, false)],
  [
    'a cell that is shaped',
    '你',
    (value) => rowsOf({ type: 'columns', cells: [{ value: `${value}\n你`, width: 8 }, { value: '' }] }, 16, true),
  ],
  // A banner has the block letters of 24 dots that fit its line.
  ['a banner', '', (value) => rowsOf({ type: 'banner', value }, 16, false)],
  ['a drawn banner', '你', (value) => rowsOf({ type: 'banner', value: `${value}\n你` }, 16, true)],
];

describe.each(PLACES)('%s', (_, shape, rows) => {
  const shown = (value: string) => {
    const found = rows(value).map((row) => row.replaceAll('\u00a0', ' ').trim());
    return shape === '' ? found : found.slice(0, -1);
  };

  it.each([
    ['LF', '\n'],
    ['VT', '\v'],
    ['FF', '\f'],
    ['CR', '\r'],
    ['CR LF', '\r\n'],
    ['NEL', '\u0085'],
    ['LS', '\u2028'],
    ['PS', '\u2029'],
  ])('ends a row at %s (LB 4, LB 5)', (_, end) => {
    expect(shown(`ab${end}cd`)).toEqual(['ab', 'cd']);
    const [first, ...others] = shown(`ab${end}${end}cd`);
    expect([first, others.at(-1), new Set(others.slice(0, -1))]).toEqual(['ab', 'cd', new Set([''])]);
  });

  it('may end a row at a zero width space, and shows nothing of it (LB 8)', () => {
    expect(shown('abcde\u200bfghij')).toEqual(['abcde', 'fghij']);
    expect(shown('abcd\u200befgh')).toEqual(['abcdefgh']);
    expect(shown('abcde\u200b fghij')).toEqual(['abcde', 'fghij']);
    expect(shown('ab cd\u200bef\u200bghij')).toEqual(['ab cdef', 'ghij']);
    expect(shown('\u200babcdefgh\u200b')).toEqual(['abcdefgh']);
  });

  it('may end a row at a soft hyphen, which is shown there and nowhere else', () => {
    expect(shown('abcde\u00adfghij')).toEqual(['abcde-', 'fghij']);
    // In the last column of the row.
    expect(shown('abcdefg\u00adhi')).toEqual(['abcdefg-', 'hi']);
    expect(shown('ab def\u00ad\u00adghi')).toEqual(['ab def-', 'ghi']);
    expect(shown('abcd\u00adefgh')).toEqual(['abcdefgh']);
    expect(shown('ab\u00adcd\u00adef\u00adgh\u00adij')).toEqual(['abcdef-', 'ghij']);
    // There is no room for a hyphen behind the eighth letter.
    expect(shown('ab\u00adcdefgh\u00adijk')).toEqual(['ab-', 'cdefgh-', 'ijk']);
    expect(shown('abc def\u00adghij')).toEqual(['abc def-', 'ghij']);
    expect(shown('abcd efg\u00adhij')).toEqual(['abcd', 'efghij']);
    expect(shown('abc \u00addefghij\u00ad')).toEqual(['abc', 'defghij']);
  });

  it('does not end a row at a joiner, nor at a no-break space (LB 8a, LB 11, LB 12)', () => {
    expect(shown('abc de\u200df gh')).toEqual(['abc def', 'gh']);
    expect(shown('abc d\u2060e fgh')).toEqual(['abc de', 'fgh']);
    expect(shown('ab cd \u2060efg')).toEqual(['ab', 'cd efg']);
    expect(shown('abcd e\u00a0fgh')).toEqual(['abcd', 'e fgh']);
  });
});
