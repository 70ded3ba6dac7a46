/**
 * Finds where rows of text end. One UTF-16 unit is one column, a soft hyphen or zero width space is none; rows break at these,
 * spaces, tabs and line ends only.
 */
import { SOFT_HYPHEN, ZERO_WIDTH_SPACE } from '../../../codecs/printable.ts';

const SOFT = SOFT_HYPHEN.charCodeAt(0);
const ZERO_WIDTH = ZERO_WIDTH_SPACE.charCodeAt(0);
const TAB = 0x09;
const LF = 0x0a;
const SPACE = 0x20;
/** Columns from one tab stop to the next. */
export const TAB_COLUMNS = 8;

const isSpace = (code: number): boolean => code === SPACE || code === TAB;
const isBreak = (code: number): boolean => isSpace(code) || code === SOFT || code === ZERO_WIDTH;

/** True where a text has what is not one column wide: `rowEnd` and `rowText` have to know. */
export const hasMarks = (value: string): boolean => /[\t\u00ad\u200b]/.test(value);

/**
 * Index of the end of the row that begins at `from` and has at most `width` columns: a line end, the last space or place to
 * break after a word that fits, or a place inside a word that is longer than a row. `marks`: as `hasMarks`.
 */
export function rowEnd(value: string, from: number, width: number, marks = hasMarks(value)): number {
  if (value.length <= from + width && !marks) {
    const lineEnd = value.indexOf('\n', from);
    return lineEnd < 0 ? value.length : lineEnd;
  }
  let space = -1;
  let word = false;
  let column = 0;
  for (let at = from; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code === LF) return at;
    if (marks && (code === SOFT || code === ZERO_WIDTH)) {
      // A soft hyphen takes the column in which it is shown; behind a space it divides no word.
      if (word && (code === ZERO_WIDTH || (column < width && !isSpace(value.charCodeAt(at - 1))))) space = at;
      continue;
    }
    if (!isSpace(code)) word = true;
    else if (word) space = at;
    if (column >= width) return space < 0 ? at : space;
    column += code === TAB ? tabColumns(column, width) : 1;
  }
  return value.length;
}

/** Columns of a tab in column `at` of a row: to the next stop, or to the end of the row. */
const tabColumns = (at: number, width: number): number => Math.min(TAB_COLUMNS - (at % TAB_COLUMNS), width - at);

/** Index of the next row: after the line end, or after what the row was broken at; -1 where there is none. */
export function afterRow(value: string, end: number): number {
  let at = end;
  while (isBreak(value.charCodeAt(at))) at += 1;
  if (value.charCodeAt(at) === LF) return at + 1;
  return at < value.length ? at : -1;
}

/** `end`, moved back over the spaces before it, and with `marks` (as `hasMarks`) over places to break, but not before `from`. */
export function withoutTrailingSpaces(value: string, from: number, end: number, marks = true): number {
  let to = end;
  while (to > from && (marks ? isBreak : isSpace)(value.charCodeAt(to - 1))) to -= 1;
  return to;
}

/**
 * The row of `width` columns from `from` to `end`, as it is printed up to `to`: tabs as spaces, without places to break, and
 * with the hyphen that it ends at.
 */
export function rowText(value: string, from: number, to: number, end: number, width: number): string {
  let text = '';
  const visible = value.slice(from, to).replace(/[\u00ad\u200b]/g, '');
  for (const [index, part] of visible.split('\t').entries()) {
    text += (index === 0 ? '' : ' '.repeat(tabColumns(text.length, width))) + part;
  }
  return value.charCodeAt(end) === SOFT ? `${text}-` : text;
}
