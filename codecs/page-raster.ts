/**
 * Pages of dots: PWG Raster (PWG 5102.4) and Apple's URF, read as they arrive, one row of grey after the other. Nothing but
 * one row is held, whatever a header says. URF has no public specification: its layout is that of cups-filters' `urftopdf`.
 */

export type RasterKind = 'pwg' | 'urf';

/** The beginning of a page. */
export interface PageHead {
  readonly width: number;
  readonly height: number;
  /** Dots an inch. */
  readonly dpi: number;
}

/** A row of a page, `times` times; 0 is black, 255 white. The shades are valid until the next call. */
export interface GreyRow {
  readonly shades: Uint8Array;
  readonly times: number;
}

/** The bytes are no such raster, or are cut short. */
export class RasterError extends Error {}

/** The first bytes of a file of each kind; PWG has nothing else before its first page. */
const SYNC: Readonly<Record<RasterKind, { readonly magic: string; readonly bytes: number }>> = {
  pwg: { magic: 'RaS2', bytes: 4 },
  // Behind the magic, the number of pages, which CUPS writes as 0: nobody may believe it.
  urf: { magic: 'UNIRAST\0', bytes: 12 },
};
const PAGE_BYTES: Readonly<Record<RasterKind, number>> = { pwg: 1796, urf: 32 };
/** Most pixels across: a page of 600 mm at 600 dots an inch. */
const MOST_WIDTH = 14_400;
/** Colour spaces of the PWG header, by whether 0 is black (18 sgray, 19 srgb, 0 grey, 1 RGB, 20 Adobe RGB) or white (3 black). */
const DARK_IS_ZERO = new Set([0, 1, 18, 19, 20]);
const BLACK = 3;
const WHITE = 255;
/** In place of a count: the rest of the row is blank. */
const BLANK = 128;

/** The kind of raster that begins so; undefined for anything else. */
export const rasterKind = (bytes: Uint8Array): RasterKind | undefined =>
  (['pwg', 'urf'] as const).find((kind) => [...SYNC[kind].magic].every((char, at) => bytes[at] === char.charCodeAt(0)));

interface Page extends PageHead {
  /** Bytes of a pixel, or of eight of them where a bit is one. */
  readonly unit: number;
  readonly bits: number;
  readonly rowBytes: number;
  readonly inverted: boolean;
}

/** Reads one file, or several behind each other. `push` gives it bytes; `next` what they hold, until it is undefined; `end` says that there are no more. */
export class RasterReader {
  readonly #kind: RasterKind;
  #buffer = new Uint8Array(0);
  /** What of it is there. */
  #held = this.#buffer;
  #at = 0;
  #begun = false;
  #page: Page | undefined;
  #rowsLeft = 0;
  #row = new Uint8Array(0);
  #shades = new Uint8Array(0);

  constructor(kind: RasterKind) {
    this.#kind = kind;
  }

  push(bytes: Uint8Array): void {
    const rest = this.#held.subarray(this.#at);
    const length = rest.length + bytes.length;
    // One buffer for all pieces of a document, whose megabytes would else be left behind for each that prints.
    if (length > this.#buffer.length) this.#buffer = new Uint8Array(2 * length);
    this.#buffer.set(rest);
    this.#buffer.set(bytes, rest.length);
    this.#held = this.#buffer.subarray(0, length);
    this.#at = 0;
  }

  /** The next page or row; undefined where more bytes are needed. Throws a RasterError. */
  next(): PageHead | GreyRow | undefined {
    if (this.#rowsLeft > 0) return this.#nextRow();
    const { magic, bytes } = SYNC[this.#kind];
    // CUPS sends the documents of one job one behind the other, each with its beginning.
    for (;;) {
      const rest = this.#held.subarray(this.#at);
      if (rest.length < magic.length) return undefined;
      if (rasterKind(rest) !== this.#kind) break;
      if (rest.length < bytes) return undefined;
      this.#at += bytes;
      this.#begun = true;
    }
    if (!this.#begun) throw new RasterError('it does not begin as its kind does');
    return this.#head();
  }

  /** Throws a RasterError where the file ends inside a page, or has none. */
  end(): void {
    if (this.#page === undefined) throw new RasterError('it has no page');
    if (this.#rowsLeft > 0 || this.#at < this.#held.length) throw new RasterError('it is cut short');
  }

  #head(): PageHead | undefined {
    const size = PAGE_BYTES[this.#kind];
    if (this.#held.length - this.#at < size) return undefined;
    const view = new DataView(this.#held.buffer, this.#held.byteOffset + this.#at, size);
    const page = this.#kind === 'pwg' ? pwgPage(view) : urfPage(view);
    if (page.width < 1 || page.width > MOST_WIDTH || page.height < 1 || page.dpi < 50 || page.dpi > 2400)
      throw new RasterError(`no page of ${page.width} by ${page.height} pixels at ${page.dpi} dots an inch`);
    this.#at += size;
    this.#page = page;
    this.#rowsLeft = page.height;
    this.#row = new Uint8Array(page.rowBytes);
    this.#shades = new Uint8Array(page.width);
    return page;
  }

  /** One byte: how often it stands, less one; then runs of pixels and single ones, as PackBits has them. */
  #nextRow(): GreyRow | undefined {
    const { unit, rowBytes, inverted } = this.#page!;
    const [held, row] = [this.#held, this.#row];
    let at = this.#at;
    if (at >= held.length) return undefined;
    const times = held[at]! + 1;
    at += 1;
    for (let x = 0; x < rowBytes; ) {
      if (at >= held.length) return undefined;
      const count = held[at]!;
      at += 1;
      if (count === BLANK) {
        row.fill(inverted ? 0 : WHITE, x);
        break;
      }
      const bytes = (count < BLANK ? count + 1 : 257 - count) * unit;
      if (x + bytes > rowBytes) throw new RasterError('a row is longer than its page is wide');
      const taken = count < BLANK ? unit : bytes;
      if (at + taken > held.length) return undefined;
      // Byte by byte: most runs are short, and there are thousands in a row of pages.
      for (let end = x + bytes, from = 0; x < end; x += 1) {
        row[x] = held[at + from]!;
        from = from + 1 === taken ? 0 : from + 1;
      }
      at += taken;
    }
    this.#at = at;
    this.#unpack();
    const rows = Math.min(times, this.#rowsLeft);
    this.#rowsLeft -= rows;
    return { shades: this.#shades, times: rows };
  }

  #unpack(): void {
    const { width, bits, inverted } = this.#page!;
    const [row, shades] = [this.#row, this.#shades];
    if (bits === 1) {
      for (let x = 0; x < width; x += 1) shades[x] = (row[x >> 3]! >> (7 - (x & 7))) & 1 ? WHITE : 0;
    } else if (bits === 8) shades.set(row);
    else {
      // Luma of Rec. ITU-R BT.601, in whole numbers.
      for (let x = 0, at = 0; x < width; x += 1, at += 3)
        shades[x] = Math.floor((299 * row[at]! + 587 * row[at + 1]! + 114 * row[at + 2]! + 500) / 1000);
    }
    if (inverted) for (let x = 0; x < width; x += 1) shades[x] = WHITE - shades[x]!;
  }
}

/** PWG 5102.4, table 2. */
function pwgPage(view: DataView): Page {
  const at = (offset: number) => view.getUint32(offset);
  const [width, height, bits, rowBytes] = [at(372), at(376), at(388), at(392)];
  const colours = bits === 24 ? 3 : 1;
  const space = at(400);
  if (![1, 8, 24].includes(bits) || at(384) !== (bits === 1 ? 1 : 8) || at(396) !== 0)
    throw new RasterError(`pixels of ${bits} bits are not read`);
  if (!DARK_IS_ZERO.has(space) && (space !== BLACK || colours === 3))
    throw new RasterError(`colour space ${space} is not read`);
  if (at(276) !== at(280)) throw new RasterError(`${at(276)} by ${at(280)} dots an inch are not read`);
  if (rowBytes !== Math.ceil((width * bits) / 8)) throw new RasterError('its rows have not the length of its width');
  return { width, height, dpi: at(276), unit: colours, bits, rowBytes, inverted: space === BLACK };
}

/** Colour spaces: 0 and 4 are grey, 1, 3 and 5 red, green and blue. */
function urfPage(view: DataView): Page {
  const [bits, space] = [view.getUint8(0), view.getUint8(1)];
  const colours = [0, 4].includes(space) ? 1 : [1, 3, 5].includes(space) ? 3 : 0;
  if (colours === 0 || bits !== 8 * colours)
    throw new RasterError(`${bits} bits in colour space ${space} are not read`);
  const [width, height, dpi] = [view.getUint32(12), view.getUint32(16), view.getUint32(20)];
  return { width, height, dpi, unit: colours, bits, rowBytes: width * colours, inverted: false };
}
