import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';

const rendered = (lines: Line[], columns: number) => render(lines, { columns, cutClearanceLines: 4 }, resolveOptions());
/** What every job begins with. */
const PREAMBLE_BYTES = 8;

function bytesOf(lines: Line[], columns: number): Uint8Array {
  const job = rendered(lines, columns);
  if (!job.ok) throw new Error(job.detail);
  return job.bytes.subarray(PREAMBLE_BYTES);
}
const hex = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/..(?!$)/g, '$& ');
const ascii = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
/** Printed rows of an unstyled text. */
const rows = (value: string, columns: number) =>
  ascii(bytesOf([{ type: 'text', value }], columns))
    .replace(/\n$/, '')
    .split('\n');
type Cells = Extract<Line, { type: 'columns' }>['cells'];
const cellRows = (cells: Cells, columns: number) =>
  ascii(bytesOf([{ type: 'columns', cells }], columns))
    .replace(/\n$/, '')
    .split('\n');
const refusal = (cells: Cells) => {
  const job = rendered([{ type: 'feed' }, { type: 'columns', cells }], 48);
  return job.ok ? 'printed' : `${job.error} ${job.detail}`;
};

it('a cell without text keeps its place between two others', () => {
  const cells = [{ value: 'a', width: 4 }, { value: '', width: 4 }, { value: 'b c', width: 1 }, { value: 'd' }];
  expect(cellRows(cells, 16)).toEqual(['a       bd', '        c']);
});

describe('text wraps,', () => {
  it.each([
    ['between words', 'one two three four five six', ['one two three', 'four five six']],
    ['a word that just fits', 'sixteen letters.', ['sixteen letters.']],
    ['a word as long as the line', 'abcdefghijklmnop qr', ['abcdefghijklmnop', 'qr']],
    ['within a word longer than the line', 'abcdefghijklmnopqrs tu', ['abcdefghijklmnop', 'qrs tu']],
    ['at line ends, keeping blank lines', 'a\n\nb\r\nc', ['a', '', 'b', 'c']],
    ['keeping spaces in front', '  indented text here', ['  indented text', 'here']],
    ['dropping spaces behind', 'abc   \ndef  ', ['abc', 'def']],
    ['dropping the spaces of the break', 'abcdefgh          ijkl', ['abcdefgh', 'ijkl']],
    ['not breaking what is tied', 'aaaaaaaaaaaa 12\u00a0kg', ['aaaaaaaaaaaa', '12\u00a0kg']],
    ['nothing but spaces', ' '.repeat(40), ['']],
    ['an empty text', '', ['']],
  ])('%s', (_, value, wanted) => {
    expect(rows(value, 16)).toEqual(wanted);
  });

  it.each([{ underline: true }, { invert: true }, { underline: true, invert: true }])(
    'keeping the spaces behind, where they are seen: %o',
    (style) => {
      expect(ascii(bytesOf([{ type: 'text', value: 'ab  ', ...style }], 16))).toContain('ab  ');
    },
  );

  it('and is counted by size and font', () => {
    const value = 'x'.repeat(100);
    const first = (style: object) => /x+/.exec(ascii(bytesOf([{ type: 'text', value, ...style }], 48)))?.[0].length;
    expect(
      [{}, { size: '2x' }, { size: '1x2' }, { size: '3x1' }, { font: 'b' }, { font: 'b', size: '2x' }].map(first),
    ).toEqual([48, 24, 48, 16, 64, 32]);
  });

  it('and has one column for a composed accent, and for a drawn character', () => {
    expect(rows('e\u0301'.repeat(20), 16)).toEqual(['\u00e9'.repeat(16), '\u00e9'.repeat(4)]);
    expect(
      hex(bytesOf([{ type: 'text', value: '✓'.repeat(17) }], 16))
        .match(/1b 2a 21|0a/g)
        ?.indexOf('0a'),
    ).toBe(16);
  });
});

describe('columns', () => {
  it('share the line, and align within their cell', () => {
    expect(cellRows([{ value: 'Tea' }, { value: '2.50', align: 'right' }], 16)).toEqual(['Tea         2.50']);
    expect(cellRows([{ value: 'a' }, { value: 'b', align: 'center' }, { value: 'c', align: 'right' }], 17)).toEqual([
      'a       b       c',
    ]);
    expect(cellRows([{ value: 'a', width: 10 }, { value: 'b' }], 16)).toEqual(['a         b']);
  });

  it('wrap within their cell, side by side', () => {
    expect(cellRows([{ value: 'one two three' }, { value: '9.99', width: 6, align: 'right' }], 16)).toEqual([
      'one two     9.99',
      'three',
    ]);
    expect(
      cellRows(
        [
          { value: 'a', width: 4 },
          { value: 'b\n\nc', width: 4 },
        ],
        16,
      ),
    ).toEqual(['a   b', '', '    c']);
  });

  it('make bold the text and not the space', () => {
    expect(
      ascii(bytesOf([{ type: 'columns', cells: [{ value: 'a' }, { value: 'b', bold: true, align: 'right' }] }], 16)),
    ).toBe(`a${' '.repeat(14)}\x1bE\x01b\x1bE\x00\n`);
  });

  it('compose what has to be, in every cell', () => {
    expect(cellRows([{ value: 'e\u0301' }, { value: '1', align: 'right' }], 16)).toEqual([`\u00e9${' '.repeat(14)}1`]);
  });

  it('are refused where they do not fit', () => {
    const tooWide = [
      { value: 'a', width: 40 },
      { value: 'b', width: 9 },
    ];
    expect(refusal(tooWide)).toMatch(/^invalid_command lines\/1: /);
    expect(refusal([{ value: 'a', width: 48 }, { value: 'b' }])).toContain('48 columns');
  });
});
