/** A recipe row in its place: drafted as `npm run recipes -- draft` does it, put into its maker's file where it belongs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Refused } from '../base/refused.ts';
import { checkRecipes } from '../recipes/check.ts';
import { codecsOf, type DraftWords, draftOf, nameOf } from '../recipes/draft.ts';
import { type PlacedRow, placedRows, readRecipeFiles } from '../recipes/files.ts';
import type { Codecs } from '../recipes/row.ts';
import { type DraftRow, inserted, newFile, written } from '../recipes/text.ts';
import { virtualDeviceFor } from './virtual-devices.ts';

const IDS = /^([0-9a-f]{4}):([0-9a-f]{4})$/i;
/** As `IDS`, or every product of the vendor, as some rows have it. */
const LIKE_IDS = /^([0-9a-f]{4}):([0-9a-f]{4}|\*)$/i;

export interface RecipeWords {
  readonly make?: string | undefined;
  readonly model?: string | undefined;
  /** Kind of the device; default: that of `like`, else of its vendor's rows, else the one that most rows have. */
  readonly kind?: string | undefined;
  /** Ids of a row whose codec and options it begins with. */
  readonly like?: string | undefined;
}

/**
 * Returns what was written, and what to do next. A row that the same call has written before stays as it is. Rejects
 * with `Refused`.
 */
export async function newRecipe(
  root: string,
  ids: string,
  { like, ...words }: RecipeWords,
  codecs: Codecs,
): Promise<string> {
  const device = idsOf(ids, IDS);
  const files = readRecipeFiles(join(root, 'recipes'));
  if (checkRecipes(files, codecs).length > 0)
    throw new Refused('the recipe files are not in order: npm run recipes -- check');
  const placed = placedRows(files);
  const wanted = { ...words, like: like === undefined ? undefined : idsOf(like, LIKE_IDS) };
  const there = writtenBefore(device, wanted, placed, codecs);
  if (there !== undefined) {
    const { row, path, line } = there;
    return `is there already: ${basename(path)}:${line}\n\n${await next(row, placed, codecs)}`;
  }
  const drafted = draftOf(device, placed, codecs, wanted);
  if (!drafted.ok) throw new Refused(drafted.reason);
  const { row, maker } = drafted.value;
  if (maker === undefined) throw new Refused(`nobody has a row of vendor ${device.vendorId}: say --make MAKE`);
  if (nameOf(maker) === '') throw new Refused(`${maker}: no file can be named after it`);
  const path = drafted.value.path ?? join(root, 'recipes', `${nameOf(maker)}.json`);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const text = before === undefined ? newFile(maker, row) : inserted(before, row);
  const others = files.filter((file) => file.path !== path);
  const [fault] = checkRecipes([...others, { path, text }], codecs);
  if (fault !== undefined) throw new Refused(`${fault.field}: ${fault.reason}`);
  writeFileSync(path, text, before === undefined ? { flag: 'wx' } : {});
  return `${before === undefined ? 'wrote' : 'put it into'} recipes/${basename(path)}:\n\n${written(row)}\n\n${await next(row, placed, codecs)}`;
}

interface DeviceIds {
  readonly vendorId: string;
  readonly productId: string;
}

/** The row for this device where it is the one that would be drafted now, whatever codec and options it got since. */
function writtenBefore(ids: DeviceIds, words: DraftWords, placed: readonly PlacedRow[], codecs: Codecs) {
  const there = placed.find(({ row }) => row.vendorId === ids.vendorId && row.productId === ids.productId);
  const others = placed.filter((each) => each !== there);
  const drafted = draftOf(ids, others, codecs, words);
  if (there === undefined || !drafted.ok) return undefined;
  const { id, model, kind } = drafted.value.row;
  const { row } = there;
  return row.id === id && row.model === model && row.kind === kind ? there : undefined;
}

async function next(
  { vendorId, productId, kind, codec = '' }: DraftRow,
  placed: readonly PlacedRow[],
  codecs: Codecs,
): Promise<string> {
  const others = codecsOf(kind, codecs).filter((name) => name !== codec);
  const device = await virtualDeviceFor(codec, placed);
  const attached = JSON.stringify({ device, vendorId, productId });
  return `look it over:           npm run recipes -- explain ${vendorId}:${productId}
${others.length > 0 ? `another codec:           ${others.join(', ')}: write it into the row\n` : ''}see it drive a device:  npm start, then
${device === undefined ? `the twin has no device that ${codec} drives` : `curl http://127.0.0.1:8080/twin/attach -d '${attached}'`}
curl http://127.0.0.1:8080/status
`;
}

function idsOf(ids: string, form: RegExp): DeviceIds {
  const [, vendorId, productId] = form.exec(ids.toLowerCase()) ?? [];
  if (vendorId === undefined || productId === undefined)
    throw new Refused(`${ids}: a device is vendor:product, four hexadecimal digits each (lsusb shows them)`);
  return { vendorId, productId };
}
