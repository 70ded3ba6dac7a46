/** The folders of words of this tree: what a language lacks, and the types of the English texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FORMS, formsOf, type Table } from '../../base/language.ts';

/** The words of a plugin that its author goes on with. */
const TEMPLATE = /^new[\\/]template[\\/]/;

/** Folders, from the root of the tree, with the words of one catalogue: `en.json` and one file for each other language. */
export const wordFolders = (root = '.'): string[] =>
  ['plugins', 'runtime'].flatMap((floor) =>
    readdirSync(join(root, floor), { recursive: true, encoding: 'utf8' })
      .filter(
        (path) =>
          /[\\/]words[\\/](\w+[\\/])?en\.json$/.test(path) && !/node_modules/.test(path) && !TEMPLATE.test(path),
      )
      .map((path) => join(floor, path, '..'))
      .sort(),
  );

/** The tables of a catalogue, by language. */
export type Tables = Readonly<Record<string, Table>> & { readonly en: Table };

/** The tables of a folder, whose files are named after languages. Throws if one is no JSON. */
export const tablesIn = (folder: string): Tables => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const tables = files.map((name) => [basename(name, '.json'), JSON.parse(readFileSync(join(folder, name), 'utf8'))]);
  return { en: {}, ...Object.fromEntries(tables) };
};

const FORM = new RegExp(`_(${FORMS.join('|')})$`);

/** The keys that a language is to have: those of English, and of a sentence with plural forms its own (`days_few`). */
export function keysFor(language: string, en: Table): string[] {
  const plurals = Object.keys(en).flatMap((key) => (key.endsWith('_other') ? [key.replace(FORM, '')] : []));
  const isForm = (key: string) => FORM.test(key) && plurals.includes(key.replace(FORM, ''));
  const single = Object.keys(en).filter((key) => !isForm(key));
  if (plurals.length === 0) return single;
  const forms = formsOf(language);
  return [...single, ...plurals.flatMap((base) => forms.map((form) => `${base}_${form}`))];
}

/** The keys that a language lacks of a catalogue. */
export function missingIn(tables: Tables, language: string): readonly string[] {
  const own = tables[language] ?? {};
  return keysFor(language, tables.en).filter((key) => !Object.hasOwn(own, key));
}

/** The declaration of an `en.json`, for the compiler to know its sentences and their places. */
export const declarationOf = (en: Table): string => {
  const lines = Object.entries(en).map(([key, text]) => `  readonly ${JSON.stringify(key)}: ${JSON.stringify(text)};`);
  return `declare const words: {\n${lines.join('\n')}\n};\nexport = words;\n`;
};
