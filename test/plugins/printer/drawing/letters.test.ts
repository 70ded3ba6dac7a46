/** Letters and signs of currency are on paper as themselves, or told as lost: with the faces, on printers of every make. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawBlockLetters } from '../../../../codecs/block-letters.ts';
import { MAKES, type Make } from '../../../../codecs/code-pages.ts';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { Pack } from '../../../../plugins/printer/drawing/pack.ts';
import { PackTypesetter } from '../../../../plugins/printer/drawing/typesetter.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../plugins/printer/layout/shaped/shaped-text.ts';
import type { Typesetter } from '../../../../plugins/printer/layout/typesetter.ts';
import { DrawnTexts } from '../../../../plugins/printer/virtual/paper/drawn-texts.ts';
import { paperText } from '../../../../plugins/printer/virtual/paper/text.ts';
import { paperOf } from '../../../../plugins/printer/virtual/paper-of.ts';
import { writeFonts } from '../../../../runtime/assembly/page/fonts/write-pack.ts';

let faces: Typesetter;
const folder = mkdtempSync(join(tmpdir(), 'tillnode-letters-'));
beforeAll(() => {
  writeFonts(folder, 'all');
  faces = new PackTypesetter(new Pack(join(folder, 'fonts.pack')));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const settings = { columns: 48, cutClearanceLines: 0 };
const charsWhere = (kind: RegExp, from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => String.fromCodePoint(from + at)).filter((char) => kind.test(char));

/** The rows of the paper as text, one for each value, and how many characters were lost. */
function rowsOf(values: readonly string[], make: Make, shaping?: ShapedText) {
  const options = resolveOptions({ codePages: make });
  const lines = values.map((value): Line => ({ type: 'text', value: `x${value}` }));
  const made = render(lines, settings, options, shaping, 10_000_000);
  if (!made.ok) throw new Error(`${made.error} ${made.detail}`);
  const texts = new DrawnTexts();
  texts.keep(made.drawn);
  const rows = paperText(paperOf(made.bytes, options), texts).split('\n');
  return { rows: rows.slice(0, values.length).map((row) => row.slice(1)), substituted: made.substituted };
}

/** What stands on the paper as another character than it is; a canonical equivalent (UAX #15) is the same letter. */
const changed = (values: readonly string[], rows: readonly string[]): string[] =>
  values.flatMap((value, at) =>
    rows[at] === value || rows[at] === value.normalize('NFC') || rows[at] === '?' ? [] : [`${value} as ${rows[at]}`],
  );

describe.each(Object.keys(MAKES) as Make[])('on a printer of %s', (make) => {
  it('every letter of Latin, Greek and Cyrillic is itself, or a question mark that is counted', () => {
    const letters = [
      ...charsWhere(/\p{L}/u, 0xa0, 0x530),
      ...charsWhere(/\p{L}/u, 0x1d00, 0x2000),
      ...charsWhere(/\p{L}/u, 0x2c60, 0x2c80),
      ...charsWhere(/\p{L}/u, 0xa640, 0xa6a0),
      ...charsWhere(/\p{L}/u, 0xa720, 0xa800),
    ];
    const { rows, substituted } = rowsOf(letters, make, new ShapedText(faces));
    expect(changed(letters, rows)).toEqual([]);
    expect(substituted).toBe(rows.filter((row) => row === '?').length);
    expect(substituted).toBeLessThan(letters.length / 20);
  });

  it('Romanian has commas below its letters, not cedillas, also where nothing is shaped', () => {
    const values = ['București', 'Țară și oraș', 'PREȚ, ȘI'];
    expect(rowsOf(values, make).rows).toEqual(values);
    expect(rowsOf(values, make, new ShapedText(faces)).rows).toEqual(values);
  });

  it('Romanian commas hang free below their letters, and cedillas do not', () => {
    const below = (char: string) => drawBlockLetters(char, 1).bitmap.data.subarray(9);
    for (const letter of 'ȘșȚț') expect([...below(letter)], letter).toEqual([0, 0b01100000]);
    for (const letter of 'ŞşŢţ') expect([...below(letter)], letter).toEqual([0b00100000, 0b01000000]);
    expect(drawBlockLetters('RAȚE', 1).bitmap.height).toBe(11);
    expect(drawBlockLetters('RATE', 1).bitmap.height).toBe(10);
  });

  it('polytonic Greek is itself also where letters have the same dots', () => {
    const values = ['ἆ', 'ἇ', 'ἆ', 'Ἦ ἦ Ἧ ἧ', 'Ἐν ἀρχῇ ἦν ὁ λόγος', 'ὖ', 'ὗ', 'ὗ', 'ὖ'];
    expect(rowsOf(values, make, new ShapedText(faces))).toEqual({ rows: values, substituted: 0 });
  });

  it('every sign of currency is printed or drawn, but those of scripts that no face has, which are counted', () => {
    // The riyal sign came with Unicode 17: a platform may be older.
    const signs = [...new Set([...charsWhere(/\p{Sc}/u, 0, 0x110000), '\u20c1'])];
    const { rows } = rowsOf(signs, make, new ShapedText(faces));
    expect(changed(signs, rows)).toEqual([]);
    const lost = signs.filter((_, at) => rows[at] === '?').map((sign) => sign.codePointAt(0)!.toString(16));
    // NKo, historic Tamil, Wancho and Indic Siyaq.
    const known = ['7fe', '7ff', '11fdd', '11fde', '11fdf', '11fe0', '1e2ff', '1ecb0'];
    expect(lost.filter((code) => !known.includes(code))).toEqual([]);
  });
});

describe('a small letter that has only a capital as block letter', () => {
  it('is not changed to it without a word: it has to be shaped, and is lost and counted where no face has it', () => {
    const lines: Line[] = [{ type: 'text', value: 'Ελλάδα' }];
    const options = resolveOptions({ codePages: 'mpt' });
    expect(render(lines, settings, options)).toMatchObject({ ok: false, error: 'needs_shaping' });
    expect(rowsOf(['ΕΛΛΆΔΑ'], 'mpt')).toEqual({ rows: ['ΕΛΛΆΔΑ'], substituted: 0 });
    expect(rowsOf(['λ'], 'mpt', new ShapedText())).toEqual({ rows: ['?'], substituted: 1 });
  });
});
