/** The text of recipe files: rows as they stand there, and where a new one goes. */

import { Refused } from '../base/refused.ts';
import { sortKeyOf } from './check.ts';
import type { RecipeRow } from './row.ts';

/** What stands before each row in the files. */
const ROW_INDENT = '    ';

/** A row as its maker's file has it. */
export type DraftRow = Omit<RecipeRow, 'make'>;

/** The text of a row in a file: what belongs together is on one line. */
export function written({
  id,
  vendorId,
  productId,
  model,
  kind,
  codec,
  options = {},
  confidence,
  source,
}: DraftRow): string {
  const line = (fields: object) =>
    `      ${JSON.stringify(fields, null, 1)
      .slice(1, -1)
      .replaceAll(/\s*\n\s*/g, ' ')
      .trim()}`;
  const lines = [
    line({ id, vendorId, productId }),
    line({ model, kind }),
    line({ codec, ...(Object.keys(options).length > 0 && { options }) }),
    line({ confidence, source }),
  ];
  return `${ROW_INDENT}{\n${lines.join(',\n')}\n${ROW_INDENT}}`;
}
/** A file of a maker who has none yet. */
export const newFile = (maker: string, row: DraftRow) =>
  `{\n  "maker": ${JSON.stringify(maker)},\n  "rows": [\n${written(row)}\n  ]\n}\n`;

/** The text with the row before the first that comes after it; the rest stays as somebody wrote it. */
export function inserted(text: string, row: DraftRow): string {
  const { rows } = JSON.parse(text) as { rows: DraftRow[] };
  const after = rows.findIndex((other) => sortKeyOf(other) > sortKeyOf(row));
  const starts = [...text.matchAll(/^ {4}\{$/gm)].map(({ index }) => index);
  if (starts.length !== rows.length) throw new Refused('the file is not laid out as the others are: put it in by hand');
  const at = starts[after];
  if (at !== undefined) return `${text.slice(0, at)}${written(row)},\n${text.slice(at)}`;
  const end = text.lastIndexOf('}', text.lastIndexOf(']'));
  return `${text.slice(0, end + 1)},\n${written(row)}${text.slice(end + 1)}`;
}
