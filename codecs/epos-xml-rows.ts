/** Text of ePOS-Print XML, which comes in pieces with styles of their own, as rows of print lines. */
import { type EposAlign, EposError, type EposLine, type EposRemark } from './epos-xml-values.ts';

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
/** Cells of a columns line, and characters of one. */
const MOST_CELLS = 16;
const MOST_CELL = 96;
/** Characters that take two columns (UAX #11, W and F), in the scripts that receipts have. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/gu;

interface Piece {
  readonly text: string;
  readonly style: EposStyle;
  /** Where it begins on its row, in dots. */
  readonly x?: number | undefined;
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
    if (x !== undefined && x > end + MOST_CELL * FONT_DOTS.a) throw new EposError('x', 'is outside of the paper');
    if (text === '' && x === undefined) return;
    const piece = { text, style: this.#style, x };
    this.#row.push(piece);
    this.#rowEnd = endOf(piece, end);
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

/** A row of plain and bold text, side by side; undefined where it has other looks, too, or is too long. */
function columnsOf(row: readonly Piece[]): EposLine | undefined {
  if (row.some(({ style }) => !isSame({ ...style, bold: false }, PLAIN))) return undefined;
  const cells: { value: string; width: number; bold: boolean }[] = [];
  let column = 0;
  for (const { text, style, x } of row) {
    const last = cells.at(-1);
    const value = ' '.repeat(missing(x, column, style)) + text;
    const width = widthOf(value);
    column += width;
    // Spaces look the same.
    if (last !== undefined && (last.bold === style.bold || value.trim() === '')) {
      last.value += value;
      last.width += width;
    } else cells.push({ value, width, bold: style.bold });
  }
  if (cells.length > MOST_CELLS || cells.some(({ width }) => width > MOST_CELL)) return undefined;
  return {
    type: 'columns',
    cells: cells.map(({ value, width, bold }, index) => ({
      value,
      ...(index + 1 < cells.length && { width }),
      ...(bold && { bold }),
    })),
  };
}

/** The text of a row in one style, with what stands at a place there. */
function placed(row: readonly Piece[], style: EposStyle): string {
  let value = '';
  let column = 0;
  for (const { text, x } of row) {
    const spaces = missing(x, column, style);
    value += ' '.repeat(spaces) + text;
    column += spaces + widthOf(text);
  }
  return value;
}

/** Spaces up to a place in dots, behind so many columns. */
const missing = (x: number | undefined, columns: number, style: EposStyle): number =>
  x === undefined ? 0 : Math.max(0, Math.round(x / dotsOf(style)) - columns);

const dotsOf = ({ font, width }: EposStyle): number => FONT_DOTS[font] * width;

/** Where a piece ends on its row, in dots; `begin`: where the one before it ends. */
const endOf = ({ text, style, x }: Piece, begin: number): number =>
  Math.max(begin, x ?? 0) + widthOf(text) * dotsOf(style);

/**
 * How a row of several looks is printed, as lines of a node have one: in the smallest of its sizes, so that it has place, and as all of
 * it looks otherwise.
 */
function commonStyleOf(row: readonly Piece[]): EposStyle {
  const styles = row.filter(({ text }) => text.trim() !== '').map(({ style }) => style);
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

const widthOf = (text: string): number => text.length + (text.match(WIDE)?.length ?? 0);
