/** Rows of bold and plain text that are longer than the paper. */
import type { EposLine } from './epos-xml-values.ts';
import { clustersIn, roomFor } from './text-columns.ts';

type Columns = Extract<EposLine, { type: 'columns' }>;

/**
 * A row as rows of at most `columns`, as the node wraps a text of one look: at the last space, whose like are left out there, or
 * inside a word that is longer than a row. The row as it is where it fits.
 */
export function wrapped(line: Columns, columns: number): Columns[] {
  const { cells } = line;
  const needed = cells.reduce((sum, { value }) => sum + roomFor(value), 0);
  // What is left to the last cell is a column at least.
  if (needed <= columns && cells.slice(0, -1).reduce((sum, { width = 0 }) => sum + width, 0) < columns) return [line];
  const units = cells.flatMap(({ value, bold = false }) =>
    clustersIn(value).map(({ text, columns: width }) => ({ text, bold, width })),
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
      ...(index + 1 < cells.length && { width: Math.max(1, Math.ceil(width)) }),
      ...(bold && { bold }),
    })),
  };
}
