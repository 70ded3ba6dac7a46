/** How wide text is, and rows of bold and plain text that are longer than the paper. */
import type { EposLine } from './epos-xml-values.ts';

type Columns = Extract<EposLine, { type: 'columns' }>;

/** Characters that take two columns (UAX #11, W and F), in the scripts that receipts have. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/gu;
/** Accents that stand on a letter before them, and what is not seen. Marks of other scripts count as letters: their words are drawn, and wide. */
const NO_COLUMN = /[\u0300-\u036f]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]/g;

/** Columns that a text of one row takes, of characters at single width. */
export function columnsIn(text: string): number {
  const seen = text.replace(NO_COLUMN, '');
  return seen.length + (seen.match(WIDE)?.length ?? 0);
}

/**
 * A row as rows of at most `columns`, as the node wraps a text of one look: at the last space, whose like are left out there, or
 * inside a word that is longer than a row. The row as it is where it fits.
 */
export function wrapped(line: Columns, columns: number): Columns[] {
  const { cells } = line;
  const needed = cells.reduce((sum, { value }) => sum + columnsIn(value), 0);
  // What is left to the last cell is a column at least.
  if (needed <= columns && cells.slice(0, -1).reduce((sum, { width = 0 }) => sum + width, 0) < columns) return [line];
  const units = cells.flatMap(({ value, bold = false }) =>
    Array.from(value, (text) => ({ text, bold, width: columnsIn(text) })),
  );
  const rows: Columns[] = [];
  for (let from = 0; from < units.length; ) {
    const end = endOfRow(units, from, columns);
    rows.push(rowOf(units.slice(from, end)));
    from = end;
    while (units[from]?.text === ' ') from += 1;
  }
  return rows.length > 0 ? rows : [rowOf([])];
}

interface Unit {
  readonly text: string;
  readonly bold: boolean;
  readonly width: number;
}

function endOfRow(units: readonly Unit[], from: number, columns: number): number {
  let column = 0;
  let space = -1;
  let hasWord = false;
  for (let at = from; at < units.length; at += 1) {
    const { text, width } = units[at]!;
    if (text !== ' ') hasWord = true;
    else if (hasWord) space = at;
    // One that is wider than the paper stands there by itself.
    if (column + width > columns && at > from) return space < 0 ? at : space;
    column += width;
  }
  return units.length;
}

/** Cells of what looks the same, side by side. */
function rowOf(units: readonly Unit[]): Columns {
  const cells: { value: string; width: number; bold: boolean }[] = [];
  for (const { text, bold, width } of units) {
    const last = cells.at(-1);
    if (last !== undefined && (last.bold === bold || text === ' ')) {
      last.value += text;
      last.width += width;
    } else cells.push({ value: text, width, bold });
  }
  const last = cells.at(-1);
  // Spaces at the end of a row take no cell.
  if (last !== undefined) last.value = last.value.trimEnd();
  return {
    type: 'columns',
    cells: (cells.length > 0 ? cells : [{ value: '', width: 0, bold: false }]).map(({ value, width, bold }, index) => ({
      value,
      ...(index + 1 < cells.length && { width: Math.max(1, width) }),
      ...(bold && { bold }),
    })),
  };
}
