/** Lines that are text: wrapped rows, cells side by side, rules. Each function resets the style at its end. */
import type { EscposOptions } from '../../../codecs/escpos.ts';
import type { EscposEncoder } from '../../../codecs/escpos-encoder.ts';
import { printable } from '../../../codecs/printable.ts';
import type { Line } from '../contract/lines.ts';
import { NeedsShaping, type Shaping } from './shaping.ts';
import { afterRow, hasMarks, rowEnd, rowText, withoutTrailingSpaces } from './wrap.ts';

type Of<T extends Line['type']> = Extract<Line, { type: T }>;

/** Writes a text, wrapped. Gives the reason where it cannot be printed, undefined where it was written. */
export function text(
  encoder: EscposEncoder,
  line: Of<'text'>,
  lineColumns: number,
  options: EscposOptions,
  shaping: Shaping | undefined,
): string | undefined {
  const { value, align, underline, invert, size, font } = line;
  let width = 1;
  let height = 1;
  if (size !== undefined) {
    width = size.charCodeAt(0) - 0x30;
    height = size.length < 3 ? width : size.charCodeAt(2) - 0x30;
    const { maxSize } = options;
    if (Math.max(width, height) > maxSize) return `size ${size} is larger than the ${maxSize}x of this printer`;
  }
  // Font B is 9 dots wide where Font A is 12.
  const fits = Math.max(1, Math.floor((font === 'b' ? Math.floor((lineColumns * 4) / 3) : lineColumns) / width));

  // Spaces at the end of a row are kept where they are visible: underlined or inverted.
  const trim = underline !== true && invert !== true;
  const written = composing(encoder, (reading) => {
    encoder.align(align ?? 'left');
    beginStyle(encoder, line, width, height);
    if (!rows(encoder, reading.text(value), fits, trim, reading)) return false;
    endStyle(encoder, line, width, height);
    return true;
  });
  if (!written) {
    if (shaping === undefined) throw new NeedsShaping();
    const styled = (write: () => void): void => {
      beginStyle(encoder, line, width, height);
      write();
      endStyle(encoder, line, width, height);
    };
    shaping.text(encoder, line, { width, height, fits, trim }, styled, options);
  }
  encoder.align('left');
  return undefined;
}

type Style = Pick<Of<'text'>, 'font' | 'bold' | 'underline' | 'invert'>;

function beginStyle(encoder: EscposEncoder, style: Style, width: number, height: number): void {
  if (style.font === 'b') encoder.setTypeFontB();
  if (style.bold === true) encoder.bold(true);
  if (style.underline === true) encoder.underline(true);
  if (style.invert === true) encoder.invert(true);
  if (width > 1 || height > 1) encoder.setTextSize(width, height);
}

function endStyle(encoder: EscposEncoder, style: Style, width: number, height: number): void {
  if (width > 1 || height > 1) encoder.setTextSize(1, 1);
  if (style.invert === true) encoder.invert(false);
  if (style.underline === true) encoder.underline(false);
  if (style.bold === true) encoder.bold(false);
  if (style.font === 'b') encoder.setTypeFontA();
}

/**
 * How texts are read: unchanged, or through `printable`. Unchanged, no text with a tab or a place to break inside a row is
 * written, and where a row ends before one, it does so whatever its width.
 */
interface Reading {
  readonly text: (value: string) => string;
  /** Whether a text read so has tabs or places to break. */
  readonly marks: (text: string) => boolean;
}
const AS_IT_STANDS: Reading = { text: (value) => value, marks: () => false };
const COMPOSED: Reading = { text: printable, marks: hasMarks };

/**
 * Writes text unchanged where that is possible, else passes it through `printable` and lays it out again. False, and nothing
 * written, where it has to be shaped.
 */
function composing(encoder: EscposEncoder, write: (reading: Reading) => boolean): boolean {
  encoder.mark();
  if (write(AS_IT_STANDS)) return true;
  encoder.rewind();
  if (write(COMPOSED)) return true;
  encoder.rewind();
  return false;
}

/** Writes a text in rows of at most `width` characters. False where it has to be composed or shaped first. */
function rows(encoder: EscposEncoder, value: string, width: number, trim: boolean, reading: Reading): boolean {
  const marks = reading.marks(value);
  for (let from = 0; from >= 0; ) {
    const end = rowEnd(value, from, width, marks);
    const to = trim ? withoutTrailingSpaces(value, from, end, marks) : end;
    const spaced = marks ? rowText(value, from, to, end, width) : undefined;
    encoder.beginRow((spaced?.length ?? to - from) * encoder.cellDots);
    if (!(spaced === undefined ? encoder.text(value, from, to) : encoder.text(spaced, 0, spaced.length))) return false;
    encoder.newLine();
    from = afterRow(value, end);
  }
  return true;
}

/** Writes cells side by side. Gives the reason where they cannot be printed, undefined where they were written. */
export function columns(
  encoder: EscposEncoder,
  { cells }: Of<'columns'>,
  lineColumns: number,
  options: EscposOptions,
  shaping: Shaping | undefined,
): string | undefined {
  const widths = cellWidths(cells, lineColumns);
  if (widths === undefined) return `the cells do not fit ${lineColumns} columns`;
  const written = composing(encoder, (reading) => {
    const values = cells.map(({ value }) => reading.text(value));
    return row(encoder, cells, values, widths, reading);
  });
  if (!written) {
    if (shaping === undefined) throw new NeedsShaping();
    shaping.columns(encoder, cells, widths, options);
  }
  return undefined;
}

/** Widths in characters: cells without a width share what the others leave; the first ones get the remainder. */
function cellWidths(cells: Of<'columns'>['cells'], lineColumns: number): number[] | undefined {
  const taken = cells.reduce((sum, { width }) => sum + (width ?? 0), 0);
  const sharing = cells.filter(({ width }) => width === undefined).length;
  const left = lineColumns - taken;
  if (left < sharing) return undefined;
  let odd = sharing === 0 ? 0 : left % sharing;
  return cells.map(({ width }) => {
    if (width !== undefined) return width;
    odd -= 1;
    return Math.floor(left / sharing) + (odd >= 0 ? 1 : 0);
  });
}

/** Writes the rows of the cells, as many as the longest cell has. False where a text has to be composed or shaped first. */
function row(
  encoder: EscposEncoder,
  cells: Of<'columns'>['cells'],
  values: readonly string[],
  widths: readonly number[],
  reading: Reading,
): boolean {
  const starts = values.map(() => 0);
  const marks = values.map(reading.marks);
  do {
    let gap = 0;
    for (const [index, value] of values.entries()) {
      const width = widths[index]!;
      const from = starts[index]!;
      if (from < 0) {
        gap += width;
        continue;
      }
      const end = rowEnd(value, from, width, marks[index]);
      const to = withoutTrailingSpaces(value, from, end, marks[index]);
      starts[index] = afterRow(value, end);
      if (to === from) {
        gap += width;
        continue;
      }
      const spaced = marks[index] ? rowText(value, from, to, end, width) : undefined;
      const { align, bold } = cells[index]!;
      const free = width - (spaced?.length ?? to - from);
      const before = align === 'right' ? free : align === 'center' ? free >> 1 : 0;
      encoder.spaces(gap + before);
      if (bold === true) encoder.bold(true);
      if (!(spaced === undefined ? encoder.text(value, from, to) : encoder.text(spaced, 0, spaced.length)))
        return false;
      if (bold === true) encoder.bold(false);
      gap = free - before;
    }
    encoder.newLine();
  } while (starts.some((start) => start >= 0));
  return true;
}

const RULES = { single: '─', double: '═', dashed: '-' } as const;

/** Draws a horizontal line as wide as the paper. */
export function rule(encoder: EscposEncoder, { style = 'single' }: Of<'rule'>, lineColumns: number): void {
  encoder.text(RULES[style].repeat(lineColumns), 0, lineColumns);
  encoder.newLine();
}
