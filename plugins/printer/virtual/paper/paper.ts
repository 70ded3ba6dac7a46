/** The paper of the virtual printer: printed rows, with positions in dots from the top. */

import { concatenated, utf8Text } from '../bytes.ts';
import { LINE_SPACING, type Modes, type StoredGraphics } from '../modes.ts';
import { encodeBarcode, type LinearSymbology } from '../symbols/barcode.ts';
import { encodePdf417 } from '../symbols/pdf417.ts';
import { encodeQr } from '../symbols/qr.ts';
import { UNKNOWN } from './codepage-tables.ts';
import type { TwoByteGlyphs } from './two-byte-glyphs.ts';

export type Style = Pick<Modes, 'bold' | 'underline' | 'invert' | 'font' | 'width' | 'height'> & {
  /** Of the two-byte font. */
  readonly wide?: boolean;
};
export type Bitmap = StoredGraphics;

interface Box {
  /** Dots from the left edge of the paper, or of the line for a piece of one. */
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

export type Piece = (Box & { readonly kind: 'text'; readonly text: string; readonly style: Style }) | ImagePiece;
type ImagePiece = Box & { readonly kind: 'image'; readonly bitmap: Bitmap };

export type Row = { readonly y: number } & (
  | { readonly kind: 'line'; readonly x: number; readonly height: number; readonly pieces: readonly Piece[] }
  | { readonly kind: 'feed'; readonly height: number; readonly lines: number }
  | (Box & {
      readonly kind: 'raster';
      readonly bitmap: Bitmap;
      /** The data of each command that is part of it. */
      readonly sent: readonly Uint8Array[];
    })
  | (Box & {
      readonly kind: 'symbol';
      readonly symbology: string;
      readonly text: string;
      /** Rows of modules, 1 is dark; a bar code has one. None where the symbol is not drawn. */
      readonly modules: readonly string[];
      readonly hri: Modes['hri'];
    })
  | { readonly kind: 'cut'; readonly height: number; readonly partial: boolean }
);

/** Dots of a character. */
interface Cell {
  readonly width: number;
  readonly height: number;
}

/** What bytes look like on this printer: `byte` is 20 or above. */
export type Glyphs = (byte: number, codePage: number, national: number) => string;

/** What a model of printer makes of its bytes. */
export interface PaperModel {
  readonly glyph: Glyphs;
  readonly twoByte?: TwoByteGlyphs;
  /** Dots across that the head prints. */
  readonly dots: number;
  /** Characters of Font A across. */
  readonly columns: number;
}

/** A character of the two-byte font. */
const WIDE_CELL: Cell = { width: 24, height: 24 };
/** Height of the human readable text of a bar code. */
export const HRI_HEIGHT = 24;
/** Rows kept; older ones are torn off. */
const MAX_ROWS = 16_384;

interface OpenRaster extends Box {
  readonly y: number;
  readonly shape: RasterShape;
  readonly parts: Uint8Array[];
  /** Where, in these bytes, the data of each command begins. */
  readonly starts: number[];
  bytes: number;
}

export interface RasterShape {
  readonly rowBytes: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** Dots of a row that are printed; all of them by default. */
  readonly width?: number;
}

/** The paper of one model of printer. The interpreter prints on it; `rows` is what it shows. */
export class Paper {
  readonly #glyph: Glyphs;
  readonly #twoByte: TwoByteGlyphs | undefined;
  /** The first byte of a character whose second has not come. */
  #first: number | undefined;
  readonly #cells: Readonly<Record<Modes['font'], Cell>>;
  readonly dots: number;
  #rows: Row[] = [];
  #y = 0;
  #pieces: Piece[] = [];
  #x = 0;
  #raster: OpenRaster | undefined;

  constructor({ glyph, twoByte, dots, columns }: PaperModel) {
    this.#glyph = glyph;
    this.#twoByte = twoByte;
    this.dots = dots;
    this.#cells = { a: { width: Math.floor(dots / columns), height: 24 }, b: { width: 9, height: 17 } };
  }

  cellOf({ font, wide }: Pick<Style, 'font' | 'wide'>): Cell {
    return wide ? WIDE_CELL : this.#cells[font];
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Dots printed so far. */
  get height(): number {
    return this.#y;
  }

  /** The line buffer is not paper yet, and a raster may lack its last rows: what is there of it is closed. */
  finish(): void {
    this.#closeRaster();
  }

  text(bytes: Uint8Array, from: number, end: number, modes: Modes): void {
    const { bold, underline, invert, font, width, height } = modes;
    const narrow: Style = { bold, underline, invert, font, width, height };
    let style = narrow;
    let text = '';
    const advance = (): number => (this.cellOf(style).width + modes.characterSpacing) * width;
    const put = (): void => {
      if (text) this.#put(text, style, advance());
      text = '';
    };
    const show = (char: string, wide: boolean): void => {
      if (wide !== (style.wide ?? false)) {
        put();
        style = wide ? { ...narrow, underline: modes.twoByteUnderline, wide } : narrow;
      }
      const started = text !== '' || this.#pieces.length > 0;
      if (started && this.#x + (text.length + 1) * advance() > this.#lineWidth(modes)) {
        put();
        this.endLine(modes);
      }
      text += char;
    };
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at]!;
      const first = this.#first;
      this.#first = undefined;
      if (first !== undefined && this.#twoByte?.isFirst(first, modes)) {
        show(byte > 0x20 ? this.#twoByte.glyph(first, byte, modes) : UNKNOWN, true);
        if (byte > 0x20) continue;
      }
      if (byte < 0x20) {
        put();
        style = narrow;
        this.#control(byte, modes, advance());
      } else if (this.#twoByte?.isFirst(byte, modes)) this.#first = byte;
      else show(this.#glyph(byte, modes.codePage, modes.national), false);
    }
    put();
  }

  image(bitmap: Bitmap): void {
    const box = { x: this.#x, width: bitmap.width * bitmap.scaleX, height: bitmap.height * bitmap.scaleY };
    this.#pieces.push({ kind: 'image', ...box, bitmap });
    this.#x += box.width;
  }

  moveTo(x: number): void {
    this.#x = x;
  }

  moveBy(dots: number): void {
    this.#x = Math.max(0, this.#x + dots);
  }

  discardLine(): void {
    this.#first = undefined;
    this.#pieces = [];
    this.#x = 0;
  }

  /** Prints the line buffer if there is anything in it. */
  endLine(modes: Modes): void {
    const pieces = this.#pieces;
    const width = this.#x;
    this.discardLine();
    if (pieces.length === 0) return;
    const height = Math.max(modes.lineSpacing, ...pieces.map((piece) => piece.height));
    this.#add({ kind: 'line', y: this.#nextY(), x: this.#place(width, modes), height, pieces });
  }

  /** `lines` is how many blank lines that is to a reader. */
  feed(dots: number, lines = dots / LINE_SPACING): void {
    if (dots === 0) return;
    this.#closeRaster();
    const last = this.#rows.at(-1);
    if (last?.kind === 'feed') {
      this.#rows.pop();
      this.#y = last.y;
      this.#add({ kind: 'feed', y: last.y, height: last.height + dots, lines: last.lines + lines });
    } else this.#add({ kind: 'feed', y: this.#nextY(), height: dots, lines });
  }

  cut(partial: boolean): void {
    this.#add({ kind: 'cut', y: this.#nextY(), height: 24, partial });
  }

  /** Bytes of a raster, from `offset` on; a raster of the same shape below another one continues it. */
  raster(shape: RasterShape, offset: number, bytes: Uint8Array, modes: Modes): void {
    const width = (shape.width ?? shape.rowBytes * 8) * shape.scaleX;
    const x = this.#place(width, modes);
    const open = this.#raster;
    const continues =
      open &&
      (offset > 0 || open.bytes % shape.rowBytes === 0) &&
      open.x === x &&
      open.width === width &&
      open.shape.scaleX === shape.scaleX &&
      open.shape.scaleY === shape.scaleY;
    if (!continues) {
      // The beginning may be on paper that was torn off: rows still have to start where they start.
      const lead = new Uint8Array(offset % shape.rowBytes);
      this.#raster = {
        x,
        y: this.#nextY(),
        width,
        height: 0,
        shape,
        parts: [lead],
        starts: [lead.length],
        bytes: lead.length,
      };
    } else if (offset === 0) open.starts.push(open.bytes);
    this.#raster!.parts.push(bytes.slice());
    this.#raster!.bytes += bytes.length;
  }

  /** Prints a bar code; one that is invalid or too wide is left out, as printers do. */
  barcode(symbology: LinearSymbology, data: Uint8Array, modes: Modes): void {
    const encoded = encodeBarcode(symbology, data);
    if (!encoded) return;
    const text = modes.hri === 'none' ? 0 : modes.hri === 'both' ? 2 : 1;
    const size = { width: encoded.bars.length * modes.moduleWidth, height: modes.barcodeHeight + text * HRI_HEIGHT };
    this.#symbol({ ...size, symbology, text: encoded.text, modules: [encoded.bars], hri: modes.hri }, modes);
  }

  qr(data: Uint8Array, modes: Modes): void {
    const modules = encodeQr(data, modes.qrLevel);
    const size = (modules?.length ?? 0) * modes.qrModule;
    const text = utf8Text(data);
    if (modules) this.#symbol({ width: size, height: size, symbology: 'qr', text, modules, hri: 'none' }, modes);
  }

  pdf417(data: Uint8Array, modes: Modes): void {
    const { module, rowHeight } = modes.pdf417;
    const modules = encodePdf417(data, modes.pdf417, this.#lineWidth(modes));
    if (!modules) return;
    const size = { width: modules[0]!.length * module, height: modules.length * rowHeight * module };
    this.#symbol({ ...size, symbology: 'pdf417', text: utf8Text(data), modules, hri: 'none' }, modes);
  }

  /** A symbol that this paper does not draw: a box with its name and data. */
  symbol(symbology: string, data: Uint8Array, modes: Modes): void {
    this.#symbol({ width: 240, height: 120, symbology, text: utf8Text(data), modules: [], hri: 'none' }, modes);
  }

  #symbol(symbol: Omit<Extract<Row, { kind: 'symbol' }>, 'kind' | 'x' | 'y'>, modes: Modes): void {
    if (symbol.width > this.#lineWidth(modes)) return;
    this.#add({ kind: 'symbol', y: this.#nextY(), x: this.#place(symbol.width, modes), ...symbol });
  }

  #control(byte: number, modes: Modes, advance: number): void {
    if (byte === 0x0a && this.#pieces.length === 0) this.feed(modes.lineSpacing, 1);
    else if (byte === 0x0a || byte === 0x0c) this.endLine(modes);
    else if (byte === 0x09) {
      const stop = modes.tabs.find((column) => column * advance > this.#x);
      if (stop !== undefined && stop * advance < this.#lineWidth(modes)) this.#x = stop * advance;
    }
  }

  #put(text: string, style: Style, advance: number): void {
    const width = text.length * advance;
    const last = this.#pieces.at(-1);
    const x = this.#x;
    this.#x += width;
    if (last?.kind === 'text' && last.x + last.width === x && JSON.stringify(last.style) === JSON.stringify(style)) {
      this.#pieces[this.#pieces.length - 1] = { ...last, width: last.width + width, text: last.text + text };
    } else this.#pieces.push({ kind: 'text', x, width, height: this.cellOf(style).height * style.height, text, style });
  }

  #lineWidth({ leftMargin, printWidth }: Modes): number {
    return Math.max(0, Math.min(printWidth, this.dots - leftMargin));
  }

  /** Left edge, in dots, of something of this width, by the alignment. */
  #place(width: number, modes: Modes): number {
    const free = Math.max(0, this.#lineWidth(modes) - width);
    return modes.leftMargin + (modes.align === 'left' ? 0 : modes.align === 'right' ? free : Math.floor(free / 2));
  }

  #nextY(): number {
    this.#closeRaster();
    return this.#y;
  }

  #closeRaster(): void {
    const open = this.#raster;
    this.#raster = undefined;
    if (!open) return;
    const { rowBytes, scaleX, scaleY, width = rowBytes * 8 } = open.shape;
    const rows = Math.ceil(open.bytes / rowBytes);
    const data = new Uint8Array(rows * rowBytes);
    data.set(concatenated(open.parts));
    const bitmap = { width, height: rows, scaleX, scaleY, rows: data };
    const sent = open.starts.map((start, n) => data.subarray(start, open.starts[n + 1] ?? open.bytes));
    this.#add({ kind: 'raster', x: open.x, y: open.y, width: open.width, height: rows * scaleY, bitmap, sent });
  }

  #add(row: Row): void {
    this.#rows.push(row);
    this.#y = row.y + row.height;
    if (this.#rows.length > MAX_ROWS) this.#rows = this.#rows.slice(MAX_ROWS / 4);
  }
}
