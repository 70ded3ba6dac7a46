/**
 * Encodes a baseline JPEG (ITU-T T.81) of grey squares of 8x8 dots. Each square has a DC coefficient only, so that no cosine
 * transform is needed.
 */
import { Buffer } from 'node:buffer';
import { type HuffmanTable, huffmanSegment, LUMINANCE_AC, LUMINANCE_DC } from './mjpeg.ts';

interface Code {
  readonly bits: number;
  readonly length: number;
}

/** Huffman codes by value (T.81, annex C). */
function codesOf({ counts, values }: HuffmanTable): ReadonlyMap<number, Code> {
  const codes = new Map<number, Code>();
  let bits = 0;
  counts.forEach((count, index) => {
    for (let n = 0; n < count; n += 1) {
      codes.set(values[codes.size] ?? 0, { bits, length: index + 1 });
      bits += 1;
    }
    bits <<= 1;
  });
  return codes;
}

const CATEGORIES = codesOf(LUMINANCE_DC);
const END_OF_BLOCK = codesOf(LUMINANCE_AC).get(0) ?? { bits: 0, length: 0 };

const u16 = (value: number) => [value >> 8, value & 0xff];
const segment = (marker: number, body: readonly number[]) => [0xff, marker, ...u16(body.length + 2), ...body];

export interface GreyPicture {
  /** Dots. */
  readonly width: number;
  readonly height: number;
  /** Grey of the square in this column and row: 0 black, 255 white. */
  readonly grey: (column: number, row: number) => number;
  /** Step between greys, 1 (all of them) to 31. */
  readonly step: number;
  /** False: without Huffman tables, as many cameras send pictures. */
  readonly huffmanTables?: boolean;
}

/** The JPEG file of this picture. */
export function greyJpeg({ width, height, grey, step, huffmanTables = true }: GreyPicture): Buffer {
  // A DC coefficient is eight times the mean of its square (T.81, A.3.3).
  const head = [
    ...[0xff, 0xd8, ...segment(0xdb, [0, ...new Array<number>(64).fill(8 * step)])],
    ...segment(0xc0, [8, ...u16(height), ...u16(width), 1, 1, 0x11, 0]),
    ...(huffmanTables ? huffmanSegment([LUMINANCE_DC, LUMINANCE_AC]) : []),
    ...segment(0xda, [1, 1, 0x00, 0, 63, 0]),
  ];
  const scan: number[] = [];
  let held = 0;
  let count = 0;
  const put = ({ bits, length }: Code) => {
    held = (held << length) | bits;
    count += length;
    while (count >= 8) {
      count -= 8;
      const byte = held >> count;
      // A zero follows a data byte FF, which is no marker then (T.81, B.1.1.5).
      scan.push(...(byte === 0xff ? [0xff, 0] : [byte]));
      held &= (1 << count) - 1;
    }
  };
  let before = 0;
  for (let row = 0; row < Math.ceil(height / 8); row += 1) {
    for (let column = 0; column < Math.ceil(width / 8); column += 1) {
      const level = Math.round((grey(column, row) - 128) / step);
      const difference = level - before;
      before = level;
      const length = 32 - Math.clz32(Math.abs(difference));
      put(CATEGORIES.get(length) ?? { bits: 0, length: 0 });
      put({ bits: difference < 0 ? difference + (1 << length) - 1 : difference, length });
      put(END_OF_BLOCK);
    }
  }
  // The last byte is padded with ones.
  if (count > 0) put({ bits: (1 << (8 - count)) - 1, length: 8 - count });
  return Buffer.from([...head, ...scan, 0xff, 0xd9]);
}
