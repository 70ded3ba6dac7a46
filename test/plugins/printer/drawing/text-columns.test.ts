/** The columns that rows of ePOS-Print XML are counted in are those that the node lays text out in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import { EscposEncoder } from '../../../../codecs/escpos-encoder.ts';
import { fontADots } from '../../../../codecs/escpos-line.ts';
import { UNKNOWN } from '../../../../codecs/printable.ts';
import { columnsIn, roomFor } from '../../../../codecs/text-columns.ts';
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

/** Letters that are drawn in words, each as wide as its font has it; marks and signs among them. */
const DRAWN =
  /[\p{sc=Arab}\p{sc=Armn}\p{sc=Beng}\p{sc=Deva}\p{sc=Ethi}\p{sc=Geor}\p{sc=Gujr}\p{sc=Guru}\p{sc=Hebr}\p{sc=Khmr}\p{sc=Knda}\p{sc=Laoo}\p{sc=Mlym}\p{sc=Mymr}\p{sc=Orya}\p{sc=Sinh}\p{sc=Taml}\p{sc=Telu}\p{sc=Thaa}\p{sc=Thai}]|[\u0589-\u066d\u06d4-\u06ff\u0964\u0965\u0e3f\u10fb\u1cd0-\u1cff\ua830-\ua839\ufd3e\ufd3f]/u;

it('letters, signs, East Asian characters and emoji are as wide as the node lays them out', () => {
  const all = [
    ...characters(0x21, 0x9fff),
    ...characters(0xa000, 0xabff),
    // Of the syllables of Hangul each is as wide.
    ...characters(0xac00, 0xac7f),
    ...characters(0xfb00, 0xffff),
    ...characters(0x10000, 0x1ffff),
  ];
  // What takes no column is counted as one.
  expect(different(all.filter((each) => !DRAWN.test(each))).join('')).toBe('⁄⸼');
});

it('words that are drawn have the room that the node takes for them', () => {
  const words = [
    ...[
      'שלום',
      'קפה הפוך גדול',
      'עוגת שוקולד',
      'مرحبا',
      'قهوة عربية كبيرة',
      'شاي بالنعناع',
      'کیک شکلاتی',
      'Սուրճ',
      'Շոկոլադե տորթ',
    ],
    ...[
      'გამარჯობა',
      'ყავა რძით',
      'შოკოლადის ტორტი',
      'สวัสดี',
      'กาแฟเย็น',
      'ชาเขียวร้อน',
      'नमस्ते',
      'कॉफ़ी दूध वाली',
      'चॉकलेट केक',
      'কফি দুধ',
    ],
    ...['চকলেট কেক', 'ਕੌਫੀ ਦੁੱਧ', 'કોફી દૂધ', 'காபி பால்', 'சாக்லேட் கேக்', 'కాఫీ పాలు', 'ಕಾಫಿ ಹಾಲು', 'കാപ്പി പാൽ', 'කෝපි කිරි', 'ກາເຟນົມ'],
    ...['ကော်ဖီ နို့', 'កាហ្វេទឹកដោះគោ', 'ቡና ወተት', 'ކޮފީ ކިރު', 'Ὠδή ᾼ', 'ﬁltro'],
  ];
  const rooms = words.map((word) => ({ word, room: roomFor(`${word} 1`), takes: columnsOf(`${word} 1`) }));
  expect(rooms.filter(({ room, takes = 0 }) => room < takes || room > takes * 1.6)).toEqual([]);
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
