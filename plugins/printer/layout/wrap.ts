/** Finds where rows of text end. One UTF-16 unit is one column; rows break at spaces, tabs and line ends only. */

const TAB = 0x09;
const LF = 0x0a;
const SPACE = 0x20;
/** Columns from one tab stop to the next. */
export const TAB_COLUMNS = 8;

const isSpace = (code: number): boolean => code === SPACE || code === TAB;

/**
 * Index of the end of the row that begins at `from` and has at most `width` columns: a line end, the last space after a word
 * that fits, or a place inside a word that is longer than a row. `tabs`: whether the text has any.
 */
export function rowEnd(value: string, from: number, width: number, tabs = value.includes('\t')): number {
  if (value.length <= from + width && !tabs) {
    const lineEnd = value.indexOf('\n', from);
    return lineEnd < 0 ? value.length : lineEnd;
  }
  let space = -1;
  let word = false;
  let column = 0;
  for (let at = from; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code === LF) return at;
    if (!isSpace(code)) word = true;
    else if (word) space = at;
    if (column >= width) return space < 0 ? at : space;
    column += code === TAB ? tabColumns(column, width) : 1;
  }
  return value.length;
}

/** Columns of a tab in column `at` of a row: to the next stop, or to the end of the row. */
const tabColumns = (at: number, width: number): number => Math.min(TAB_COLUMNS - (at % TAB_COLUMNS), width - at);

/** Index of the next row: after the line end, or after the spaces where the row was broken; -1 where there is none. */
export function afterRow(value: string, end: number): number {
  let at = end;
  while (isSpace(value.charCodeAt(at))) at += 1;
  if (value.charCodeAt(at) === LF) return at + 1;
  return at < value.length ? at : -1;
}

/** `end`, moved back over the spaces before it, but not before `from`. */
export function withoutTrailingSpaces(value: string, from: number, end: number): number {
  let to = end;
  while (to > from && isSpace(value.charCodeAt(to - 1))) to -= 1;
  return to;
}

/** A part of a row of `width` columns from its beginning, with its tabs as spaces. */
export function withoutTabs(row: string, width: number): string {
  let text = '';
  for (const [index, part] of row.split('\t').entries()) {
    text += (index === 0 ? '' : ' '.repeat(tabColumns(text.length, width))) + part;
  }
  return text;
}
