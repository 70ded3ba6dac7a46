/** The recipe files as they stand in the repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { escpos } from '../../codecs/escpos.ts';
import { expandMakerFile, type RecipeRow } from '../../runtime/kernel/recipes.ts';

const FOLDER = new URL('../../recipes/', import.meta.url);
const NOT_ROWS = ['recipe.schema.json', 'refused.json', 'profiles.json'];

export const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

/** By file name, its content. */
export const makerFiles: readonly (readonly [string, { maker: string; rows: RecipeRow[] }])[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json') && !NOT_ROWS.includes(name))
  .map((name) => [name, read(name)]);

export const rows: readonly RecipeRow[] = makerFiles.flatMap(([, file]) => expandMakerFile(file));

export const codecs = new Map([[escpos.name, escpos]]);
