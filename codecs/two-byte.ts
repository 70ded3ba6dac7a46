/**
 * Character sets of two bytes a character, which printers for China, Japan, Taiwan and Korea have as a font of 24 by 24 dots.
 * Tables: the decoders of the platform (WHATWG Encoding), read backwards; the ranges of codes are those of the standards.
 */

interface CharacterSet {
  /** Label of the decoder. */
  readonly decoder: string;
  /**
   * First and last code of each range, the first byte being the upper one, and the least second byte: none can be a control
   * character, a digit or a lead byte of a command.
   */
  readonly codes: readonly (readonly [number, number])[];
  readonly leastSecond: number;
  /** Whether the later of two codes of one character is the standard's. */
  readonly laterFirst?: boolean;
}

const SETS = {
  // GB 18030-2000: its codes of two bytes. Those of four bytes are not sent: printers that count two would lose their place.
  // Left out are the codes that it has in the private area of Unicode, and later editions elsewhere.
  gb18030: {
    decoder: 'gb18030',
    codes: [
      [0x8140, 0xa6d8],
      [0xa6e0, 0xa6eb],
      [0xa6ee, 0xa6f2],
      [0xa6f4, 0xa8bb],
      [0xa8bd, 0xfe58],
      [0xfe5a, 0xfe60],
      [0xfe62, 0xfe65],
      [0xfe68, 0xfe6c],
      [0xfe6e, 0xfe7d],
      [0xfe7f, 0xfe8f],
      [0xfe91, 0xfe9f],
    ],
    leastSecond: 0x40,
  },
  // JIS X 0208, without the additions of makers (rows 9 to 15 and from 85 on).
  shift_jis: {
    decoder: 'shift_jis',
    codes: [
      [0x8140, 0x84fc],
      [0x889f, 0x9ffc],
      [0xe040, 0xeaa4],
    ],
    leastSecond: 0x40,
  },
  // Big5 of 1984: symbols, level 1, level 2. Two ideographs are there twice, and the later code is the one in level 1
  // (WHATWG Encoding, index Big5 pointer).
  big5: {
    decoder: 'big5',
    laterFirst: true,
    codes: [
      [0xa140, 0xa3bf],
      [0xa440, 0xc67e],
      [0xc940, 0xf9d5],
    ],
    leastSecond: 0x40,
  },
  // KS X 1001 (formerly KS C 5601), as EUC-KR has it, without the syllables that Microsoft added below A1.
  ks: { decoder: 'euc-kr', codes: [[0xa1a1, 0xfdfe]], leastSecond: 0xa1 },
} as const satisfies Readonly<Record<string, CharacterSet>>;

export type TwoByteSet = keyof typeof SETS;

/** The two-byte font of a printer, as recipe rows name it. */
export type TwoByteFont = TwoByteSet | 'none';

const LF = 0x0a;
const UNASSIGNED = /[\p{Co}\ufffd]/u;

/** At most one for each set, 128 KiB each. */
const tables = new Map<TwoByteSet, Uint16Array>();

/**
 * The table of a set: by character code (UTF-16), the code that prints it, first byte in the upper half; 0 where the set
 * lacks the character. Made at the first call, which takes some milliseconds.
 */
export function twoByteTable(set: TwoByteSet): Uint16Array {
  let table = tables.get(set);
  if (table === undefined) {
    table = new Uint16Array(0x1_0000);
    for (const range of SETS[set].codes) fill(table, SETS[set], range);
    tables.set(set, table);
  }
  return table;
}

/** Decodes each code of a range on a line of its own, so that an invalid one does not move the others. */
function fill(
  table: Uint16Array,
  { decoder, leastSecond, laterFirst = false }: CharacterSet,
  [first, last]: readonly [number, number],
): void {
  const codes: number[] = [];
  for (let code = first; code <= last; code += 1) if ((code & 0xff) >= leastSecond) codes.push(code);
  const bytes = Uint8Array.from(codes.flatMap((code) => [code >> 8, code & 0xff, LF]));
  for (const [at, char] of new TextDecoder(decoder).decode(bytes).split('\n').entries()) {
    const code = char.charCodeAt(0);
    if (char.length === 1 && !UNASSIGNED.test(char) && (laterFirst || table[code] === 0)) table[code] = codes[at]!;
  }
}
