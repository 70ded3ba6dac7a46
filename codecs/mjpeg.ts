/**
 * Motion JPEG from cameras: a series of whole JPEG pictures (ITU-T T.81), often without Huffman tables. Decoders for Motion
 * JPEG then use the standard tables (T.81, annex K.3), but browsers do not.
 */
import { Buffer } from 'node:buffer';
import { defineCodec, type Parsed } from './codec.ts';

/** Codec `mjpeg`, without recipe options. */
export const mjpeg = defineCodec({ name: 'mjpeg', kind: 'camera', options: {} });

/** Bytes of the largest picture that is accepted; a 4K picture with low compression is smaller. */
export const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DHT = 0xc4;
const START = Buffer.from([0xff, SOI]);

/** TEM and RST0 to RST7 have no length (T.81, table B.1). */
const standsAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
/** SOF0 to SOF15; C4, C8 and CC in that range are other markers. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![DHT, 0xc8, 0xcc].includes(marker);

type Step =
  /** A marker segment; `end` is the first byte behind it (behind its header, for the scan that SOS begins). */
  | { readonly kind: 'segment'; readonly marker: number; readonly at: number; readonly end: number }
  /** Not complete: search again from `at` when there are more bytes. */
  | { readonly kind: 'more'; readonly at: number }
  | { readonly kind: 'broken' };

/** The next segment from `at` on; inside a scan, entropy-coded data is skipped. */
function nextSegment(bytes: Buffer, at: number, inScan: boolean): Step {
  for (let from = at; ; ) {
    const found = inScan ? bytes.indexOf(0xff, from) : from;
    const marker = found < 0 ? undefined : bytes[found + 1];
    if (found < 0 || marker === undefined) return { kind: 'more', at: found < 0 ? bytes.length : found };
    if (bytes[found] !== 0xff) return { kind: 'broken' };
    if (marker === 0xff) from = found + 1;
    else if (inScan && (marker === 0 || standsAlone(marker))) from = found + 2;
    else if (marker === EOI) return { kind: 'segment', marker, at: found, end: found + 2 };
    else if (marker === 0 || marker === SOI || standsAlone(marker)) return { kind: 'broken' };
    else if (bytes.length < found + 4) return { kind: 'more', at: found };
    else {
      const length = bytes.readUInt16BE(found + 2);
      if (length < 2) return { kind: 'broken' };
      const end = found + 2 + length;
      return end > bytes.length ? { kind: 'more', at: found } : { kind: 'segment', marker, at: found, end };
    }
  }
}

/** Splits a byte stream into whole pictures. Bytes between pictures, and broken pictures, are dropped. */
export class PictureSplitter {
  #held: Buffer = Buffer.alloc(0);
  /** How far the held bytes were searched. */
  #at = 0;
  #inScan = false;

  /** The pictures that these bytes complete, from SOI to EOI, each a copy. */
  push(chunk: Uint8Array): Buffer[] {
    this.#held = Buffer.concat([this.#held, chunk]);
    const pictures: Buffer[] = [];
    while (this.#begin()) {
      const step = nextSegment(this.#held, this.#at, this.#inScan);
      if (step.kind === 'more') {
        this.#at = step.at;
        if (this.#held.length <= MAX_PICTURE_BYTES) break;
      }
      if (step.kind !== 'segment') this.#drop(START.length);
      else if (step.marker === EOI) {
        if (step.end <= MAX_PICTURE_BYTES) pictures.push(Buffer.from(this.#held.subarray(0, step.end)));
        this.#drop(step.end);
      } else {
        this.#at = step.end;
        this.#inScan = step.marker === SOS;
      }
    }
    return pictures;
  }

  /** Drops bytes in front of the next picture. True where a picture begins at the first byte held then. */
  #begin(): boolean {
    if (this.#at > 0) return true;
    const start = this.#held.indexOf(START);
    if (start < 0) {
      this.#held = this.#held.subarray(this.#held.at(-1) === 0xff ? -1 : this.#held.length);
      return false;
    }
    this.#held = this.#held.subarray(start);
    this.#at = START.length;
    return true;
  }

  #drop(bytes: number): void {
    this.#held = this.#held.subarray(bytes);
    this.#at = 0;
    this.#inScan = false;
  }
}

export interface Picture {
  /** A JPEG with its Huffman tables. */
  readonly jpeg: Uint8Array;
  /** Dots. */
  readonly width: number;
  readonly height: number;
}

/** Reads one picture, from SOI to EOI: takes its size from the frame header and adds the standard tables if it has none. */
export function readPicture(bytes: Uint8Array): Parsed<Picture> {
  const picture = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (picture.indexOf(START) !== 0) return { ok: false, reason: 'no JPEG picture' };
  let size: { readonly width: number; readonly height: number } | undefined;
  let hasTables = false;
  for (let at = START.length; ; ) {
    const step = nextSegment(picture, at, false);
    if (step.kind !== 'segment') return { ok: false, reason: 'a picture cut short or damaged' };
    const { marker, end } = step;
    if (marker === EOI) return { ok: false, reason: 'a picture without a scan' };
    if (isFrameHeader(marker)) {
      if (end - step.at < 9) return { ok: false, reason: 'a frame header cut short' };
      size = { height: picture.readUInt16BE(step.at + 5), width: picture.readUInt16BE(step.at + 7) };
    }
    hasTables ||= marker === DHT;
    if (marker === SOS) {
      if (size === undefined || size.width === 0 || size.height === 0)
        return { ok: false, reason: 'a picture without a size' };
      const parts = [picture.subarray(0, step.at), standardTables(), picture.subarray(step.at)];
      return { ok: true, value: { jpeg: hasTables ? bytes : Buffer.concat(parts), ...size } };
    }
    at = end;
  }
}

/** One table: class (0 DC, 1 AC) and number in `id`, the number of codes of each length from 1 to 16, and their values. */
export interface HuffmanTable {
  readonly id: number;
  readonly counts: readonly number[];
  readonly values: Uint8Array;
}

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));
const CATEGORIES = hex('000102030405060708090a0b');

/** The standard tables of T.81, K.3.1 and K.3.2: luminance DC and AC, chrominance DC and AC. */
export const LUMINANCE_DC: HuffmanTable = {
  id: 0x00,
  counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
  values: CATEGORIES,
};
/** The standard table for luminance AC (T.81, K.3.2). */
export const LUMINANCE_AC: HuffmanTable = {
  id: 0x10,
  counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
  values: hex(`
    01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a
    434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa
    b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa`),
};
const CHROMINANCE_DC: HuffmanTable = {
  id: 0x01,
  counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
  values: CATEGORIES,
};
const CHROMINANCE_AC: HuffmanTable = {
  id: 0x11,
  counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
  values: hex(`
    000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a
    434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa
    b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa`),
};

/** The DHT segment of these tables (T.81, B.2.4.2). */
export function huffmanSegment(tables: readonly HuffmanTable[]): Buffer {
  const body = tables.flatMap(({ id, counts, values }) => [id, ...counts, ...values]);
  return Buffer.from([0xff, DHT, (body.length + 2) >> 8, (body.length + 2) & 0xff, ...body]);
}

let standard: Buffer | undefined;
/** Made by the first picture that has none: few nodes have a camera, and fewer one that sends MJPEG. */
const standardTables = (): Buffer =>
  (standard ??= huffmanSegment([LUMINANCE_DC, LUMINANCE_AC, CHROMINANCE_DC, CHROMINANCE_AC]));
