/**
 * The file fonts.pack beside the image: the faces that draw text. It begins with `MAGIC` and the length of the index (4 bytes,
 * little-endian), then comes the index, then each face: index and faces are compressed by brotli, each for itself, so that
 * only the faces that a text needs are read and unpacked.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** The last byte is the version of this format. */
export const MAGIC = Uint8Array.of(0x54, 0x4e, 0x46, 0x4f, 0x4e, 0x54, 0x53, 1);

/** What the index says of one face. Lengths in dots are those of a row of normal size. */
export interface FaceEntry {
  readonly name: string;
  /** Scripts that this face was chosen for (ISO 15924). */
  readonly scripts: readonly string[];
  /** `outline`: a TrueType font; `dots`: ready glyphs, `columns` wide and 24 high. */
  readonly kind: 'outline' | 'dots';
  /** Dots of the em of an outline; width of ready glyphs. */
  readonly dots: number;
  /** How far its baseline stands above that of the row. */
  readonly rise: number;
  /** The code points it has, as pairs: how many are left out before a range, and how many are in it. */
  readonly covers: readonly number[];
  /** Ready glyphs of more than one code point, which follow those of `covers`. */
  readonly sequences: readonly string[];
  /** Bytes of the face in the file; the faces follow each other in the order of the index. */
  readonly bytes: number;
}

export interface PackIndex {
  readonly faces: readonly FaceEntry[];
}

/** Reads a pack that the build wrote. */
export class Pack {
  readonly #path: string;
  readonly #offsets: readonly number[];
  readonly faces: readonly FaceEntry[];

  /** Reads the index. Throws where the file does not exist or is no pack. */
  constructor(path: string) {
    this.#path = path;
    const head = read(path, 0, MAGIC.length + 4);
    if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error(`${path} is not a pack of fonts`);
    const bytes = head.readUInt32LE(MAGIC.length);
    const index = brotliDecompressSync(read(path, head.length, bytes)).toString();
    this.faces = (JSON.parse(index) as PackIndex).faces;
    let offset = head.length + bytes;
    this.#offsets = this.faces.map((face) => {
      offset += face.bytes;
      return offset - face.bytes;
    });
  }

  /** The font file or the ready glyphs of a face, by its place in `faces`. */
  face(place: number): Uint8Array {
    return brotliDecompressSync(read(this.#path, this.#offsets[place]!, this.faces[place]!.bytes));
  }
}

function read(path: string, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, buffer, 0, length, offset) < length) throw new Error(`${path} ends too early`);
  } finally {
    closeSync(file);
  }
  return buffer;
}
