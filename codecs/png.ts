/** PNG (W3C Portable Network Graphics, third edition) to shades of grey: every colour type, depth and interlace. */
import { orientationOf, upright } from './exif.ts';
import { checkSize, type Grey, PictureError, type PictureSteps, STEP_PIXELS, shadeOf } from './picture.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Types of chunks as numbers. */
const IDAT = 0x49444154;
const IEND = 0x49454e44;

/** True where the bytes begin as a PNG does (5.2). */
export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.every((byte, at) => bytes[at] === byte);

const corrupted = (words: string) => new PictureError('corrupted', `PNG: ${words}`);
const unread = (words: string) => new PictureError('format', `PNG: ${words}`);

/** By colour type: its samples a pixel and the depths that it may have (11.2.1). */
const COLOUR_TYPES: Readonly<Record<number, { readonly samples: number; readonly depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colourType: number;
  readonly samples: number;
  readonly interlaced: boolean;
}

interface Content extends Header {
  readonly palette: Uint8Array;
  /** tRNS: the alpha of palette entries, or the one transparent colour. */
  readonly transparency: Uint8Array | undefined;
  /** How the camera was held, of eXIf (11.3.2.5): 1 where it says none. */
  readonly orientation: number;
}

/**
 * Rejects with a PictureError where it is damaged, too large, or no PNG that the standard has. Beside the file and the shades it
 * takes two rows, whatever the size and depth.
 */
export async function decodePng(bytes: Uint8Array<ArrayBuffer>): Promise<Grey> {
  const decoding = decodingPng(bytes);
  for (;;) {
    const step = await decoding.next();
    if (step.done === true) return step.value;
  }
}

/** As `decodePng`, a few rows at a step. */
export async function* decodingPng(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<undefined, Grey> {
  const content = yield* contentOf(bytes);
  const { width, height, interlaced } = content;
  const data = new Uint8Array(width * height);
  const shadeAt = shades(content);
  const rows = new Rows(content, interlaced ? ADAM7 : WHOLE, (line, { x, y, stepX, stepY, across }, row, from) => {
    let to = (y + row * stepY) * width + x + from * stepX;
    const end = Math.min(across, from + STEP_PIXELS);
    for (let pixel = from; pixel < end; pixel += 1, to += stepX) data[to] = shadeAt(line, pixel);
  });
  yield* inflate(dataOf(bytes), (part) => rows.take(part));
  if (!rows.isComplete) throw corrupted('it is cut short');
  return yield* upright({ width, height, data }, content.orientation);
}

/** The part of a picture that a pass has. `across`, `down`: its pixels. */
interface PassRows {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
  readonly across: number;
  readonly down: number;
}

/** Puts what was inflated together to rows, without their filters. */
class Rows {
  readonly #passes: PassRows[];
  readonly #each: (line: Uint8Array, pass: PassRows, row: number, from: number) => void;
  readonly #pixelBits: number;
  #row = 0;
  #filter = -1;
  #line: Uint8Array;
  #above: Uint8Array;
  #filled = 0;

  /** `each` is called for every row of every pass, from each `STEP_PIXELS`th pixel of it on, with bytes that are valid until it returns. */
  constructor(
    { width, height, samples, depth }: Header,
    passes: readonly Pass[],
    each: (line: Uint8Array, pass: PassRows, row: number, from: number) => void,
  ) {
    this.#passes = passes.flatMap(([x, y, stepX, stepY]) => {
      const across = Math.ceil((width - x) / stepX);
      const down = Math.ceil((height - y) / stepY);
      return across > 0 && down > 0 ? [{ x, y, stepX, stepY, across, down }] : [];
    });
    this.#each = each;
    this.#pixelBits = samples * depth;
    [this.#line, this.#above] = [this.#blank(), this.#blank()];
  }

  get isComplete(): boolean {
    return this.#passes.length === 0;
  }

  /** The next bytes. Throws where there are more than the size says, or no such filter. */
  *take(part: Uint8Array): PictureSteps<void> {
    for (let at = 0; at < part.length; ) {
      const [pass] = this.#passes;
      if (pass === undefined) throw corrupted('it has more data than its size says');
      if (this.#filter < 0) {
        this.#filter = part[at]!;
        at += 1;
      }
      const line = this.#line;
      const count = Math.min(line.length - this.#filled, part.length - at);
      line.set(part.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled < line.length) return;
      for (let from = 0; from < line.length; from += STEP_PIXELS) {
        if (from > 0) yield;
        unfilter(this.#filter, line, this.#above, Math.max(1, this.#pixelBits >> 3), from);
      }
      for (let from = 0; from < pass.across; from += STEP_PIXELS) {
        if (from > 0) yield;
        this.#each(line, pass, this.#row, from);
      }
      [this.#line, this.#above] = [this.#above, line];
      [this.#row, this.#filter, this.#filled] = [this.#row + 1, -1, 0];
      if (this.#row < pass.down) continue;
      this.#passes.shift();
      [this.#row, this.#line, this.#above] = [0, this.#blank(), this.#blank()];
    }
  }

  /** A row of the next pass. */
  #blank(): Uint8Array {
    return new Uint8Array(Math.ceil(((this.#passes[0]?.across ?? 0) * this.#pixelBits) / 8));
  }
}

type Pass = readonly [x: number, y: number, stepX: number, stepY: number];
const WHOLE: readonly Pass[] = [[0, 0, 1, 1]];
/** Figure 21 of 8.1. */
const ADAM7: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

function* contentOf(bytes: Uint8Array<ArrayBuffer>): PictureSteps<Content> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | undefined;
  let palette = new Uint8Array();
  let transparency: Uint8Array | undefined;
  let orientation: number | undefined;
  for (let at = SIGNATURE.length; ; ) {
    const length = at + 12 <= bytes.length ? view.getUint32(at) : Number.POSITIVE_INFINITY;
    if (at + 12 + length > bytes.length) throw corrupted('it is cut short');
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const data = bytes.subarray(at + 8, at + 8 + length);
    if ((yield* crcOf(bytes.subarray(at + 4, at + 8 + length))) !== view.getUint32(at + 8 + length))
      throw corrupted('a checksum is wrong');
    at += 12 + length;
    if (type === 'IHDR') header = headerOf(data);
    else if (header === undefined) throw corrupted('its header is missing');
    else if (type === 'PLTE') palette = data;
    else if (type === 'tRNS') transparency = data;
    else if (type === 'eXIf') orientation ??= orientationOf(data);
    else if (type === 'IEND') return { ...header, palette, transparency, orientation: orientation ?? 1 };
    // An upper-case letter says that the picture cannot be shown without it (5.4).
    else if (type !== 'IDAT' && /^[A-Z]/.test(type)) throw unread('a part of it is not known');
  }
}

/** Bytes that are inflated at a time: a file may have a chunk for each byte, and a stream takes a step for each part. */
const PART_BYTES = 64 * 1024;

/** The data of all IDAT chunks, one behind the other (10.1), of a file that `contentOf` has read. */
function* dataOf(bytes: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let part = new Uint8Array(PART_BYTES);
  let filled = 0;
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const type = view.getUint32(at + 4);
    const end = at + 8 + view.getUint32(at);
    if (type === IEND) break;
    for (at += 8; type === IDAT && at < end; ) {
      const count = Math.min(PART_BYTES - filled, end - at);
      part.set(bytes.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < PART_BYTES) continue;
      yield part;
      [part, filled] = [new Uint8Array(PART_BYTES), 0];
    }
    at = end + 4;
  }
  yield part.subarray(0, filled);
  return undefined;
}

function headerOf(data: Uint8Array): Header {
  if (data.length !== 13) throw corrupted('its header is wrong');
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = data.subarray(8);
  const { samples, depths } = COLOUR_TYPES[colourType] ?? { samples: 0, depths: [] };
  if (!depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw unread('its header is of no kind that is known');
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  checkSize(width, height);
  return { width, height, depth, colourType, samples, interlaced: interlace === 1 };
}

/** Gives the shade of a pixel of an unfiltered row. */
function shades(content: Content): (line: Uint8Array, pixel: number) => number {
  const { depth, colourType, samples, palette, transparency: clear } = content;
  const most = 2 ** depth - 1;
  const sample = (line: Uint8Array, index: number): number => {
    if (depth === 8) return line[index]!;
    if (depth === 16) return (line[2 * index]! << 8) | line[2 * index + 1]!;
    const bit = index * depth;
    return (line[bit >> 3]! >> (8 - depth - (bit & 7))) & most;
  };
  // 13.12: to eight bits, rounded.
  const eights = Uint8Array.from({ length: most + 1 }, (_, value) => Math.floor((2 * value * 255 + most) / (2 * most)));
  const eight = (value: number): number => eights[value]!;
  if (colourType === 3) {
    const colours = Math.floor(palette.length / 3);
    const table = Array.from({ length: colours }, (_, index) =>
      shadeOf(palette[3 * index]!, palette[3 * index + 1]!, palette[3 * index + 2]!, clear?.[index] ?? 255),
    );
    return (line, pixel) => {
      const shade = table[sample(line, pixel)];
      if (shade === undefined) throw corrupted('a colour is not in its palette');
      return shade;
    };
  }
  const isGrey = samples < 3;
  const hasAlpha = colourType >= 4;
  const key =
    clear && Array.from({ length: samples }, (_, index) => ((clear[2 * index] ?? 0) << 8) | clear[2 * index + 1]!);
  return (line, pixel) => {
    const first = pixel * samples;
    const red = sample(line, first);
    const green = isGrey ? red : sample(line, first + 1);
    const blue = isGrey ? red : sample(line, first + 2);
    const isKey = !hasAlpha && key?.[0] === red && (isGrey || (key[1] === green && key[2] === blue));
    const alpha = hasAlpha ? eight(sample(line, first + samples - 1)) : isKey ? 0 : 255;
    return shadeOf(eight(red), eight(green), eight(blue), alpha);
  };
}

/**
 * Undoes the filter of a row in place (9.2), of `STEP_PIXELS` bytes from `from` on, a multiple of these. `distance`: bytes back to
 * the same byte of the pixel before.
 */
function unfilter(type: number, line: Uint8Array, above: Uint8Array, distance: number, from: number): void {
  const length = Math.min(line.length, from + STEP_PIXELS);
  const second = Math.max(from, distance);
  if (type > 4) throw corrupted('a row has a filter that is not known');
  if (type === 1) for (let at = second; at < length; at += 1) line[at]! += line[at - distance]!;
  else if (type === 2) for (let at = from; at < length; at += 1) line[at]! += above[at]!;
  else if (type === 3)
    for (let at = from; at < length; at += 1)
      line[at]! += ((at < distance ? 0 : line[at - distance]!) + above[at]!) >> 1;
  else if (type === 4) {
    for (let at = from; at < Math.min(distance, length); at += 1) line[at]! += above[at]!;
    for (let at = second; at < length; at += 1)
      line[at]! += paeth(line[at - distance]!, above[at]!, above[at - distance]!);
  }
}

/** 9.4. */
function paeth(left: number, up: number, upLeft: number): number {
  const estimate = left + up - upLeft;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - upLeft)];
  return a <= b && a <= c ? left : b <= c ? up : upLeft;
}

/** Inflated bytes that are taken at a step. */
const TAKEN_BYTES = 16 * 1024;

/** Inflates (RFC 1950) by what browsers and Node bring, no faster than `take` takes it. Rejects with what that throws. */
async function* inflate(
  parts: Generator<Uint8Array<ArrayBuffer>, undefined>,
  take: (part: Uint8Array) => PictureSteps<void>,
): AsyncGenerator<undefined, void> {
  const compressed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (to) => {
      const { value } = parts.next();
      if (value === undefined) to.close();
      else to.enqueue(value);
    },
  });
  const reader = compressed.pipeThrough(new DecompressionStream('deflate')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      for (let at = 0; at < value.length; at += TAKEN_BYTES) {
        yield* take(value.subarray(at, at + TAKEN_BYTES));
        yield;
      }
    }
  } catch (error) {
    throw error instanceof PictureError ? error : corrupted('its data is damaged');
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Annex D. */
const CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function* crcOf(bytes: Uint8Array): PictureSteps<number> {
  let crc = -1;
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    for (const byte of bytes.subarray(from, from + PART_BYTES)) crc = CRC[(crc ^ byte) & 255]! ^ (crc >>> 8);
    yield;
  }
  return ~crc >>> 0;
}
