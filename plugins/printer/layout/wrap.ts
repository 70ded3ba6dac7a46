/** Where rows of text end. One UTF-16 unit is one column; only a space and a line end are places to break. */

const LF = 0x0a;
const SPACE = 0x20;

/**
 * The end of the row that begins at `from` and may be `width` long: a line end, the last space behind a word that fits,
 * or the middle of a word that is longer than a row.
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

/** Where the next row begins: behind the line end, or behind the spaces that the row was broken at; -1 for no more. */
export function afterRow(value: string, end: number): number {
  let at = end;
  while (value.charCodeAt(at) === SPACE) at += 1;
  if (value.charCodeAt(at) === LF) return at + 1;
  return at < value.length ? at : -1;
}

export function withoutTrailingSpaces(value: string, from: number, end: number): number {
  let to = end;
  while (to > from && value.charCodeAt(to - 1) === SPACE) to -= 1;
  return to;
}
