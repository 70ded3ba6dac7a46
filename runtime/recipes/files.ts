/** The recipe files of the repository, and what their rows may refer to. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RefusedLanguage } from '../../codecs/ieee1284.ts';
import refused from '../../recipes/refused.json' with { type: 'json' };
import { parse, positionOf } from '../base/json-places.ts';
import type { RecipeRow } from './row.ts';

const NOT_ROWS = ['recipe.schema.json', 'refused.json', 'profiles.json'];

/** Printer languages that are refused, from recipes/refused.json. */
export const LANGUAGES: readonly RefusedLanguage[] = refused.languages;

/** Advice for the owner of a device that is refused for this reason; undefined if there is none. */
export const adviceFor = (refuse: string): string | undefined =>
  refused.modes.find(({ name }) => name === refuse)?.advice;

/** The kind of the devices that speak those. */
export const LANGUAGES_OF: string = refused.languagesOf;

/** The values that `refuse` may have in a row of this kind. */
export const refusalsOf = (kind: string): readonly string[] =>
  [...(kind === LANGUAGES_OF ? refused.languages : []), ...refused.modes.filter((mode) => mode.kind === kind)].map(
    ({ name }) => name,
  );

/** A recipe file as text. */
export interface RecipeFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** Reads all recipe files of a directory, sorted by name. Throws if it cannot be read. */
export const readRecipeFiles = (directory = 'recipes'): RecipeFile[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json') && !NOT_ROWS.includes(name))
    .sort()
    .map((name) => ({ path: join(directory, name), text: readFileSync(join(directory, name), 'utf8') }));

/** A row, with its file and line (from 1). */
export interface PlacedRow {
  readonly row: RecipeRow;
  readonly path: string;
  readonly line: number;
}

/** All rows of files that `checkRecipes` found valid. Throws if one is not JSON. */
export function placedRows(files: readonly RecipeFile[]): PlacedRow[] {
  return files.flatMap(({ path, text }) => {
    const parsed = parse(text, '');
    if (!parsed.ok) throw new Error(`${path}: ${parsed.message}`);
    const file = parsed.value as { maker: string; rows: (Partial<RecipeRow> & Omit<RecipeRow, 'make'>)[] };
    return file.rows.map((row, index) => ({
      row: { ...row, make: row.make ?? file.maker, options: row.options ?? {} },
      path,
      line: positionOf(text, parsed.place(`/rows/${index}`).from).line,
    }));
  });
}
