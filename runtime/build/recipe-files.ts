/** The recipe files as they stand in the repository, and the codecs their rows can name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodecDeclaration } from '../../codecs/codec.ts';
import { escpos } from '../../codecs/escpos.ts';
import { hidKeyboard } from '../../codecs/hid-keyboard.ts';
import { hidPos } from '../../codecs/hid-pos.ts';
import { hidScale } from '../../codecs/hid-scale.ts';
import type { RefusedLanguage } from '../../codecs/ieee1284.ts';
import { mjpeg } from '../../codecs/mjpeg.ts';
import { serialLines } from '../../codecs/serial-lines.ts';
import { usbHub } from '../../codecs/usb-hub.ts';
import refused from '../../recipes/refused.json' with { type: 'json' };
import type { RecipeRow } from '../kernel/recipes.ts';
import { parse, positionOf } from '../page/editor/json.ts';

const NOT_ROWS = ['recipe.schema.json', 'refused.json', 'profiles.json'];

export const CODECS: ReadonlyMap<string, CodecDeclaration> = new Map(
  [escpos, hidKeyboard, hidPos, serialLines, hidScale, usbHub, mjpeg].map((codec) => [codec.name, codec]),
);

export const LANGUAGES: readonly RefusedLanguage[] = refused.languages;

/** What to tell somebody whose device is refused for this. */
export const adviceFor = (refuse: string): string | undefined =>
  refused.modes.find(({ name }) => name === refuse)?.advice;

/** Names that a row of a kind may be refused for. */
export const refusalsOf = (kind: string): readonly string[] =>
  kind === 'printer'
    ? refused.languages.map(({ name }) => name)
    : refused.modes.filter((mode) => mode.kind === kind).map(({ name }) => name);

export interface RecipeFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export const readRecipeFiles = (directory = 'recipes'): RecipeFile[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json') && !NOT_ROWS.includes(name))
    .sort()
    .map((name) => ({ path: join(directory, name), text: readFileSync(join(directory, name), 'utf8') }));

/** A row and where it is written. */
export interface PlacedRow {
  readonly row: RecipeRow;
  readonly path: string;
  readonly line: number;
}

/** Rows of files that were found to be in order, where they stand. */
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
