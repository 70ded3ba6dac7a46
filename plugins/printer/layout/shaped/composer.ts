/** Puts drawn runs together to pictures: a row as a raster, or a few characters within a printed row. */
import { inlineGlyph } from '../../../../codecs/block-letters.ts';
import { CHARACTER_DOTS, LINE_DOTS } from '../../../../codecs/escpos-line.ts';
import { UNKNOWN } from '../../../../codecs/printable.ts';
import type { Bitmap } from '../../../../codecs/raster.ts';
import { CELL, type DrawnRun, type TextStyle, type Typesetter } from '../typesetter.ts';
import { mirrored } from './bidi.ts';
import { cellOf, type Placed, textOfGraphemes } from './rows.ts';

/** A drawn run, `x` dots from the left of its row. */
interface Ink {
  readonly x: number;
  readonly run: DrawnRun;
}

/** Part of a row of characters, in dots. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Decoration {
  readonly underline: boolean;
  readonly invert: boolean;
}

export interface DrawnRow {
  readonly bitmap: Bitmap;
  /** Characters that no face has, and no block letter. */
  readonly substituted: number;
}

/** Printed rows of the underline. */
const UNDERLINE_DOTS = 2;
/** Rows of white below letters that are higher than a character cell, as stacked ones are: without them rows would touch. */
const LEADING_DOTS = 2;

/**
 * Draws a whole row, as high as a printed one at least. `keep`: which part of it the raster has, from where its ink is to the
 * dot; faces say more, and less by far where they are bold or enlarged.
 */
export function drawRow(
  pieces: readonly Placed[],
  advance: number,
  typesetter: Typesetter,
  { underline, invert }: Decoration,
  keep: (ink: Span) => Span,
): DrawnRow {
  const { inks, substituted } = inksOf(pieces, typesetter);
  const black = inks.map(({ x, run }) => blackOf(x + run.left, run));
  const height = Math.max(1, ...pieces.map(({ style }) => style.height));
  const ascent = Math.max(CELL.ascent * height, ...inks.map(({ run }) => run.ascent));
  const descent = Math.max(CELL.descent * height, ...inks.map(({ run }) => run.descent));
  const decorated = underline || invert;
  const span = keep({
    from: Math.min(decorated ? 0 : advance, ...black.map(({ from }) => from)),
    to: Math.max(decorated ? advance : 0, ...black.map(({ to }) => to)),
  });
  const leading = ascent + descent > CHARACTER_DOTS * height ? LEADING_DOTS * height : 0;
  const canvas = new Canvas(Math.max(1, span.to - span.from), Math.max(lineDots(height), ascent + descent + leading));
  for (const { x, run } of inks) canvas.draw(run, x + run.left - span.from, ascent - run.ascent);
  if (underline) canvas.fill(-span.from, advance - span.from, ascent + descent - UNDERLINE_DOTS, ascent + descent);
  if (invert) canvas.invert(-span.from, advance - span.from, 0, ascent + descent);
  return { bitmap: canvas, substituted };
}

/** From the first black column of a run to its last, where its dots begin at `left`; nothing of a white one. */
function blackOf(left: number, { width, dots }: DrawnRun): Span {
  const columns = new Uint8Array(Math.ceil(width / 8));
  const { length } = columns;
  for (let row = 0; row < dots.length; row += length)
    for (let column = 0; column < length; column += 1) columns[column]! |= dots[row + column]!;
  const first = columns.findIndex((byte) => byte !== 0);
  const last = columns.findLastIndex((byte) => byte !== 0);
  if (first < 0) return { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  const lowest = columns[last]! & -columns[last]!;
  return { from: left + 8 * first + Math.clz32(columns[first]!) - 24, to: left + 8 * last + Math.clz32(lowest) - 23 };
}

/** White at both ends of a row of characters, in dots. */
export interface Ends {
  readonly before: number;
  readonly after: number;
}

export const NO_WHITE: Ends = { before: 0, after: 0 };

/** The white at the ends of a row: of the drawn piece that stands there, as a printed letter has its whole cell. */
export function whiteOf(pieces: readonly Placed[]): Ends {
  const [first, last] = [pieces[0]?.run, pieces.at(-1)?.run];
  const inked = (run: DrawnRun | undefined) => {
    const black = run === undefined ? undefined : blackOf(run.left, run);
    return black !== undefined && black.from < black.to ? black : undefined;
  };
  return {
    before: Math.max(0, inked(first)?.from ?? 0),
    after: last === undefined ? 0 : Math.max(0, last.advance - (inked(last)?.to ?? last.advance)),
  };
}

/** Rows of paper that a printed line of this height takes. */
const lineDots = (height: number): number => Math.max(LINE_DOTS, CHARACTER_DOTS * height);

/** True where a run fits the cell of a printed row: a dot of it may be lost on each side. */
export const fitsCell = ({ advance, ascent, descent, left, width }: DrawnRun): boolean =>
  ascent <= CELL.ascent && descent <= CELL.descent && left >= -1 && left + width <= advance + 1;

/**
 * Runs within a printed row as data of ESC *, 24 dots high: three bytes a column, the most significant bit on top. Without the
 * white that they have at their ends.
 */
export function inlineImage(runs: readonly DrawnRun[], { before, after }: Ends): Uint8Array {
  const columns = new Uint8Array(3 * runs.reduce((sum, { advance }) => sum + advance, 0));
  let x = 0;
  for (const { advance, ascent, left, width, dots } of runs) {
    const rowBytes = Math.ceil(width / 8);
    for (let row = 0; row * rowBytes < dots.length; row += 1) {
      const y = CELL.ascent - ascent + row;
      for (let column = Math.max(0, -left); column < Math.min(width, advance - left); column += 1) {
        if ((dots[row * rowBytes + (column >> 3)]! & (0x80 >> (column & 7))) === 0) continue;
        columns[3 * (x + left + column) + (y >> 3)]! |= 0x80 >> (y & 7);
      }
    }
    x += advance;
  }
  return columns.subarray(3 * before, columns.length - 3 * after);
}

function inksOf(
  pieces: readonly Placed[],
  typesetter: Typesetter,
): { readonly inks: readonly Ink[]; readonly substituted: number } {
  const inks: Ink[] = [];
  let substituted = 0;
  for (const { way, graphemes, level, dots, run, x, style } of pieces) {
    if (way === 'blank') continue;
    const direction = level % 2 === 1 ? 'rtl' : 'ltr';
    const text = textOfGraphemes(graphemes);
    if (run !== undefined) inks.push({ x, run });
    else if (graphemes.every((each) => each.text !== UNKNOWN && typesetter.draws(each.text))) {
      inks.push({ x, run: typesetter.run(text, style, direction) });
    } else {
      const step = dots / text.length;
      const from = direction === 'rtl' ? x + dots - step : x;
      for (const [index, char] of [...text].entries()) {
        const ink = inkOf(char, style, direction, typesetter);
        if (ink === undefined) substituted += 1;
        inks.push({
          x: from + index * (direction === 'rtl' ? -step : step),
          run: ink ?? inkOf('?', style, 'ltr', typesetter)!,
        });
      }
    }
  }
  return { inks, substituted };
}

/** A character as its face draws it, or as a block letter; undefined for what neither has. */
function inkOf(char: string, style: TextStyle, direction: 'ltr' | 'rtl', typesetter: Typesetter): DrawnRun | undefined {
  // Faces have a drawing of it, which is of any width.
  if (char === UNKNOWN) return undefined;
  if (typesetter.draws(char)) return typesetter.run(char, style, direction);
  return blockRun(direction === 'rtl' ? mirrored(char) : char, style);
}

/** A block letter in the place of a character; undefined where there is none. */
function blockRun(char: string, style: TextStyle): DrawnRun | undefined {
  const width = cellOf(style);
  const columns = inlineGlyph(char, width);
  if (columns === undefined) return undefined;
  const { height } = style;
  const canvas = new Canvas(width, CHARACTER_DOTS * height);
  for (let x = 0; x < width; x += 1) {
    for (let y = 0; y < CHARACTER_DOTS * height; y += 1) {
      const row = Math.floor(y / height);
      if ((columns[3 * x + (row >> 3)]! & (0x80 >> (row & 7))) !== 0) canvas.fill(x, x + 1, y, y + 1);
    }
  }
  const { ascent, descent } = CELL;
  return { advance: width, ascent: ascent * height, descent: descent * height, left: 0, width, dots: canvas.data };
}

/** A bitmap that is drawn on. What is outside of it is left out. */
class Canvas implements Bitmap {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly #rowBytes: number;
  /** Mask of the bits of the last byte of a row that are dots. */
  readonly #lastByte: number;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#rowBytes = Math.ceil(width / 8);
    this.#lastByte = (0xff << (8 * this.#rowBytes - width)) & 0xff;
    this.data = new Uint8Array(this.#rowBytes * height);
  }

  /** Adds the dots of a run with its upper left corner at `x`, `y`. */
  draw({ width, dots }: Pick<DrawnRun, 'width' | 'dots'>, x: number, y: number): void {
    const from = Math.ceil(width / 8);
    const to = this.#rowBytes;
    const first = x >> 3;
    const shift = x & 7;
    for (let row = 0; row * from < dots.length; row += 1) {
      const line = (y + row) * to;
      if (line < 0 || line >= this.data.length) continue;
      for (let at = 0; at < from; at += 1) {
        const byte = dots[row * from + at]!;
        if (byte === 0) continue;
        const column = first + at;
        if (column >= 0 && column < to) this.data[line + column]! |= byte >> shift;
        if (shift > 0 && column >= -1 && column + 1 < to) this.data[line + column + 1]! |= (byte << (8 - shift)) & 0xff;
      }
      // The last byte of a row may reach over the edge, which may be that of the paper.
      this.data[line + to - 1]! &= this.#lastByte;
    }
  }

  /** Blackens columns `left` to `right` of rows `top` to `bottom` (exclusive). */
  fill(left: number, right: number, top: number, bottom: number): void {
    this.#each(left, right, top, bottom, (at, bit) => {
      this.data[at]! |= bit;
    });
  }

  /** Turns black to white there, and white to black. */
  invert(left: number, right: number, top: number, bottom: number): void {
    this.#each(left, right, top, bottom, (at, bit) => {
      this.data[at]! ^= bit;
    });
  }

  #each(left: number, right: number, top: number, bottom: number, change: (at: number, bit: number) => void): void {
    for (let y = top; y < Math.min(bottom, this.height); y += 1) {
      for (let x = Math.max(0, left); x < Math.min(right, this.width); x += 1) {
        change(y * this.#rowBytes + (x >> 3), 0x80 >> (x & 7));
      }
    }
  }
}
