/** Lines that are text: wrapped rows, cells side by side, rules. Each function resets the style at its end. */
import type { EscposEncoder } from '../../../codecs/escpos-encoder.ts';
import { printable } from '../../../codecs/printable.ts';
import type { Line } from '../contract.ts';
import { afterRow, rowEnd, withoutTrailingSpaces } from './wrap.ts';

type Of<T extends Line['type']> = Extract<Line, { type: T }>;

/** Writes a text, wrapped. Gives the reason where it cannot be printed, undefined where it was written. */
export function text(
  encoder: EscposEncoder,
  line: Of<'text'>,
  lineColumns: number,
  maxSize: number,
): string | undefined {
  const { value, align, bold, underline, invert, size, font } = line;
  let width = 1;
  let height = 1;
  if (size !== undefined) {
    width = size.charCodeAt(0) - 0x30;
    height = size.length < 3 ? width : size.charCodeAt(2) - 0x30;
    if (Math.max(width, height) > maxSize) return `size ${size} is larger than the ${maxSize}x of this printer`;
  }
  // Font B is 9 dots wide where Font A is 12.
  const fits = Math.max(1, Math.floor((font === 'b' ? Math.floor((lineColumns * 4) / 3) : lineColumns) / width));

  encoder.align(align ?? 'left');
  if (font === 'b') encoder.setTypeFontB();
  if (bold === true) encoder.bold(true);
  if (underline === true) encoder.underline(true);
  if (invert === true) encoder.invert(true);
  if (width > 1 || height > 1) encoder.setTextSize(width, height);

  // Spaces at the end of a row are kept where they are visible: underlined or inverted.
  const trim = underline !== true && invert !== true;
  composing(encoder, (compose) => rows(encoder, compose(value), fits, trim));

  if (width > 1 || height > 1) encoder.setTextSize(1, 1);
  if (invert === true) encoder.invert(false);
  if (underline === true) encoder.underline(false);
  if (bold === true) encoder.bold(false);
  if (font === 'b') encoder.setTypeFontA();
  encoder.align('left');
  return undefined;
}

/** Writes text unchanged where that is possible, else passes it through `printable` and lays it out again. */
function composing(encoder: EscposEncoder, write: (compose: (value: string) => string) => boolean): void {
  const mark = encoder.mark();
  if (write(asItStands)) return;
  encoder.rewind(mark);
  write(printable);
}

const asItStands = (value: string): string => value;

/** Writes a text in rows of at most `width` characters. False where it has to pass `printable` first. */
function rows(encoder: EscposEncoder, value: string, width: number, trim: boolean): boolean {
  for (let from = 0; from >= 0; ) {
    const end = rowEnd(value, from, width);
    if (!encoder.text(value, from, trim ? withoutTrailingSpaces(value, from, end) : end)) return false;
    encoder.newLine();
    from = afterRow(value, end);
  }
  return true;
}

/** Writes cells side by side. Gives the reason where they cannot be printed, undefined where they were written. */
export function columns(encoder: EscposEncoder, { cells }: Of<'columns'>, lineColumns: number): string | undefined {
  const widths = cellWidths(cells, lineColumns);
  if (widths === undefined) return `the cells do not fit ${lineColumns} columns`;
  composing(encoder, (compose) => {
    const values = cells.map(({ value }) => compose(value));
    return row(encoder, cells, values, widths);
  });
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

/** Writes the rows of the cells, as many as the longest cell has. False where a text has to pass `printable` first. */
function row(
  encoder: EscposEncoder,
  cells: Of<'columns'>['cells'],
  values: readonly string[],
  widths: readonly number[],
): boolean {
  const starts = values.map(() => 0);
  do {
    let gap = 0;
    for (const [index, value] of values.entries()) {
      const width = widths[index]!;
      const from = starts[index]!;
      const printed = from < 0;
      const end = printed ? from : rowEnd(value, from, width);
      const to = printed ? from : withoutTrailingSpaces(value, from, end);
      if (!printed) starts[index] = afterRow(value, end);
      if (to === from) {
        gap += width;
        continue;
      }
      const { align, bold } = cells[index]!;
      const free = width - (to - from);
      const before = align === 'right' ? free : align === 'center' ? free >> 1 : 0;
      encoder.spaces(gap + before);
      if (bold === true) encoder.bold(true);
      if (!encoder.text(value, from, to)) return false;
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
