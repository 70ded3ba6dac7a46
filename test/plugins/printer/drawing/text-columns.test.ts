/** The columns that rows of ePOS-Print XML are counted in are those that the node lays text out in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import { EscposEncoder } from '../../../../codecs/escpos-encoder.ts';
import { fontADots } from '../../../../codecs/escpos-line.ts';
import { UNKNOWN } from '../../../../codecs/printable.ts';
import { columnsIn } from '../../../../codecs/text-columns.ts';
import { Pack } from '../../../../plugins/printer/drawing/pack.ts';
import { PackTypesetter } from '../../../../plugins/printer/drawing/typesetter.ts';
import { Routes } from '../../../../plugins/printer/layout/shaped/routes.ts';
import { textRowsOf } from '../../../../plugins/printer/layout/shaped/rows.ts';
import { emojiSequences } from '../../../../runtime/assembly/page/fonts/emoji.ts';
import { writeFonts } from '../../../../runtime/assembly/page/fonts/write-pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'tillnode-text-columns-'));
const CELL = 12;
let columnsOf: (text: string) => number | undefined;
/** The emoji that the node draws as one with others. */
let joined: number[];
beforeAll(() => {
  writeFonts(folder, 'all');
  const pack = new Pack(join(folder, 'fonts.pack'));
  joined = [...new Set(pack.faces.flatMap(({ sequences }) => sequences).join(''))].map((each) => each.codePointAt(0)!);
  const typesetter = new PackTypesetter(pack);
  const options = resolveOptions();
  const { codePages: make, twoByte, dots, textOnly } = options;
  const encoder = new EscposEncoder(
    { make, twoByte, dots, textOnly, fontADots: fontADots(options), placed: false },
    65_536,
    1024,
  );
  const style = { width: 1, height: 1, cell: CELL, bold: false };
  const routes = new Routes(encoder, twoByte, typesetter);
  const measures = { routes, typesetter, style, width: 4096, margin: 0, trim: false, bytesLeft: () => 65_536 };
  columnsOf = (text) => {
    const [row] = textRowsOf(text, measures);
    // What no face has is a question mark.
    return row === undefined || row.text.includes(UNKNOWN) ? undefined : row.advance / CELL;
  };
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const characters = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).filter(
    (each) => !/[\p{C}\p{M}\p{Z}]/u.test(each),
  );
const different = (texts: readonly string[]) =>
  texts.filter((text) => ![undefined, columnsIn(text)].includes(columnsOf(text)));

it('signs, East Asian characters and emoji are as wide as the node lays them out', () => {
  const signs = [
    ...characters(0x21, 0x1a1),
    ...characters(0x370, 0x467),
    ...characters(0x2010, 0x2bff),
    ...characters(0x2e80, 0x9fff),
    ...characters(0xac00, 0xd7a3),
    ...characters(0xfe30, 0xfe6b),
    ...characters(0xff01, 0xff9d),
    ...characters(0x1f300, 0x1f64f),
    ...characters(0x1f900, 0x1faff),
  ];
  // Brackets of formulas and what else takes three columns, or none.
  expect(different(signs).join('')).toBe('‱⁄⅒⏜⏝⏞⏟⏠⏡〿');
});

it('emoji with what stands behind them, flags and families are as wide as the node lays them out', () => {
  const emoji = [...characters(0x23, 0x39), ...characters(0xa9, 0x3299), ...characters(0x1f000, 0x1faff)].filter(
    (each) => /\p{Emoji}/u.test(each),
  );
  expect(emoji.length).toBeGreaterThan(1000);
  // Of all emoji, these would be millions of pairs, each compared with all that Unicode joins.
  const sequences = emojiSequences(joined);
  expect(sequences.length).toBeGreaterThan(400);
  const selected = emoji.flatMap((each) => [each, `${each}\ufe0f`, `${each}\ufe0e`]);
  const bases = emoji.filter((each) => /\p{Emoji_Modifier_Base}/u.test(each)).map((each) => `${each}\u{1f3fd}`);
  expect(different([...sequences, ...selected, ...bases])).toEqual([]);
});
