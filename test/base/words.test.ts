/** Words are data: a file a language, in folders that translators can reach. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keysFor, missingIn, tablesIn, wordFolders } from '../../runtime/assembly/page/word-files.ts';
import { formsOf, LANGUAGES, type Table } from '../../runtime/base/language.ts';
import { speech } from '../../runtime/base/speech.ts';

const folders = wordFolders();
const languages = Object.keys(LANGUAGES);
const all = new Map(folders.map((folder) => [folder, tablesIn(folder)]));
const places = (text = ''): string[] => text.match(/\{\w+\}/g)?.sort() ?? [];

describe('the words of every room', () => {
  const oddIn = (language: string, table: Table, en: Table): string[] => {
    const known = new Set(keysFor(language, en));
    return Object.entries(table).flatMap(([key, text]) => {
      const english = en[key] ?? en[key.replace(/_[a-z]+$/, '_other')];
      // "Once more" needs no number: a form of one may leave its place out.
      const isFilled = places(text).join() === places(english).join() || /_(zero|one|two)$/.test(key);
      return known.has(key) && isFilled && text.trim() !== '' ? [] : [`${language}: ${key}`];
    });
  };

  it('name no sentence that English lacks, and each keeps its places', () => {
    const odd = [...all].flatMap(([folder, tables]) =>
      Object.entries(tables).flatMap(([language, table]) =>
        oddIn(language, table, tables.en).map((each) => `${folder}: ${each}`),
      ),
    );
    expect(all.size).toBeGreaterThan(15);
    expect(odd).toEqual([]);
  });

  it('choose between plural forms by {n}', () => {
    const plurals = [...all.values()].flatMap(({ en }) => Object.entries(en).filter(([key]) => key.endsWith('_other')));
    expect(plurals.filter(([, text]) => !places(text).includes('{n}'))).toEqual([]);
  });
});

describe('a sentence with plural forms', () => {
  const say = speech({
    boiled_one: 'Boiled once',
    boiled_other: 'Boiled {n} times, of {most}',
    under_zero: 'Below {n}',
  });

  it('is said in the form of its number', () => {
    expect(say('boiled', { n: 1, most: 5 })).toBe('Boiled once');
    expect(say('boiled', { n: 3, most: 5 })).toBe('Boiled 3 times, of 5');
    // A key that only ends like a form is a sentence of its own.
    expect(say('under_zero', { n: 0 })).toBe('Below 0');
  });

  it.each([
    ['en', ['one', 'other']],
    ['pl', ['one', 'few', 'many', 'other']],
    ['ar', ['zero', 'one', 'two', 'few', 'many', 'other']],
    ['ja', ['other']],
  ])('has in %s the forms %j', (language, forms) => {
    expect(formsOf(language)).toEqual(forms);
  });
});

describe('what the node itself says', () => {
  const said = folders.filter((folder) => readdirSync(folder).includes('index.ts'));

  it.each(said)('has every language: %s', (folder) => {
    const source = readFileSync(join(folder, 'index.ts'), 'utf8');
    expect(languages.filter((language) => !source.includes(`./${language}.json`))).toEqual([]);
  });
});

describe('a language of the page', () => {
  it.each(languages)('is spoken in at least nine of ten sentences of the node: %s', (language) => {
    const node = [...all].filter(([folder]) => !folder.startsWith('runtime/fleet')).map(([, tables]) => tables);
    const wanted = node.flatMap(({ en }) => keysFor(language, en));
    const missing = node.flatMap((tables) => missingIn(tables, language));
    expect(missing.length / wanted.length).toBeLessThan(0.1);
  });
});
