/**
 * Letters that the node draws itself: five columns of seven dots, with room for marks above and below. They make the
 * banner, and they stand in the line (ESC *) for characters that no code page of a printer has.
 */
import type { Bitmap } from './raster.ts';

/** Five columns as hexadecimal bytes, bit 0 on top. Written as `A7c1211127c`: the character, then its columns. */
const DRAWN = `!00005f0000 "0007000700 #147f147f14 $242a7f2a12 %2313086462 &3649562050 '0000070000 (001c224100 )0041221c00
*2a1c7f1c2a +08083e0808 ,0050300000 -0008080800 .0060600000 /2010080402 03e5149453e 100427f4000 27249494946
32141494d33 41814127f10 52745454539 63c4a494931 74121110907 83649494936 9464949291e :0036360000 ;0056360000
<0814224100 =1414141414 >0041221408 ?0201590906 @3e415d594e A7c1211127c B7f49494936 C3e41414122 D7f4141413e
E7f49494941 F7f09090901 G3e41415173 H7f0808087f I00417f4100 J2040413f01 K7f08142241 L7f40404040 M7f021c027f
N7f0408107f O3e4141413e P7f09090906 Q3e4151215e R7f09192946 S2649494932 T01017f0101 U3f4040403f V1f2040201f
W3f4038403f X6314081463 Y0304780403 Z6151494543 [007f414100 \\0204081020 ]0041417f00 ^0402010204 _4040404040
\`0001020400 a2054545478 b7f48444438 c3844444420 d384444487f e3854545418 f087e090102 g0c5252523e h7f08040478
i00447d4000 j2040443d00 k7f10284400 l00417f4000 m7c04180478 n7c08040478 o3844444438 p7c14141408 q081414187c
r7c08040408 s4854545420 t043f444020 u3c4040207c v1c2040201c w3c4030403c x4428102844 y0c5050503c z4464544c44
{0008364100 |00007f0000 }0041360800 ~0201020402
€143e555541 £487e494142 ¥15167c1615 ¢1c227f2214 §0a55555528 °0006090906 «08142a1422 »22142a1408 ¡00007d0000
¿30484d4020 Æ7c0a7f4949 æ2454785458 Ø5c322a261d ø7864544c3c ß7e01494a34 Ł087f444240 ł00487f4400 Đ087f49413e
đ3844467f02 Ð087f49413e ð304a4d4a3c Þ7f2222221c þ7e24242418 Œ3e417f4941 œ3844385458 ı00447c4000 –0808080808
—0808080808 ‘0006010000 ’0004030000 “0601000601 ”0403000403 ‚0040300000 „4030004030 …4000400040 •001c1c1c00
·0000080000 ←081c2a0808 ↑04027f0204 →08082a1c08 ↓10207f2010 ✓1020100c03 ✔1020100c03 ×2214081422 ✗2214081422
✘2214081422 ☐7f4141417f ☑7f5161594f ★4c3c1f3c4c ♥0e1f3e1f0e ●1c3e3e3e1c ○1c2222221c ▲303c3f3c30 ▼061e7e1e06
₹0515354f05 ₺147e4a4520 ₽287f290906 ₴36555d5536
Б7f49494931 Г7f01010101 Д603e213f60 Ж77087f0877 З2241494936 И7f1008047f Л403e01017f П7f0101017f У274848483f
Ф0e117f110e Ц3f20203f60 Ч070808087f Ш7f407f407f Щ3f203f207f Ъ017f484830 Ы7f4848307f Ь7f48484830 Э224149493e
Ю7f083e413e Я462919097f Є3e49494122 Ґ7e02020203 Δ605c435c60 Θ3e4949493e Λ700c030c70 Ξ4149494941 Σ6355494141
Ψ07087f0807 Ω5e6101615e
Ђ017f094930 Љ7e017f4830 Њ7f087f4830 Ћ017f090970 Џ3f2060203f`;

/** Small letters for the line only: a banner has Cyrillic in capitals. */
const SMALL = `і00447d4000 ј2040443d00 ѕ4854545420 ђ027f0a4830 љ78047c5020 њ7c107c5020 ћ027f0a0870 џ3c2060203c г7c04040404
ґ7c04040406 к7c10284400`;

/** Letters of other alphabets that look like one drawn above. */
const TWINS = ['АВЕКМНОРСТХІЈЅ ABEKMHOPCTXIJS', 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧΓΠΦ ABEZHIKMNOPTYXГПФ'];

/** Combining marks: two rows above the letter (bit 0 on top), or the row below it. */
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
  '\u0326': [0, 1, 1, 0, 0],
  '\u0327': [0, 1, 1, 0, 0],
  '\u0328': [0, 0, 0, 1, 1],
};

const COLUMNS = 5;
/** Two rows for marks above, seven for the letter, one for marks below. */
const LETTER_ROWS = 10;
/** A letter and the gap to the next, in columns. */
export const LETTER_PITCH = COLUMNS + 1;

type Letters = Map<string, readonly number[]>;

const drawn = (letters: string): Letters =>
  new Map(
    letters.split(/\s/).map((entry) => {
      const columns = entry.slice(1).match(/../g) ?? [];
      return [entry.charAt(0), columns.map((byte) => Number.parseInt(byte, 16))];
    }),
  );

const letters = drawn(DRAWN).set(' ', [0, 0, 0, 0, 0]);
for (const [others = '', twins = ''] of TWINS.map((pair) => pair.split(' '))) {
  for (const [index, twin] of [...twins].entries()) letters.set(others.charAt(index), letters.get(twin) ?? []);
}
const smallLetters = drawn(SMALL);

/** Latin, Greek and Cyrillic letters with their accents are below. */
const BEYOND_ALPHABETS = '\u2000';

/** Five columns of `LETTER_ROWS` dots, bit 0 on top; undefined where there is no drawing. */
export function blockLetter(char: string, inLine = false): readonly number[] | undefined {
  const whole = letters.has(char);
  if (!whole && char >= BEYOND_ALPHABETS) return undefined;
  const [first = '', ...marks] = whole ? char : char.normalize('NFD');
  // Small letters that are not drawn are shown as capitals.
  const small = inLine ? smallLetters.get(first) : undefined;
  const base = small ?? letters.get(first) ?? letters.get(first.toUpperCase());
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
 * A letter as data of a 24-dot bit image (ESC *, m 33): three bytes a column, the most significant bit on top.
 * Dots come in aligned pairs, so that no byte is a DLE (10).
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

/** One row of block letters, `scale` dots to a dot of the drawing. */
export function drawBlockLetters(text: string, scale: number): { readonly bitmap: Bitmap; readonly missing: number } {
  const chars = [...text];
  const width = Math.max(1, (chars.length * LETTER_PITCH - 1) * scale);
  const bytes = Math.ceil(width / 8);
  const data = new Uint8Array(bytes * LETTER_ROWS * scale);
  let missing = 0;
  for (const [index, char] of chars.entries()) {
    let columns = blockLetter(char);
    if (columns === undefined) {
      missing += 1;
      columns = blockLetter('?') ?? [];
    }
    for (const [x, column] of columns.entries()) {
      const left = (index * LETTER_PITCH + x) * scale;
      for (let row = 0; row < LETTER_ROWS; row += 1) {
        if (((column >> row) & 1) === 0) continue;
        for (let dot = left; dot < left + scale; dot += 1) {
          const at = row * scale * bytes + (dot >> 3);
          data[at] = (data[at] ?? 0) | (0x80 >> (dot & 7));
        }
      }
    }
  }
  for (let row = 0; row < LETTER_ROWS; row += 1) {
    const from = row * scale * bytes;
    for (let copy = 1; copy < scale; copy += 1) data.copyWithin(from + copy * bytes, from, from + bytes);
  }
  return { bitmap: { width, height: LETTER_ROWS * scale, data }, missing };
}
