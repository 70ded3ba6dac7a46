/** Divides text into rows that fit a width in dots. */
import { TWO_BYTE_DOTS } from '../../../../codecs/escpos-line.ts';
import { UNKNOWN } from '../../../../codecs/printable.ts';
import type { DrawnRun, TextStyle, Typesetter } from '../typesetter.ts';
import { TAB_COLUMNS } from '../wrap.ts';
import { visualOrder } from './bidi.ts';
import { type Grapheme, type Paragraph, paragraphOf, paragraphsOf } from './paragraph.ts';
import type { Routes, Way } from './routes.ts';

/** Neighbouring graphemes of one way and one direction, between which no row may end. */
export interface Piece {
  readonly way: Way;
  readonly graphemes: readonly Grapheme[];
  readonly level: number;
  /** Along the row. */
  readonly dots: number;
  /** The run that `drawn` is about. */
  readonly run: DrawnRun | undefined;
}

/** A piece and where it begins, in dots from the left of its row. */
export interface Placed extends Piece {
  readonly x: number;
  readonly style: TextStyle;
}

export interface TextRow {
  /** From left to right. */
  readonly pieces: readonly Placed[];
  /** In dots. */
  readonly advance: number;
  /** In logical order. */
  readonly text: string;
  /** Direction of its paragraph. */
  readonly rightToLeft: boolean;
}

/** Dots of a character cell in this style. */
export const cellOf = ({ cell, width }: TextStyle): number => cell * width;

/** The text of graphemes, in logical order. */
export const textOfGraphemes = (graphemes: readonly Grapheme[]): string => graphemes.map(({ text }) => text).join('');

/** Graphemes that a piece is first tried with, so that no word costs more than a few rows of letters. */
const FIRST_IN_PIECE = 64;

/** What rows are divided with. */
export interface Measures {
  readonly routes: Routes;
  readonly typesetter: Typesetter | undefined;
  readonly style: TextStyle;
  /** Dots of a row, at least one cell. */
  readonly width: number;
  /** Dots of a row that paragraphs from right to left leave free. */
  readonly margin: number;
  /** Leave spaces at the end of a row out. */
  readonly trim: boolean;
  /** Bytes that the job may still take. */
  readonly bytesLeft: () => number;
}

/** The rows of a text, at least one. A grapheme that is wider than a row is a question mark. */
export function* textRowsOf(value: string, measures: Measures): Generator<TextRow, void> {
  for (const text of paragraphsOf(value)) {
    const paragraph = paragraphOf(text, measures.routes, measures.bytesLeft());
    const within = paragraph.rightToLeft ? { ...measures, width: measures.width - measures.margin } : measures;
    let from = 0;
    do {
      const row = fill(paragraph, from, within);
      yield placed(row.pieces, paragraph, measures);
      from = row.next;
    } while (from < paragraph.graphemes.length);
  }
}

/** The pieces of the row that begins at a grapheme, in logical order, and where the next row begins. */
function fill(
  { graphemes }: Paragraph,
  start: number,
  measures: Measures,
): { readonly pieces: readonly Piece[]; readonly next: number } {
  const { width, style, trim } = measures;
  const cell = cellOf(style);
  const pieces: Piece[] = [];
  let x = 0;
  let at = start;
  /** Where the row may end: how many pieces it has then, and where the next row begins. */
  let end: { readonly pieces: number; readonly next: number } | undefined;
  while (at < graphemes.length) {
    const { breaks, hyphen } = graphemes[at]!;
    if (at > start && breaks && (!hyphen || x + cell <= width)) end = { pieces: pieces.length, next: at };
    const piece = pieceAt(graphemes, at, x, measures);
    if (x + piece.dots <= width) {
      pieces.push(piece);
      x += piece.dots;
      at += piece.graphemes.length;
      continue;
    }
    if (piece.way === 'blank') {
      // Spaces before a break go over the edge, where nothing is printed.
      const next = afterBlanks(graphemes, at);
      if (end === undefined || (graphemes[next]?.breaks ?? true)) {
        pieces.push({ ...piece, dots: Math.floor((width - x) / cell) * cell });
        at = next;
        break;
      }
    }
    if (end !== undefined) {
      pieces.length = end.pieces;
      at = end.next;
      if (graphemes[at]!.hyphen) pieces.push(printed('-', pieces.at(-1)!.level, cell));
      break;
    }
    const part = largestPart(piece, width - x, measures);
    if (part !== undefined) pieces.push(part);
    else if (x === 0) pieces.push(printed(UNKNOWN, graphemes[at]!.level, cell));
    at += part?.graphemes.length ?? (x === 0 ? 1 : 0);
    break;
  }
  while (trim && pieces.at(-1)?.way === 'blank') pieces.pop();
  return { pieces, next: at };
}

/** Index of the first grapheme from here on that is no space. */
function afterBlanks(graphemes: readonly Grapheme[], from: number): number {
  let at = from;
  while (graphemes[at]?.way === 'blank') at += 1;
  return at;
}

/** One character as a piece of its own. */
const printed = (text: string, level: number, dots: number): Piece => ({
  way: 'printed',
  graphemes: [{ way: 'printed', text, level, breaks: false, hyphen: false }],
  level,
  dots,
  run: undefined,
});

/**
 * The piece that begins at a grapheme, `x` dots from the beginning of its row. It ends where its word does, or behind the
 * edge: letters on both sides of an end within the row would not be joined.
 */
function pieceAt(graphemes: readonly Grapheme[], from: number, x: number, measures: Measures): Piece {
  for (let most = FIRST_IN_PIECE; ; most *= 2) {
    const to = endOfPiece(graphemes, from, most);
    const piece = measured(graphemes.slice(from, to), x, measures);
    if (to < from + most || x + piece.dots > measures.width) return piece;
  }
}

/** Index behind the last grapheme, of at most so many, that can stand in a piece with the first one. */
function endOfPiece(graphemes: readonly Grapheme[], from: number, most: number): number {
  const { way, level, text } = graphemes[from]!;
  let to = from + 1;
  if (text === '\t') return to;
  for (; to < graphemes.length && to - from < most; to += 1) {
    const next = graphemes[to]!;
    if (next.way !== way || next.level !== level || next.breaks || next.text === '\t') break;
  }
  return to;
}

function measured(graphemes: readonly Grapheme[], x: number, { typesetter, style, width }: Measures): Piece {
  const { way, level, text } = graphemes[0]!;
  const cell = cellOf(style);
  const run =
    way === 'drawn' ? typesetter!.run(textOfGraphemes(graphemes), style, level % 2 === 1 ? 'rtl' : 'ltr') : undefined;
  let dots: number;
  if (run !== undefined) dots = run.advance;
  else if (text === '\t') dots = Math.min(TAB_COLUMNS * cell - (x % (TAB_COLUMNS * cell)), width - x);
  else if (way === 'two-byte') dots = graphemes.length * TWO_BYTE_DOTS * style.width;
  else dots = textOfGraphemes(graphemes).length * cell;
  return { way, graphemes, level, dots, run };
}

/** The longest beginning of a piece that fits so many dots; undefined where not even its first grapheme does. */
function largestPart(piece: Piece, dots: number, measures: Measures): Piece | undefined {
  let found: Piece | undefined;
  let [least, most] = [1, piece.graphemes.length - 1];
  if (most < 1) return undefined;
  while (least <= most) {
    const middle = (least + most) >> 1;
    const part = measured(piece.graphemes.slice(0, middle), 0, measures);
    if (part.dots <= dots) {
      found = part;
      least = middle + 1;
    } else most = middle - 1;
  }
  return found;
}

/** Puts the pieces of a row in their order from left to right (UAX #9, L1 and L2). */
function placed(pieces: readonly Piece[], { rightToLeft }: Paragraph, { style }: Measures): TextRow {
  const base = rightToLeft ? 1 : 0;
  const levels = pieces.map(({ level }) => level);
  for (let at = pieces.length - 1; pieces[at]?.way === 'blank'; at -= 1) levels[at] = base;
  let x = 0;
  const row: Placed[] = [];
  for (const index of visualOrder(levels)) {
    const { way, graphemes, level, dots, run } = pieces[index]!;
    row.push({ way, graphemes, level, dots, run, x, style });
    x += dots;
  }
  return {
    pieces: row,
    advance: x,
    text: pieces.map(({ graphemes }) => textOfGraphemes(graphemes)).join(''),
    rightToLeft,
  };
}
