/**
 * Block letters, which the node prints as pictures: five columns of seven dots, with room for marks above and below. They
 * print the banner, and characters within a line (ESC *) that no code page of the printer has.
 */
import type { Bitmap } from './raster.ts';

/**
 * The glyphs: a row of characters, then seven rows with their dots. They are this project's own, drawn for it and taken from
 * no font.
 */
const DRAWN = `
!     "     #     $     %     &     '     (     )     *     +     ,     -     .     /     0     1     2     3     4
..#.. .#.#. ..... ..#.. ##..# .##.. ..#.. ...#. .#... ..... ..... ..... ..... ..... ....# .###. ..#.. .###. ####. #..#.
..#.. .#.#. .#.#. .###. ##.#. #..#. ..#.. ..#.. ..#.. ..#.. ..#.. ..... ..... ..... ....# #...# .##.. #...# ....# #..#.
..#.. ..... ##### #.#.. ...#. #..#. ..... ..#.. ..#.. #.#.# ..#.. ..... ..... ..... ...#. #...# #.#.. ....# ....# #..#.
..#.. ..... .#.#. .###. ..#.. .##.. ..... ..#.. ..#.. .###. ##### ..... .###. ..... ..#.. #.#.# ..#.. ...#. .###. #####
..... ..... ##### ..#.# .#... #..## ..... ..#.. ..#.. .#.#. ..#.. ..##. ..... ..... .#... #...# ..#.. ..#.. ....# ...#.
..#.. ..... .#.#. .###. .#.## #..#. ..... ..#.. ..#.. #...# ..#.. ..##. ..... ..##. #.... #...# ..#.. .#... ....# ...#.
..#.. ..... ..... ..#.. #..## .##.# ..... ...#. .#... ..... ..... .##.. ..... ..##. #.... .###. ##### ##### ####. ...#.
5     6     7     8     9     :     ;     <     =     >     ?     @     A     B     C     D     E     F     G     H
##### .###. ##### .###. .###. ..... ..... ...#. ..... .#... .###. .###. .###. ####. .#### ####. ##### ##### .#### #...#
#.... #.... ....# #...# #...# ..##. ..##. ..#.. ..... ..#.. #...# #...# #...# #...# #.... #...# #.... #.... #.... #...#
#.... #.... ...#. #...# #...# ..##. ..##. .#... ##### ...#. ....# #.### #...# #...# #.... #...# #.... #.... #.... #...#
####. ####. ...#. .###. .#### ..... ..... #.... ..... ....# ..##. #.#.# ##### ####. #.... #...# ####. ####. #.### #####
....# #...# ..#.. #...# ....# ..##. ..##. .#... ##### ...#. ..#.. #.### #...# #...# #.... #...# #.... #.... #...# #...#
....# #...# ..#.. #...# ....# ..##. ..##. ..#.. ..... ..#.. ..... #.... #...# #...# #.... #...# #.... #.... #...# #...#
####. .###. ..#.. .###. .###. ..... .##.. ...#. ..... .#... ..#.. .#### #...# ####. .#### ####. ##### #.... .#### #...#
I     J     K     L     M     N     O     P     Q     R     S     T     U     V     W     X     Y     Z     [     \\
##### ..### #...# #.... #...# #...# .###. ####. .###. ####. .#### ##### #...# #...# #...# #...# #...# ##### ..##. #....
..#.. ....# #..#. #.... ##.## ##..# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# #...# #...# ....# ..#.. #....
..#.. ....# #.#.. #.... ##.## ##..# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. #...# ...#. ..#.. .#...
..#.. ....# ##... #.... #.#.# #.#.# #...# ####. #...# ####. .###. ..#.. #...# .#.#. #.#.# ..#.. .###. ..#.. ..#.. ..#..
..#.. ....# #.#.. #.... #.#.# #..## #...# #.... #.#.# #..#. ....# ..#.. #...# .#.#. #.#.# .#.#. ..#.. .#... ..#.. ...#.
..#.. #...# #..#. #.... #...# #..## #...# #.... .###. #...# ....# ..#.. #...# .#.#. ##.## #...# ..#.. #.... ..#.. ....#
##### .###. #...# ##### #...# #...# .###. #.... ...## #...# ####. ..#.. .###. ..#.. #...# #...# ..#.. ##### ..##. ....#
]     ^     _     \`     a     b     c     d     e     f     g     h     i     j     k     l     m     n     o     p
.##.. ..#.. ..... .#... ..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#. #.... .##.. ..... ..... ..... .....
..#.. .#.#. ..... ..#.. ..... #.... ..... ....# ..... .#... ..... #.... ..... ..... #.... ..#.. ..... ..... ..... .....
..#.. #...# ..... ..... .###. ####. .#### .#### .###. ####. .#### ####. .##.. ..##. #..#. ..#.. ####. ####. .###. ####.
..#.. ..... ..... ..... ....# #...# #.... #...# #...# .#... #...# #...# ..#.. ...#. #.#.. ..#.. #.#.# #...# #...# #...#
..#.. ..... ..... ..... .#### #...# #.... #...# ##### .#... .#### #...# ..#.. ...#. ###.. ..#.. #.#.# #...# #...# ####.
..#.. ..... ..... ..... #...# #...# #.... #...# #.... .#... ....# #...# ..#.. ...#. #..#. ..#.. #.#.# #...# #...# #....
.##.. ..... ##### ..... .#### ####. .#### .#### .#### .#... .###. #...# .###. ###.. #...# ..### #.#.# #...# .###. #....
q     r     s     t     u     v     w     x     y     z     {     |     }     ~     €     £     ¥     ¢     §     °
..... ..... ..... .#... ..... ..... ..... ..... ..... ..... ..##. ..#.. .##.. ..... ..### ..##. #...# ..#.. .###. ..##.
..... ..... ..... .#... ..... ..... ..... ..... ..... ..... ..#.. ..#.. ..#.. ..... .#... .#..# .#.#. .#### #.... .#..#
.#### #.### .#### ####. #...# #...# #...# #...# #...# ##### ..#.. ..#.. ..#.. .##.# ####. .#... ..#.. #.#.. .###. .#..#
#...# ##... #.... .#... #...# #...# #.#.# .#.#. #...# ...#. .#... ..#.. ...#. #..#. .#... ###.. ##### #.#.. #...# ..##.
.#### #.... .###. .#... #...# .#.#. #.#.# ..#.. .#### ..#.. ..#.. ..#.. ..#.. ..... ####. .#... ..#.. #.#.. .###. .....
....# #.... ....# .#... #...# .#.#. #.#.# .#.#. ....# .#... ..#.. ..#.. ..#.. ..... .#... .#... ##### .#### ....# .....
....# #.... ####. ..##. .#### ..#.. .#.#. #...# .###. ##### ..##. ..#.. .##.. ..... ..### ##### ..#.. ..#.. .###. .....
«     »     ¡     ¿     Æ     æ     Ø     ø     ß     Ł     ł     Đ     đ     Ð     ð     Þ     þ     Œ     œ     ı
..... ..... ..#.. ..#.. ..### ..... ....# ..... .##.. .#... ..#.. .###. ...#. .###. ..#.. #.... ..... .#### ..... .....
..... ..... ..#.. ..... .##.. ..... .###. ..... #..#. .#.#. ..#.. .#..# ..### .#..# .#.#. ####. #.... #.#.. ..... .....
..#.# #.#.. ..... ..#.. #.#.. ##.#. #..## .#### #...# .##.. ..##. .#..# .###. .#..# ..#.# #...# ####. #.#.. .#.#. .##..
.#.#. .#.#. ..#.. .##.. ##### ..#.# #.#.# #..## #.##. ##... .##.. ###.# #..#. ###.# .#### #...# #...# #.##. #.#.# ..#..
#.#.. ..#.# ..#.. #.... #.#.. .#### ##..# #.#.# #...# .#... ..#.. .#..# #..#. .#..# #...# #...# #...# #.#.. #.### ..#..
.#.#. .#.#. ..#.. #...# #.#.. #.#.. .###. ##..# #...# .#... ..#.. .#..# #..#. .#..# #...# ####. ####. #.#.. #.#.. ..#..
..#.# #.#.. ..#.. .###. #.### .#### #.... ####. #.##. .#### .###. .###. .###. .###. .###. #.... #.... .#### .#.## .###.
–     —     ‘     ’     “     ”     ‚     „     …     •     ·     ←     ↑     →     ↓     ✓     ✔     ×     ✗     ✘
..... ..... ..#.. ..#.. .#..# .#..# ..... ..... ..... ..... ..... ..... ..#.. ..... ..#.. ....# ....# ..... ..... .....
..... ..... .#... ..#.. #..#. .#..# ..... ..... ..... ..... ..... ..#.. .###. ..#.. ..#.. ....# ....# #...# #...# #...#
..... ..... .#... .#... #..#. #..#. ..... ..... ..... .###. ..... .##.. ##### ..##. ..#.. ...#. ...#. .#.#. .#.#. .#.#.
##### ##### ..... ..... ..... ..... ..... ..... ..... .###. ..#.. ##### ..#.. ##### ..#.. ...#. ...#. ..#.. ..#.. ..#..
..... ..... ..... ..... ..... ..... ..#.. .#..# ..... .###. ..... .##.. ..#.. ..##. ##### #.#.. #.#.. .#.#. .#.#. .#.#.
..... ..... ..... ..... ..... ..... ..#.. .#..# ..... ..... ..... ..#.. ..#.. ..#.. .###. .#... .#... #...# #...# #...#
..... ..... ..... ..... ..... ..... .#... #..#. #.#.# ..... ..... ..... ..#.. ..... ..#.. ..... ..... ..... ..... .....
☐     ☑     ★     ♥     ●     ○     ▲     ▼     ₹     ₺     ₽     ₴     Б     Г     Д     Ж     З     И     Л     П
##### ##### ..#.. ..... ..... ..... ..#.. ..... ##### ...#. .###. .###. ##### ##### ..##. #.#.# .###. #...# ..### #####
#...# #...# ..#.. ##.## .###. .###. ..#.. ##### ...#. .##.. .#..# #...# #.... #.... .#.#. #.#.# #...# #...# .#..# #...#
#...# #...# ##### ##### ##### #...# .###. ##### ##### ##.#. .#..# ##### #.... #.... .#.#. #.#.# ....# #..## .#..# #...#
#...# #..## ##### ##### ##### #...# .###. .###. ...#. .##.. ####. ..#.. ####. #.... .#.#. .###. ..##. #.#.# .#..# #...#
#...# ##.#. .###. .###. ##### #...# ##### .###. .##.. ##... .#... ##### #...# #.... .#.#. #.#.# ....# ##..# .#..# #...#
#...# #.#.. .#.#. ..#.. .###. .###. ##### ..#.. ..#.. .#..# ###.. #...# #...# #.... ##### #.#.# #...# #...# .#..# #...#
##### ##### #...# ..... ..... ..... ..... ..#.. ...#. .###. .#... .###. ####. #.... #...# #.#.# .###. #...# #...# #...#
У     Ф     Ц     Ч     Ш     Щ     Ъ     Ы     Ь     Э     Ю     Я     Є     Ґ     Δ     Θ     Λ     Ξ     Σ     Ψ
#...# .###. #..#. #...# #.#.# #.#.# ##... #...# #.... .###. #..#. .#### .###. ....# ..#.. .###. ..#.. ##### ##### #.#.#
#...# #.#.# #..#. #...# #.#.# #.#.# .#... #...# #.... #...# #.#.# #...# #...# ##### ..#.. #...# ..#.. ..... #.... #.#.#
#...# #.#.# #..#. #...# #.#.# #.#.# .#... #...# #.... ....# #.#.# #...# #.... #.... .#.#. #...# .#.#. ..... .#... #.#.#
.#### #.#.# #..#. .#### #.#.# #.#.# .###. ###.# ####. ..### ###.# .#### ###.. #.... .#.#. ##### .#.#. .###. ..#.. .###.
....# .###. #..#. ....# #.#.# #.#.# .#..# #..## #...# ....# #.#.# ..#.# #.... #.... .#.#. #...# #...# ..... .#... ..#..
#...# ..#.. ##### ....# #.#.# ##### .#..# #..## #...# #...# #.#.# .#..# #...# #.... #...# #...# #...# ..... #.... ..#..
.###. ..#.. ....# ....# ##### ....# .###. ###.# ####. .###. #..#. #...# .###. #.... ##### .###. #...# ##### ##### ..#..
Ω     Ђ     Љ     Њ     Ћ     Џ     ⃁
.###. ####. .##.. #.#.. ####. #...# .#.#.
#...# .#... #.#.. #.#.. .#... #...# .#.#.
#...# .#... #.#.. #.#.. .#... #...# .#.##
#...# .###. #.##. ####. .###. #...# ####.
#...# .#..# #.#.# #.#.# .#..# #...# .#.##
.#.#. .#..# #.#.# #.#.# .#..# ##### ####.
##.## .#.#. #.##. #.##. .#..# ..#.. #..##`;

/** Small letters, used within a line only: a banner prints Cyrillic in capitals. */
const SMALL = `
і     ј     ѕ     ђ     љ     њ     ћ     џ     г     ґ     к
..#.. ...#. ..... .#... ..... ..... .#... ..... ..... ..... .....
..... ..... ..... ###.. ..... ..... ###.. ..... ..... ....# .....
.##.. ..##. .###. .#... .##.. #.#.. .#... #...# ##### ##### #..#.
..#.. ...#. #.... .###. #.#.. #.#.. .###. #...# #.... #.... #.#..
..#.. ...#. .###. .#..# #.##. ####. .#..# #...# #.... #.... ##...
..#.. #..#. ....# .#..# #.#.# #.#.# .#..# ##### #.... #.... #.#..
.###. .##.. ####. .#.#. #.##. #.##. .#..# ..#.. #.... #.... #..#.`;

/** Letters of other alphabets that look like a drawn one, which is used for them. */
const TWINS = ['АВЕКМНОРСТХІЈЅ ABEKMHOPCTXIJS', 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧΓΠΦ ABEZHIKMNOPTYXГПФ'];

/** Combining marks: two rows above the letter, or two below it; bit 0 on top. A comma hangs free, a cedilla and an ogonek do not. */
const ABOVE: Readonly<Record<string, readonly number[]>> = {
  '\u0300': [0, 1, 2, 0, 0],
  '\u0301': [0, 0, 2, 1, 0],
  '\u0302': [0, 2, 1, 2, 0],
  '\u0303': [2, 1, 1, 2, 1],
  '\u0304': [0, 1, 1, 1, 0],
  '\u0306': [1, 2, 2, 2, 1],
  '\u0307': [0, 0, 1, 0, 0],
  '\u0308': [0, 1, 0, 1, 0],
  '\u030a': [0, 3, 3, 3, 0],
  '\u030b': [2, 1, 0, 2, 1],
  '\u030c': [0, 1, 2, 1, 0],
};
const BELOW: Readonly<Record<string, readonly number[]>> = {
  '\u0326': [0, 2, 2, 0, 0],
  '\u0327': [0, 2, 1, 0, 0],
  '\u0328': [0, 0, 0, 1, 1],
};

const COLUMNS = 5;
const ROWS = 7;
/** Two rows for marks above, seven for the letter, one or two for marks below. */
const LETTER_ROWS = 11;
/** Rows of a banner without a mark that takes two rows. */
const BANNER_ROWS = 10;
/** Width of a letter with the gap to the next, in columns of dots. */
export const LETTER_PITCH = COLUMNS + 1;

type Letters = Map<string, readonly number[]>;

/** Five columns of each letter, bit 0 on top. */
function drawn(picture: string): Letters {
  const letters: Letters = new Map();
  const lines = picture.split('\n').slice(1);
  for (let first = 0; first < lines.length; first += 1 + ROWS) {
    const rows = lines.slice(first + 1, first + 1 + ROWS);
    for (const [index, char] of [...(lines[first] ?? '')].entries()) {
      if (char === ' ') continue;
      const columns = Array.from({ length: COLUMNS }, (_, x) =>
        rows.reduce((dots, row, y) => dots | (row.charAt(index + x) === '#' ? 1 << y : 0), 0),
      );
      letters.set(char, columns);
    }
  }
  return letters;
}

const NO_INK = [0, 0, 0, 0, 0];

interface Alphabet {
  readonly letters: Letters;
  readonly small: Letters;
}

function drawnAlphabet(): Alphabet {
  const letters = drawn(DRAWN).set(' ', NO_INK).set('\u00a0', NO_INK);
  for (const [others = '', twins = ''] of TWINS.map((pair) => pair.split(' '))) {
    for (const [index, twin] of [...twins].entries()) letters.set(others.charAt(index), letters.get(twin) ?? []);
  }
  return { letters, small: drawn(SMALL) };
}

/** Read when the first letter is printed. */
let alphabet: Alphabet | undefined;

/** Latin, Greek and Cyrillic letters with their accents are below. */
const BEYOND_ALPHABETS = '\u2000';

/** In a banner, small letters that are not drawn are shown as capitals. Within a line a letter is never another one. */
const capital = (char: string, letters: Letters): string => (letters.has(char) ? char : char.toUpperCase());

/** Five columns of `LETTER_ROWS` dots, bit 0 on top; undefined where `char` has no drawing. `inLine`: within a line. */
export function blockLetter(char: string, inLine = false): readonly number[] | undefined {
  alphabet ??= drawnAlphabet();
  const { letters, small: smallLetters } = alphabet;
  const whole = letters.has(char);
  if (!whole && char >= BEYOND_ALPHABETS) return undefined;
  const [first = '', ...marks] = whole ? char : char.normalize('NFD');
  // Two marks would lie on each other.
  if (marks.length > 1) return undefined;
  const base = (inLine ? smallLetters.get(first) : undefined) ?? letters.get(inLine ? first : capital(first, letters));
  if (base === undefined) return undefined;
  let columns = base.map((column) => column << 2);
  for (const mark of marks) {
    const above = ABOVE[mark];
    const below = BELOW[mark];
    if (above !== undefined) {
      if (first === 'i' || first === 'j') columns = columns.map((column) => column & ~0b1100);
      const low = columns.every((column) => (column & 0b1100) === 0) ? 2 : 0;
      columns = columns.map((column, x) => column | ((above[x] ?? 0) << low));
    } else if (below !== undefined) {
      columns = columns.map((column, x) => column | ((below[x] ?? 0) << 9));
    } else return undefined;
  }
  return columns;
}

/** Rows and columns of the character cell that a letter is drawn into, at two dots each. */
const CELL = 12;

/**
 * A letter, `width` dots wide, as data of a 24-dot bit image (ESC *, m 33): three bytes a column, the most significant bit
 * on top. Undefined where it has no drawing. Dots come in aligned pairs, so that no byte is a DLE (10).
 */
export function inlineGlyph(char: string, width: number): Uint8Array | undefined {
  const columns = blockLetter(char, true);
  if (columns === undefined) return undefined;
  const image = new Uint8Array(width * 3);
  for (let x = 0; x < width; x += 1) {
    const column = columns[(Math.floor((x * CELL) / width) - 1) >> 1] ?? 0;
    for (let row = 0; row < LETTER_ROWS; row += 1) {
      if (((column >> row) & 1) === 0) continue;
      const dot = 2 + 2 * row;
      const at = 3 * x + (dot >> 3);
      image[at] = (image[at] ?? 0) | (0b11000000 >> (dot & 7));
    }
  }
  return image;
}

/**
 * One row of block letters; a dot of the drawing is `scale` dots. `missing`: characters without a drawing. `trimmed`: without
 * the white columns of its first and its last letter, so that its middle is that of its ink.
 */
export function drawBlockLetters(
  text: string,
  scale: number,
  trimmed = false,
): { readonly bitmap: Bitmap; readonly missing: number } {
  const chars = [...text];
  let missing = 0;
  const letters = chars.map((char) => {
    const letter = blockLetter(char);
    if (letter === undefined) missing += 1;
    return letter ?? blockLetter('?') ?? [];
  });
  const before = trimmed ? Math.max(0, letters[0]?.findIndex(Boolean) ?? 0) : 0;
  const last = letters.at(-1)?.findLastIndex(Boolean) ?? -1;
  const after = trimmed && last >= 0 ? COLUMNS - 1 - last : 0;
  const width = Math.max(1, (chars.length * LETTER_PITCH - 1 - before - after) * scale);
  const bytes = Math.ceil(width / 8);
  const rows = letters.flat().some((column) => column >> BANNER_ROWS !== 0) ? LETTER_ROWS : BANNER_ROWS;
  const data = new Uint8Array(bytes * rows * scale);
  for (const [index, columns] of letters.entries()) {
    for (const [x, column] of columns.entries()) {
      if (column === 0) continue;
      const left = (index * LETTER_PITCH + x - before) * scale;
      for (let row = 0; row < rows; row += 1) {
        if (((column >> row) & 1) === 0) continue;
        for (let dot = left; dot < left + scale; dot += 1) {
          const at = row * scale * bytes + (dot >> 3);
          data[at] = (data[at] ?? 0) | (0x80 >> (dot & 7));
        }
      }
    }
  }
  for (let row = 0; row < rows; row += 1) {
    const from = row * scale * bytes;
    for (let copy = 1; copy < scale; copy += 1) data.copyWithin(from + copy * bytes, from, from + bytes);
  }
  return { bitmap: { width, height: rows * scale, data }, missing };
}
