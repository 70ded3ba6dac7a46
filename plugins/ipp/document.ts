/** From raster pages to bands of dots, as a print head takes them; white at both ends of a page is left out. */
import { setImmediate as turn } from 'node:timers/promises';
import { DotRows } from '../../codecs/dot-rows.ts';
import type { IntegerRange } from '../../codecs/ipp.ts';
import { type GreyRow, type PageHead, RasterError, type RasterKind, RasterReader } from '../../codecs/page-raster.ts';
import type { Dither } from '../../codecs/picture.ts';
import type { Bitmap } from '../../codecs/raster.ts';

/** What pages are printed on. */
export interface Head {
  /** Dots across. */
  readonly dots: number;
  /** Dots an inch. */
  readonly dpi: number;
  /** Rows of one command. */
  readonly bandRows: number;
}

/** Which pages of a document are printed, and how their shades become dots. */
export interface PageWishes {
  /** Pages to print, from 1 on; all where there is none. */
  readonly pages: readonly IntegerRange[];
  readonly dither: Dither;
}

/** Most paper of one job, in metres, as of a print command. */
export const PAPER_METRES = 20;
/** White between the ink of two pages, of which both ends are cut off: 4 mm. */
const GAP_MM = 4;
const MM_PER_INCH = 25.4;
/** White that is cut off may be so many times what is printed. */
const WHITE_TIMES = 8;
/** Rows of white that take as long as the head of a page. */
const HEAD_ROWS = 128;
/** Pixels that are made without letting others have the processor: some milliseconds. */
const AT_ONCE = 400_000;
/** Pixels that take as long as the head of a page. */
const HEAD_PIXELS = AT_ONCE / 100;
/** Shades that are neither ink nor paper nor the edges between them; where a document has this share of them, it has pictures. */
const MIDDLE = { low: 40, high: 215, share: 0.4 } as const;
const WHITE = 255;
/** Rows behind ink in which dots may still come of spread errors. */
const SPREAD_ROWS = 16;

/** Rows of white between two pages. */
const gapOf = ({ dpi }: Head): number => Math.round((GAP_MM * dpi) / MM_PER_INCH);

const rowsIn = (metres: number, dpi: number): number => Math.floor((metres * 1000 * dpi) / MM_PER_INCH);

/** The dots across that a page takes: its size, or the whole line where it is wider than the paper. */
const dotsAcross = ({ width, dpi }: PageHead, head: Head): number =>
  Math.max(1, Math.min(head.dots, Math.round((width * head.dpi) / dpi)));

type Read = PageHead | GreyRow;

/** The pages and rows of a document, in batches: each is to be read to its end before the next is asked for. Throws a RasterError. */
async function* pagesOf(
  pieces: AsyncIterable<Uint8Array>,
  kind: RasterKind,
  { pages: wanted }: Pick<PageWishes, 'pages'>,
): AsyncGenerator<Iterable<Read>> {
  const reader = new RasterReader(kind);
  let [number, width, pixels, most] = [0, 0, 0, 0];
  const isWanted = () => wanted.length === 0 || wanted.some(({ low, high }) => number >= low && number <= high);
  /** The next pages and rows of what has arrived, as many as are made without a pause. */
  function* batch(): Generator<Read> {
    for (let next = reader.next(); next !== undefined; next = reader.next()) {
      if ('dpi' in next) {
        number += 1;
        most = most === 0 ? WHITE_TIMES * rowsIn(PAPER_METRES, next.dpi) : most;
        width = next.width;
        most -= HEAD_ROWS;
        pixels += HEAD_PIXELS;
      } else {
        most -= next.times;
        pixels += width * next.times;
      }
      if (most < 0) throw new RasterError('its pages are too many, or too long');
      if (isWanted()) yield next;
      if (pixels >= AT_ONCE) return;
    }
  }
  for await (const piece of pieces) {
    reader.push(piece);
    for (yield batch(); pixels >= AT_ONCE; yield batch()) {
      pixels = 0;
      await turn();
    }
  }
  reader.end();
}

/** What a document holds. */
export interface Measured {
  readonly pages: number;
  /** Rows of the head from the first ink to the last, the pages together. */
  readonly rows: number;
  /** Whether it has shades that a threshold would lose. */
  readonly hasShades: boolean;
}

/** Reads a document to its end, without its dots. Throws a RasterError. */
export async function measure(
  pieces: AsyncIterable<Uint8Array>,
  kind: RasterKind,
  wishes: Pick<PageWishes, 'pages'>,
  head: Head,
): Promise<Measured> {
  let [pages, rows, ink, middle, white, scale] = [0, 0, 0, 0, 0, 1];
  let begun = false;
  for await (const batch of pagesOf(pieces, kind, wishes))
    for (const read of batch) {
      if ('dpi' in read) {
        pages += 1;
        scale = dotsAcross(read, head) / read.width;
        [begun, white] = [false, 0];
        continue;
      }
      const { shades, times } = read;
      const before = ink;
      for (const shade of shades) {
        if (shade === WHITE) continue;
        ink += times;
        if (shade > MIDDLE.low && shade < MIDDLE.high) middle += times;
      }
      if (ink === before) {
        white += times * scale;
        continue;
      }
      rows += times * scale + (begun ? white : rows === 0 ? 0 : gapOf(head));
      [begun, white] = [true, 0];
    }
  return { pages, rows: Math.round(rows), hasShades: middle > MIDDLE.share * ink };
}

/** Whether a document of so many rows is too long for one job. */
export const isTooLong = (rows: number, { dpi }: Head): boolean => rows > rowsIn(PAPER_METRES, dpi);

/**
 * The bands of a document; 'page' stands behind each page that has ink. Each band is valid until the next one is asked for. Throws a
 * RasterError, also where it takes too much paper.
 */
export async function* bandsOf(
  pieces: AsyncIterable<Uint8Array>,
  kind: RasterKind,
  wishes: PageWishes,
  head: Head,
): AsyncGenerator<Bitmap | 'page'> {
  let page: PageBands | undefined;
  let printed = 0;
  let hasInk = false;
  const gap = gapOf(head);
  function* counted(bands: Iterable<Bitmap>): Generator<Bitmap> {
    for (const band of bands) {
      printed += band.height;
      if (isTooLong(printed, head)) throw new RasterError(`it takes over ${PAPER_METRES} m of paper`);
      yield band;
    }
  }
  for await (const batch of pagesOf(pieces, kind, wishes))
    for (const read of batch) {
      if ('dpi' in read) {
        if (page !== undefined) yield* counted(page.end());
        if (page?.hasInk === true) yield 'page';
        hasInk ||= page?.hasInk === true;
        page = new PageBands(read, wishes.dither, head, hasInk ? gap : 0);
        continue;
      }
      for (const band of counted(page!.bands(read))) {
        yield band;
        await turn();
      }
    }
  if (page !== undefined) yield* counted(page.end());
  if (page?.hasInk === true) yield 'page';
}

/** The dots of one page, gathered to bands from its first ink on. White is held back until ink follows. */
class PageBands {
  hasInk = false;
  readonly #rows: DotRows;
  readonly #width: number;
  readonly #rowBytes: number;
  readonly #most: number;
  readonly #data: Uint8Array;
  #height = 0;
  #white: number;
  /** Rows of the page without ink that came last, as far as that matters. */
  #whiteRows = 0;

  /** `gap`: white rows before its first ink. */
  constructor(page: PageHead, dither: Dither, head: Head, gap: number) {
    this.#width = dotsAcross(page, head);
    this.#rows = new DotRows(page.width, this.#width, dither);
    this.#rowBytes = Math.ceil(this.#width / 8);
    this.#most = head.bandRows;
    this.#data = new Uint8Array(this.#rowBytes * this.#most);
    this.#white = gap;
  }

  *bands({ shades, times }: GreyRow): Generator<Bitmap> {
    const isWhite = shades.every((shade) => shade === WHITE);
    // Of long white, which may be metres in a few bytes, only the first rows are made to dots: they take what was spread to them.
    const made = isWhite ? Math.min(times, Math.max(0, SPREAD_ROWS - this.#whiteRows)) : times;
    this.#whiteRows = isWhite ? this.#whiteRows + made : 0;
    for (const dots of this.#rows.rows(shades, made)) yield* this.#add(dots);
    if (made === times) return;
    const white = this.#rows.white(times - made);
    if (this.hasInk) this.#white += white;
  }

  *end(): Generator<Bitmap> {
    for (const dots of this.#rows.end()) yield* this.#add(dots);
    if (this.#height > 0) yield this.#band();
  }

  *#add(dots: Uint8Array): Generator<Bitmap> {
    if (dots.every((byte) => byte === 0)) {
      if (this.hasInk) this.#white += 1;
      return;
    }
    this.hasInk = true;
    for (; this.#white > 0; this.#white -= 1) yield* this.#put();
    yield* this.#put(dots);
  }

  *#put(dots?: Uint8Array): Generator<Bitmap> {
    const at = this.#height * this.#rowBytes;
    if (dots === undefined) this.#data.fill(0, at, at + this.#rowBytes);
    else this.#data.set(dots, at);
    this.#height += 1;
    if (this.#height === this.#most) yield this.#band();
  }

  #band(): Bitmap {
    const height = this.#height;
    this.#height = 0;
    return { width: this.#width, height, data: this.#data.subarray(0, height * this.#rowBytes) };
  }
}
