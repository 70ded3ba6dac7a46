/**
 * Text that is more than one UTF-16 unit a column: two-byte characters, scripts that the node draws, right to left. A row from
 * left to right whose drawn letters fit the character cell is printed text with pictures in it (ESC *); any other with drawn
 * letters is one picture (GS v 0).
 */
import { blockLetter } from '../../../../codecs/block-letters.ts';
import type { EscposOptions } from '../../../../codecs/escpos.ts';
import type { EscposEncoder } from '../../../../codecs/escpos-encoder.ts';
import { type Align, FONT_B_DOTS, fontADots } from '../../../../codecs/escpos-line.ts';
import { type Bitmap, nudged } from '../../../../codecs/raster.ts';
import type { Line } from '../../contract/lines.ts';
import type { Shaping, SymbolDrawer, TextRows } from '../shaping.ts';
import type { DrawnRun, TextStyle, Typesetter } from '../typesetter.ts';
import { mirrored } from './bidi.ts';
import {
  type Decoration,
  drawRow,
  type Ends,
  fitsCell,
  inlineImage,
  NO_WHITE,
  type Span,
  whiteOf,
} from './composer.ts';
import { graphemesOf } from './graphemes.ts';
import { Routes } from './routes.ts';
import { cellOf, type Measures, type Placed, type TextRow, textOfGraphemes, textRowsOf } from './rows.ts';

type Of<T extends Line['type']> = Extract<Line, { type: T }>;

type Row = Pick<TextRow, 'pieces' | 'advance' | 'text'>;

const PLAIN: Decoration = { underline: false, invert: false };
/** Multiples of the character cell that a banner has, as large as fits; in between it is broken into rows. */
const BANNER_SIZES = { least: 2, most: 6 } as const;

/** Shapes the text of one job. Without a typesetter (an image without faces) it draws nothing. */
export class ShapedText implements Shaping {
  readonly #typesetter: Typesetter | undefined;
  readonly symbols: SymbolDrawer | undefined;
  #routes: Routes | undefined;

  constructor(typesetter?: Typesetter, symbols?: SymbolDrawer) {
    this.#typesetter = typesetter;
    this.symbols = symbols;
  }

  text(
    encoder: EscposEncoder,
    { value, align, font, bold = false, underline = false, invert = false }: Of<'text'>,
    { width, height, fits, trim }: TextRows,
    styled: (write: () => void) => void,
    options: EscposOptions,
  ): void {
    const style: TextStyle = { width, height, cell: font === 'b' ? FONT_B_DOTS : fontADots(options), bold };
    const decoration: Decoration = { underline, invert };
    // Never wider than the paper, where a picture is cut off and not continued below.
    const paper = Math.max(cellOf(style), Math.min(fits * cellOf(style), options.dots));
    for (const row of textRowsOf(value, this.#measures(encoder, options, { style, width: paper, trim }))) {
      const { pieces, advance } = row;
      const side = align ?? startOf(row);
      encoder.align(side);
      if (this.#isPicture(pieces, decoration)) {
        this.#picture(encoder, row, side, decoration, options);
      } else {
        const white = side === 'center' ? whiteOf(pieces) : NO_WHITE;
        styled(() => {
          encoder.beginRow(advance - white.before - white.after);
          const end = this.#print(encoder, pieces, 0, white);
          gap(encoder, advance - end, cellOf(style));
          encoder.newLine();
        });
      }
    }
  }

  columns(
    encoder: EscposEncoder,
    cells: Of<'columns'>['cells'],
    widths: readonly number[],
    options: EscposOptions,
  ): void {
    const cell = fontADots(options);
    const places = placesOf(widths, Math.max(1, Math.floor(options.dots / cell)));
    // Text that ends at the right of its cell would touch what begins at the left of the next one.
    const margins = cells.map(({ align }, index) =>
      align === undefined && index < cells.length - 1 && places[index]!.width > 1 ? cell : 0,
    );
    const texts = cells.map(({ value, bold = false }, index) => {
      const { width } = places[index]!;
      const measures = {
        style: { width: 1, height: 1, cell, bold },
        width: width * cell,
        margin: margins[index]!,
        trim: true,
      };
      return textRowsOf(value, this.#measures(encoder, options, measures));
    });
    for (;;) {
      const rows = texts.map((each) => each.next().value ?? undefined);
      if (rows.every((row) => row === undefined)) break;
      const placed = rows.map((row, index): InCell => {
        if (row === undefined) return { text: '', pieces: [] };
        const { column, width } = places[index]!;
        const margin = row.rightToLeft ? margins[index]! : 0;
        const align = cells[index]!.align ?? startOf(row);
        return { text: row.text, pieces: inCell(row, column * cell, width * cell - margin, align, cell) };
      });
      const lines = places.at(-1)!.line + 1;
      const onLine = (line: number) => placed.filter((_, index) => places[index]!.line === line);
      const filled = Array.from({ length: lines }, (_, line) => onLine(line)).filter((line) =>
        line.some(({ pieces }) => pieces.length > 0),
      );
      if (filled.length === 0) encoder.newLine();
      for (const line of filled) this.#cells(encoder, line, options);
    }
  }

  /** Prints cells side by side, one row of each. */
  #cells(encoder: EscposEncoder, cells: readonly InCell[], options: EscposOptions): void {
    const pieces = cells.flatMap((each) => each.pieces);
    if (this.#isPicture(pieces, PLAIN)) {
      const advance = Math.max(...pieces.map(({ x, dots }) => x + dots));
      const text = cells.reduce((line, each) => cellText(line, each, fontADots(options)), '');
      this.#picture(encoder, { pieces, advance, text }, 'left', PLAIN, options);
      return;
    }
    let x = 0;
    for (const each of cells) x = this.#printCell(encoder, each.pieces, x, fontADots(options));
    encoder.newLine();
  }

  banner(encoder: EscposEncoder, { value, align }: Of<'banner'>, options: EscposOptions): boolean {
    const { dots } = options;
    const lacking = graphemesOf(value.normalize('NFC')).filter(
      (each) => !/^[\u00ad\u200b]$/.test(each) && blockLetter(each) === undefined,
    );
    if (!lacking.some((each) => this.#typesetter?.draws(each))) return false;
    const rowsAt = (size: number) => {
      const style: TextStyle = { width: size, height: size, cell: fontADots(options), bold: true };
      return [...textRowsOf(value, this.#measures(encoder, options, { style, width: dots, trim: true }))];
    };
    const least = rowsAt(BANNER_SIZES.least);
    let rows: TextRow[] = [];
    // As many rows as at the least size, and no hyphen lost that has no room.
    const isLike = (rows: readonly TextRow[]) => rows.length === least.length && inkOf(rows) === inkOf(least);
    for (let size = BANNER_SIZES.most; !isLike(rows); size -= 1) {
      rows = size > BANNER_SIZES.least ? rowsAt(size) : least;
    }
    for (const row of rows) {
      const side = align ?? startOf(row);
      encoder.align(side);
      this.#picture(encoder, row, side, PLAIN, options);
    }
    encoder.align('left');
    return true;
  }

  #measures(
    encoder: EscposEncoder,
    { twoByte }: EscposOptions,
    of: Pick<Measures, 'style' | 'width' | 'trim'> & Partial<Measures>,
  ): Measures {
    this.#routes ??= new Routes(encoder, twoByte, this.#typesetter);
    const bytesLeft = () => encoder.bytesLeft;
    return { routes: this.#routes, typesetter: this.#typesetter, margin: 0, bytesLeft, ...of };
  }

  /** True where a row cannot be printed text with pictures in it. */
  #isPicture(pieces: readonly Placed[], { underline, invert }: Decoration): boolean {
    const drawn = pieces.filter(({ run }) => run !== undefined);
    if (drawn.length === 0) return false;
    return (
      underline ||
      invert ||
      pieces.some(({ level }) => level % 2 === 1) ||
      drawn.some(
        ({ run, style }) => style.width > 1 || style.height > 1 || style.cell === FONT_B_DOTS || !fitsCell(run!),
      )
    );
  }

  /** Draws a row and prints it as a raster. */
  #picture(encoder: EscposEncoder, row: Row, align: Align, decoration: Decoration, options: EscposOptions): void {
    const keep = keeping(align, row, options.dots);
    const { bitmap, substituted } = drawRow(row.pieces, row.advance, this.#typesetter!, decoration, keep);
    this.picture(encoder, bitmap, row.text, options);
    encoder.substituted += substituted;
  }

  picture(encoder: EscposEncoder, bitmap: Bitmap, text: string, { rasterRows }: EscposOptions): void {
    encoder.drawnRaster(bitmap, rasterRows, text, nudged);
  }

  #printCell(encoder: EscposEncoder, pieces: readonly Placed[], x: number, cell: number): number {
    const first = pieces.find(({ way }) => way !== 'blank');
    if (first === undefined) return x;
    gap(encoder, first.x - x, cell);
    if (first.style.bold) encoder.bold(true);
    const end = this.#print(encoder, pieces, first.x);
    if (first.style.bold) encoder.bold(false);
    return end;
  }

  /** Prints the pieces of a row from `x` on, in dots, without the white at its ends. Gives where the last one ends. */
  #print(encoder: EscposEncoder, pieces: readonly Placed[], x: number, white = NO_WHITE): number {
    let end = x;
    for (let at = 0; at < pieces.length; ) {
      const { way, x: from, style } = pieces[at]!;
      if (way === 'blank') {
        at += 1;
        continue;
      }
      gap(encoder, from - end, cellOf(style));
      end = from;
      // One command for what stands side by side.
      const group: Placed[] = [];
      const before = at === 0 ? white.before : 0;
      for (; pieces[at]?.way === way && pieces[at]!.x === end; at += 1) {
        group.push(pieces[at]!);
        end += pieces[at]!.dots;
      }
      if (way === 'drawn') this.#inline(encoder, group, { before, after: at === pieces.length ? white.after : 0 });
      else if (way === 'two-byte') encoder.twoByteText(group.flatMap((each) => inOrder(each).map(this.#codeOf)));
      else for (const each of group) printed(encoder, inOrder(each).join(''));
    }
    return end;
  }

  readonly #codeOf = (char: string): number => this.#routes!.twoByteCode(char);

  #inline(encoder: EscposEncoder, pieces: readonly Placed[], white: Ends): void {
    const runs = pieces.flatMap(({ run }): DrawnRun[] => (run === undefined ? [] : [run]));
    const dots = nudged(inlineImage(runs, white));
    encoder.bitImage(dots, pieces.map(({ graphemes }) => textOfGraphemes(graphemes)).join(''));
  }
}

/** How many characters rows have, spaces not counted. */
const inkOf = (rows: readonly TextRow[]): number =>
  rows.reduce((sum, { pieces }) => {
    const inked = pieces.filter(({ way }) => way !== 'blank');
    return sum + inked.reduce((count, { graphemes }) => count + graphemes.length, 0);
  }, 0);

/** The side on which rows of a paragraph begin. */
const startOf = ({ rightToLeft }: TextRow): Align => (rightToLeft ? 'right' : 'left');

/** Puts a row into a cell of so many dots. With nothing drawn it stands as a row of characters of `cell` dots would. */
function inCell({ pieces, advance }: TextRow, from: number, dots: number, align: Align, cell: number): Placed[] {
  const free = dots - advance;
  const half = free % cell === 0 ? ((free / cell) >> 1) * cell : free >> 1;
  const before = align === 'right' ? free : align === 'center' ? half : 0;
  return pieces.map((piece) => ({ ...piece, x: piece.x + from + before }));
}

/** One row of a cell. */
interface InCell {
  readonly text: string;
  readonly pieces: readonly Placed[];
}

/** Where a cell stands, in columns: on which line of its row, from which column on, and how wide. */
interface Place {
  readonly line: number;
  readonly column: number;
  readonly width: number;
}

/**
 * Where cells of these widths stand on paper of so many columns. Settings may say more columns than the printer has: what
 * does not fit goes on in the next line, at the column where a printer would go on with characters, but whole cells where
 * these fit a line.
 */
function placesOf(widths: readonly number[], columns: number): readonly Place[] {
  let [line, column] = [0, 0];
  return widths.map((cell) => {
    const width = Math.min(cell, columns);
    if (column + width > columns) [line, column] = [line + 1, 0];
    const place = { line, column, width };
    column += cell;
    for (; column > columns; column -= columns) line += 1;
    return place;
  });
}

/** A line of cells as text, with one more cell; a column is `cell` dots. */
function cellText(line: string, { pieces, text }: InCell, cell: number): string {
  if (text === '') return line;
  const column = Math.floor(Math.min(...pieces.map(({ x }) => x)) / cell);
  return `${line === '' ? '' : `${line} `}`.padEnd(column) + text;
}

/**
 * The part of a row that its raster has, which the encoder puts in its place to a dot. On the left and on the right it is aligned
 * by its characters, as printed rows are, but none of it is lost; in the middle stands what is black, with the spaces around it.
 * Never more than the dots of the printer: letters may reach over the edge of a full row.
 */
function keeping(align: Align, { pieces, advance }: Row, dots: number): (ink: Span) => Span {
  return (ink) => {
    if (align === 'left') {
      const from = Math.min(0, ink.from);
      return { from, to: Math.min(ink.to, from + dots) };
    }
    if (align === 'right') {
      const to = Math.max(advance, ink.to);
      return { from: Math.max(ink.from, to - dots), to };
    }
    const written = pieces.filter(({ way }) => way !== 'blank');
    // Spaces that are underlined or inverted are black themselves.
    const start = Math.min(ink.from, ...written.map(({ x }) => x));
    const from = ink.from - Math.max(0, start);
    const end = Math.max(ink.to, ...written.map((piece) => piece.x + piece.dots));
    const to = ink.to + Math.max(0, advance - end);
    const over = Math.max(0, to - from - dots);
    return { from: from + (over >> 1), to: to - (over - (over >> 1)) };
  };
}

/** Moves along a printed row: by spaces, and by a picture without ink for what is less than one. */
function gap(encoder: EscposEncoder, dots: number, cell: number): void {
  if (dots <= 0) return;
  encoder.spaces(Math.floor(dots / cell));
  if (dots % cell > 0) encoder.bitImage(new Uint8Array(3 * (dots % cell)));
}

/** The characters of a printed piece from left to right. */
const inOrder = ({ graphemes, level }: Placed): string[] => {
  const chars = graphemes.map(({ text }) => text);
  return level % 2 === 1 ? chars.reverse().map(mirrored) : chars;
};

/** Writes characters that a page has, or a block letter. */
function printed(encoder: EscposEncoder, text: string): void {
  if (!encoder.text(text, 0, text.length)) throw new Error(`no way to print ${JSON.stringify(text)}`);
}
