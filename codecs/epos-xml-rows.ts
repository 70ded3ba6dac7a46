/** Text of ePOS-Print XML, which comes in pieces with styles of their own, as rows of print lines. */
import { type EposAlign, EposError, type EposLine, type EposRemark } from './epos-xml-values.ts';
import { columnsIn } from './epos-xml-wrap.ts';

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
  /** Where it begins on its row, in dots. */
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
  /** Whole rows of one look, which are not added yet. */
  #rows:
    | { readonly values: string[]; readonly style: EposStyle; readonly align: EposAlign; length: number }
    | undefined;

  readonly #remark: EposRemark;

  /** `remark`: told of rows whose looks are not all printed. */
  constructor(add: (line: EposLine) => void, remark: EposRemark) {
    this.#add = add;
    this.#remark = remark;
  }

  /** Adds a piece of text; each LF ends a row. `x`: where it begins on its row, in dots. Throws an EposError. */
  text(text: string, align: EposAlign, change: Partial<EposStyle>, x: number | undefined): void {
    this.#style = { ...this.#style, ...change };
    // The alignment is that of the beginning of a row (ESC a).
    if (this.#row.length === 0) this.#align = align;
    const [first = '', ...rest] = text.replace(/\r\n?/g, '\n').split('\n');
    this.#piece(first, x);
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
    const end = this.#rowEnd;
    if (x !== undefined && x < end - dotsOf(this.#style) / 2) throw new EposError('x', 'stands behind text of its row');
    if (x !== undefined && x > end + MOST_BLANK) throw new EposError('x', 'is outside of the paper');
    const [first = '', ...tabbed] = text.split('\t');
    if (first !== '' || x !== undefined) this.#put({ text: first, style: this.#style, x });
    for (const part of tabbed) {
      const stop = (Math.floor(this.#rowEnd / TAB_DOTS) + 1) * TAB_DOTS;
      this.#put({ text: part, style: this.#style, x: stop, tabbed: true });
    }
  }

  #put(piece: Piece): void {
    this.#row.push(piece);
    this.#rowEnd = endOf(piece, this.#rowEnd);
  }

  #endRow(): void {
    const row = this.#row;
    this.#row = [];
    this.#rowEnd = 0;
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
  let column = 0;
  for (const { text, style, x } of row) {
    const last = cells.at(-1);
    const value = ' '.repeat(missing(x, column, style)) + text;
    if (value === '') continue;
    const width = columnsIn(value);
    column += width;
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

/** Where a piece ends on its row, in dots; `begin`: where the one before it ends. */
const endOf = ({ text, style, x }: Piece, begin: number): number =>
  Math.max(begin, x ?? 0) + columnsIn(text) * dotsOf(style);

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
