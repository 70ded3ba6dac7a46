/** The entropy-coded bits of a JPEG scan: bit by bit, and by Huffman codes (ITU-T T.81, F.2.2 and annex C). */
import { PictureError } from './picture.ts';

const CODE_BITS = 16;

/** By the next 16 bits: eight bits of the code's length, eight of its value; 0 where no code begins so. */
export type HuffmanTable = Uint16Array;

const damaged = () => new PictureError('corrupted', 'JPEG: its data is damaged');

/** The table of a DHT segment: how many codes there are of each length from 1 on, and their values (B.2.4.2). */
export function huffmanTable(counts: Uint8Array, values: Uint8Array): HuffmanTable {
  const table = new Uint16Array(1 << CODE_BITS);
  let next = 0;
  let index = 0;
  for (let length = 1; length <= CODE_BITS; length += 1) {
    const size = 1 << (CODE_BITS - length);
    for (let code = 0; code < counts[length - 1]!; code += 1, next += size, index += 1) {
      if (next + size > table.length) throw damaged();
      table.fill((length << 8) | values[index]!, next, next + size);
    }
  }
  return table;
}

/** Reads the bits of one scan, up to the next marker. Throws a PictureError where more are asked for than there are. */
export class JpegBits {
  readonly #bytes: Uint8Array;
  #at: number;
  #bits = 0;
  #count = 0;
  /** How many of the buffered bits are no data: a marker or the end came before them. */
  #beyond = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The next `length` bits, at most 16, as a number. */
  take(length: number): number {
    this.#fill();
    return this.#taken(length);
  }

  /** The value of the next code. */
  code(table: HuffmanTable): number {
    this.#fill();
    const found = table[(this.#bits >>> (this.#count - CODE_BITS)) & 0xffff]!;
    if (found === 0) throw damaged();
    this.#taken(found >> 8);
    return found & 255;
  }

  /** A signed number of `length` bits: EXTEND of F.2.2.1. */
  signed(length: number): number {
    if (length === 0) return 0;
    const value = this.take(length);
    return value < 1 << (length - 1) ? value - (1 << length) + 1 : value;
  }

  /** Passes over the marker RSTn that has to come next (F.2.2.4). */
  restart(): void {
    const at = markerFrom(this.#bytes, this.#at);
    if (!isRestart(this.#bytes, at)) throw damaged();
    this.#at = at + 2;
    this.#count = 0;
    this.#beyond = 0;
  }

  /** Where the scan ends: at the next marker of another kind, or at the end. */
  end(): number {
    let at = markerFrom(this.#bytes, this.#at);
    while (isRestart(this.#bytes, at)) at = markerFrom(this.#bytes, at + 2);
    return at;
  }

  #taken(length: number): number {
    this.#count -= length;
    if (this.#count < this.#beyond) throw new PictureError('corrupted', 'JPEG: it is cut short');
    return (this.#bits >>> this.#count) & ((1 << length) - 1);
  }

  /** Buffers 17 to 24 bits. */
  #fill(): void {
    while (this.#count <= CODE_BITS) {
      let byte = 0;
      if (this.#at >= this.#bytes.length || isMarker(this.#bytes, this.#at)) this.#beyond += 8;
      else {
        byte = this.#bytes[this.#at]!;
        // A zero is stuffed behind each FF (B.1.1.5).
        this.#at += byte === 0xff ? 2 : 1;
      }
      this.#bits = (this.#bits << 8) | byte;
      this.#count += 8;
    }
  }
}

const isRestart = (bytes: Uint8Array, at: number): boolean => (bytes[at + 1]! & 0xf8) === 0xd0;

/** Where the next marker begins, or the end. */
function markerFrom(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !isMarker(bytes, at)) at += 1;
  return at;
}

const isMarker = (bytes: Uint8Array, at: number): boolean => bytes[at] === 0xff && bytes[at + 1] !== 0;
