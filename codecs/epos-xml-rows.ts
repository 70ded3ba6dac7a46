/** Text of ePOS-Print XML, which comes in pieces with styles of their own, as rows of print lines. */
import type { EposAlign, EposLine, EposRemark } from './epos-xml-values.ts';
import { columnsIn, roomFor } from './text-columns.ts';

/** How text looks, until the next `text` says otherwise. */
export interface EposStyle {
  readonly font: 'a' | 'b';
  /** Multiples of the character. */
  readonly width: number;
  readonly height: number;
  readonly bold: boolean;
  readonly underline: boolean;
  readonly invert: boolean;
}

const PLAIN: EposStyle = { font: 'a', width: 1, height: 1, bold: false, underline: false, invert: false };
/** Dots across a character. */
const FONT_DOTS = { a: 12, b: 9 } as const;
/** Characters of a text line; the contract of the printer has 8,192. */
const MOST_VALUE = 8000;
/** Dots from one tab stop to the next: 8 characters of Font A, as after a reset (HT, ESC D). */
const TAB_DOTS = 8 * FONT_DOTS.a;
/** Cells of a columns line. */
const MOST_CELLS = 16;
/** Dots that a row may be left blank up to a place. */
const MOST_BLANK = 96 * FONT_DOTS.a;

interface Piece {
  readonly text: string;
  readonly style: EposStyle;
  /** Where it begins on its row and where it ends, in dots. */
  readonly begin: number;
  readonly end: number;
  /** How many spaces it ends with. */
  readonly spaces: number;
  /** The place that was asked for. */
  readonly x?: number | undefined;
  /** Whether `x` is a tab stop. */
  readonly tabbed?: boolean;
}

/** Puts pieces of text together into rows. */
export class EposRows {
  readonly #add: (line: EposLine) => void;
  #style = PLAIN;
  #align: EposAlign = 'left';
  #row: Piece[] = [];
  /** Where it ends, in dots. */
  #rowEnd = 0;
  /** Begun for text at a place that the row before it had passed. */
  #isNext = false;
  /** Whole rows of one look, which are not added yet. */
  #rows:
    | { readonly values: string[]; readonly style: EposStyle; readonly align: EposAlign; length: number }
    | undefined;

  readonly #remark: EposRemark;

  /** `remark`: told of rows whose looks are not all printed, and of places that text does not get. */
  constructor(add: (line: EposLine) => void, remark: EposRemark) {
    this.#add = add;
    this.#remark = remark;
  }

  /** Adds a piece of text; each LF ends a row. `x`: where it begins on its row, in dots. */
  text(text: string, align: EposAlign, change: Partial<EposStyle>, x: number | undefined): void {
    this.#style = { ...this.#style, ...change };
    // The alignment is that of the beginning of a row (ESC a).
    if (this.#row.length === 0) this.#align = align;
    const [first = '', ...rest] = text.replace(/\r\n?/g, '\n').split('\n');
    this.#piece(first, x !== undefined && this.#canGoTo(x, align) ? x : undefined);
    for (const row of rest) {
      this.#endRow();
      this.#align = align;
      this.#piece(row);
    }
  }

  /** Ends the row that is open, as a command that is no text does. False where there was none. */
  endRow(): boolean {
    const open = this.#row.length > 0;
    if (open) this.#endRow();
    this.#flush();
    return open;
  }

  /** Ends everything. */
  end(): void {
    this.endRow();
  }

  #piece(text: string, x?: number): void {
    const [first = '', ...tabbed] = text.split('\t');
    if (first !== '' || x !== undefined) this.#put(first, x);
    for (const part of tabbed) {
      const stop = (Math.floor(this.#rowEnd / TAB_DOTS) + 1) * TAB_DOTS;
      this.#put(part, stop, true);
    }
  }

  #put(text: string, x?: number, tabbed = false): void {
    const style = this.#style;
    const begin = Math.max(this.#rowEnd, x ?? 0);
    this.#rowEnd = begin + columnsIn(text) * dotsOf(style);
    this.#row.push({ text, style, begin, end: this.#rowEnd, spaces: spacesOf(text), x, tabbed });
  }

  /** Makes room at a place in dots: in the next row where there is text behind it. False where it is on no paper. */
  #canGoTo(x: number, align: EposAlign): boolean {
    const most = x + dotsOf(this.#style) / 2;
    // Back over text a printer prints one upon the other, or is in its next row, as the text was longer than the paper.
    if (this.#rowEnd > most && !this.#cutBlanks(x, most)) {
      this.#remark('x: text at a place behind the end of its row is printed in the next one');
      this.#endRow();
      this.#align = align;
      this.#isNext = true;
    }
    if (x <= this.#rowEnd + MOST_BLANK) return true;
    // As ESC $ has it.
    this.#remark('x: a place outside of the paper is passed over');
    return false;
  }

  /** Cuts the spaces that the row has behind a place; false, and nothing cut, where there is more than spaces behind `most`. */
  #cutBlanks(x: number, most: number): boolean {
    const row = this.#row;
    const from = row.findLastIndex(({ end }) => end <= most) + 1;
    const behind = row.slice(from);
    if (behind.some((piece) => piece.spaces < piece.text.length && inkEndOf(piece) > most)) return false;
    row.length = from;
    const [first] = behind;
    if (first !== undefined && first.begin < most) {
      // What is left of its spaces may be underlined.
      const spaces = Math.max(0, Math.floor((x - inkEndOf(first)) / dotsOf(first.style)));
      const text = first.text.slice(0, first.text.length - first.spaces + spaces);
      row.push({ ...first, text, spaces, end: inkEndOf(first) + spaces * dotsOf(first.style) });
    }
    this.#rowEnd = row.at(-1)?.end ?? 0;
    return true;
  }

  #endRow(): void {
    const row = this.#row;
    const isNext = this.#isNext;
    this.#row = [];
    this.#rowEnd = 0;
    this.#isNext = false;
    // The LF of the row before it.
    if (isNext && row.every(({ text }) => text === '')) return;
    const style = oneStyleOf(row) ?? (row.length === 0 ? this.#style : undefined);
    const columns = style === undefined && this.#align === 'left' ? columnsOf(row) : undefined;
    if (columns !== undefined) {
      this.#flush();
      this.#add(columns);
      return;
    }
    const common = style ?? commonStyleOf(row);
    if (style === undefined)
      this.#remark('text: a row of several looks is printed in what all of it has, in its smallest size');
    const value = placed(row, common);
    for (let from = 0; from === 0 || from < value.length; from += MOST_VALUE)
      this.#value(value.slice(from, from + MOST_VALUE), common);
  }

  #value(value: string, style: EposStyle): void {
    const { length } = value;
    const rows = this.#rows;
    const fits = rows?.align === this.#align && isSame(rows.style, style) && rows.length + length < MOST_VALUE;
    if (!fits) this.#flush();
    this.#rows ??= { values: [], style, align: this.#align, length: 0 };
    this.#rows.values.push(value);
    this.#rows.length += length + 1;
  }

  #flush(): void {
    if (this.#rows === undefined) return;
    const { values, style, align } = this.#rows;
    this.#rows = undefined;
    const { font, width, height, bold, underline, invert } = style;
    this.#add({
      type: 'text',
      value: values.join('\n'),
      ...(align !== 'left' && { align }),
      ...(font === 'b' && { font }),
      ...((width > 1 || height > 1) && { size: `${width}x${height}` }),
      ...(bold && { bold }),
      ...(underline && { underline }),
      ...(invert && { invert }),
    });
  }
}

/**
 * A row of plain and bold text, side by side; undefined where it has other looks, too, or too many of these. It may be longer than any
 * paper: `fitted` wraps it.
 */
function columnsOf(row: readonly Piece[]): EposLine | undefined {
  if (row.some(({ style }) => !isSame({ ...style, bold: false }, PLAIN))) return undefined;
  const cells: { value: string; width: number; bold: boolean }[] = [];
  // Where the last cell ends, and where its text does: of words that are drawn, about.
  let [room, column] = [0, 0];
  for (const { text, style, x } of row) {
    const last = cells.at(-1);
    const value = ' '.repeat(missing(x, last?.bold === style.bold ? column : room, style)) + text;
    if (value === '') continue;
    const width = roomFor(value);
    column = (last?.bold === style.bold ? column : room) + columnsIn(value);
    room += width;
    // Spaces look the same.
    if (last !== undefined && (last.bold === style.bold || value.trim() === '')) {
      last.value += value;
      last.width += width;
    } else cells.push({ value, width, bold: style.bold });
  }
  if (cells.length === 0 || cells.length > MOST_CELLS) return undefined;
  return {
    type: 'columns',
    cells: cells.map(({ value, width, bold }, index) => ({
      value,
      ...(index + 1 < cells.length && { width: Math.max(1, width) }),
      ...(bold && { bold }),
    })),
  };
}

/** The text of a row in one style, with what stands at a place there. */
function placed(row: readonly Piece[], style: EposStyle): string {
  // The node has the same stops where its columns are those of Font A, and goes on with them where it wraps.
  if (
    dotsOf(style) === FONT_DOTS.a &&
    row.every(({ x, tabbed, style: own }) => dotsOf(own) === FONT_DOTS.a && (x === undefined || tabbed))
  )
    return row.map(({ text, tabbed }) => (tabbed ? `\t${text}` : text)).join('');
  let value = '';
  let column = 0;
  for (const { text, x } of row) {
    const spaces = missing(x, column, style);
    value += ' '.repeat(spaces) + text;
    column += spaces + columnsIn(text);
  }
  return value;
}

/** Spaces up to a place in dots, behind so many columns. */
const missing = (x: number | undefined, columns: number, style: EposStyle): number =>
  x === undefined ? 0 : Math.max(0, Math.round(x / dotsOf(style)) - columns);

const dotsOf = ({ font, width }: EposStyle): number => FONT_DOTS[font] * width;

function spacesOf(text: string): number {
  let begin = text.length;
  while (text[begin - 1] === ' ') begin -= 1;
  return text.length - begin;
}

/** Where the last character of a piece ends that is no space, in dots. */
const inkEndOf = ({ style, end, spaces }: Piece): number => end - spaces * dotsOf(style);

/**
 * How a row of several looks is printed, as lines of a node have one: in the smallest of its sizes, so that it has place, and as all of
 * it looks otherwise.
 */
function commonStyleOf(row: readonly Piece[]): EposStyle {
  const seen = row.filter(({ text }) => text.trim() !== '');
  const styles = (seen.length > 0 ? seen : row).map(({ style }) => style);
  const all = (name: 'bold' | 'underline' | 'invert') => styles.every((style) => style[name]);
  return {
    font: styles.every(({ font }) => font === 'b') ? 'b' : 'a',
    width: Math.min(...styles.map(({ width }) => width)),
    height: Math.min(...styles.map(({ height }) => height)),
    ...{ bold: all('bold'), underline: all('underline'), invert: all('invert') },
  };
}

/** The style of all pieces; that of spaces counts where it can be seen. */
function oneStyleOf(row: readonly Piece[]): EposStyle | undefined {
  const seen = row.filter(({ text, style }) => text.trim() !== '' || !isSame({ ...style, bold: false }, PLAIN));
  const [first = row[0]] = seen;
  return first !== undefined && seen.every(({ style }) => isSame(style, first.style)) ? first.style : undefined;
}

const isSame = (a: EposStyle, b: EposStyle): boolean =>
  a.font === b.font &&
  a.width === b.width &&
  a.height === b.height &&
  a.bold === b.bold &&
  a.underline === b.underline &&
  a.invert === b.invert;
