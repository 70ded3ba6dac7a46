/** A recipe row in its place: drafted as `npm run recipes -- draft` does it, put into its maker's file where it belongs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkRecipes, placeOf } from '../build/recipe-check.ts';
import { draftOf, nameOf } from '../build/recipe-draft.ts';
import { placedRows, readRecipeFiles } from '../build/recipe-files.ts';
import type { RecipeRow } from '../kernel/recipes.ts';
import { Refused } from './refused.ts';

const IDS = /^([0-9a-f]{4}):([0-9a-f]{4})$/i;
/** As every row in the files stands. */
const ROW_INDENT = '    ';

export interface RecipeWords {
  readonly make?: string | undefined;
  readonly model?: string | undefined;
  /** Ids of a row whose codec and options it begins with. */
  readonly like?: string | undefined;
}

/** Returns what was written, and what to do next. */
export function newRecipe(root: string, ids: string, { make, model, like }: RecipeWords): string {
  const device = idsOf(ids);
  const files = readRecipeFiles(join(root, 'recipes'));
  if (checkRecipes(files).length > 0) throw new Refused('the recipe files are not in order: npm run recipes -- check');
  const drafted = draftOf(device, placedRows(files), {
    make,
    model,
    like: like === undefined ? undefined : idsOf(like),
  });
  if (!drafted.ok) throw new Refused(drafted.reason);
  const { row, maker } = drafted.value;
  if (maker === undefined) throw new Refused(`nobody has a row of vendor ${device.vendorId}: say --make MAKE`);
  if (nameOf(maker) === '') throw new Refused(`${maker}: no file can be named after it`);
  const path = drafted.value.path ?? join(root, 'recipes', `${nameOf(maker)}.json`);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const text = before === undefined ? newFile(maker, row) : inserted(before, row);
  const others = files.filter((file) => file.path !== path);
  const [fault] = checkRecipes([...others, { path, text }]);
  if (fault !== undefined) throw new Refused(`${fault.field}: ${fault.reason}`);
  writeFileSync(path, text, before === undefined ? { flag: 'wx' } : {});
  return `${before === undefined ? 'wrote' : 'put it into'} recipes/${basename(path)}:

${written(row)}

look it over:           npm run recipes -- explain ${device.vendorId}:${device.productId}
see it drive a device:  npm start, then
curl http://127.0.0.1:8080/twin/attach -d '{"device": "${row.kind}", "vendorId": "${device.vendorId}", "productId": "${device.productId}"}'
curl http://127.0.0.1:8080/status
`;
}

function idsOf(ids: string) {
  const [, vendorId, productId] = IDS.exec(ids.toLowerCase()) ?? [];
  if (vendorId === undefined || productId === undefined)
    throw new Refused(`${ids}: a device is vendor:product, four hexadecimal digits each (lsusb shows them)`);
  return { vendorId, productId };
}

/** As rows are written in the files: what belongs together on one line. */
function written({ id, vendorId, productId, model, kind, codec, options = {}, confidence, source }: DraftRow): string {
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
type DraftRow = Omit<RecipeRow, 'make'>;

const newFile = (maker: string, row: DraftRow) =>
  `{\n  "maker": ${JSON.stringify(maker)},\n  "rows": [\n${written(row)}\n  ]\n}\n`;

/** The text with the row before the first that comes after it; the rest stays as somebody wrote it. */
function inserted(text: string, row: DraftRow): string {
  const { rows } = JSON.parse(text) as { rows: DraftRow[] };
  const after = rows.findIndex((other) => placeOf(other) > placeOf(row));
  const starts = [...text.matchAll(/^ {4}\{$/gm)].map(({ index }) => index);
  if (starts.length !== rows.length) throw new Refused('the file is not laid out as the others are: put it in by hand');
  const at = starts[after];
  if (at !== undefined) return `${text.slice(0, at)}${written(row)},\n${text.slice(at)}`;
  const end = text.lastIndexOf('}', text.lastIndexOf(']'));
  return `${text.slice(0, end + 1)},\n${written(row)}${text.slice(end + 1)}`;
}
