/** Finds where rows of text end. One UTF-16 unit is one column; rows break at spaces and line ends only. */

const LF = 0x0a;
const SPACE = 0x20;

/**
 * Index of the end of the row that begins at `from` and has at most `width` units: a line end, the last space after a word
 * that fits, or a place inside a word that is longer than a row.
 */
export function rowEnd(value: string, from: number, width: number): number {
  const most = from + width;
  if (value.length <= most) {
    const lineEnd = value.indexOf('\n', from);
    return lineEnd < 0 ? value.length : lineEnd;
  }
  let space = -1;
  let word = false;
  for (let at = from; at <= most; at += 1) {
    const code = value.charCodeAt(at);
    if (code === LF) return at;
    if (code !== SPACE) word = true;
    else if (word) space = at;
  }
  return space < 0 ? most : space;
}

/** Index of the next row: after the line end, or after the spaces where the row was broken; -1 where there is none. */
export function afterRow(value: string, end: number): number {
  let at = end;
  while (value.charCodeAt(at) === SPACE) at += 1;
  if (value.charCodeAt(at) === LF) return at + 1;
  return at < value.length ? at : -1;
}

/** `end`, moved back over the spaces before it, but not before `from`. */
export function withoutTrailingSpaces(value: string, from: number, end: number): number {
  let to = end;
  while (to > from && value.charCodeAt(to - 1) === SPACE) to -= 1;
  return to;
}
