/** The recipe files as they stand in the repository, and the codecs that its rooms have. */
import { readFileSync } from 'node:fs';
import { codecsOf, treeRooms } from '../../runtime/assembly/variant/room-codecs.ts';
import { placedRows, readRecipeFiles } from '../../runtime/recipes/files.ts';
import type { RecipeRow } from '../../runtime/recipes/row.ts';

export const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../recipes/${name}`, import.meta.url), 'utf8'));

export const files = readRecipeFiles();

/** The codecs of the rooms of this tree. */
export const codecs = await codecsOf(treeRooms('.'));

/** By path, its content. */
export const makerFiles: readonly (readonly [string, { maker: string; rows: RecipeRow[] }])[] = files.map(
  ({ path, text }) => [path, JSON.parse(text)],
);

export const rows: readonly RecipeRow[] = placedRows(files).map(({ row }) => row);
