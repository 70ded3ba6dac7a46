/**
 * `npm run words`: writes down the English texts as types (`words/en.d.json.ts`, which git ignores), and prints what each
 * language lacks, which is said in English until then.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES } from '../../base/language.ts';
import { declarationOf, missingIn, tablesIn, wordFolders } from './word-files.ts';

const folders = wordFolders();
for (const folder of folders) {
  const file = join(folder, 'en.d.json.ts');
  const text = declarationOf(tablesIn(folder).en);
  if (current(file) !== text) writeFileSync(file, text);
}

const languages = [...new Set([...Object.keys(LANGUAGES), ...folders.flatMap((each) => Object.keys(tablesIn(each)))])];
const lacking = folders.flatMap((folder) => {
  const tables = tablesIn(folder);
  return languages
    .map((language) => ({ folder, language, keys: missingIn(tables, language) }))
    .filter(({ keys }) => keys.length > 0);
});
for (const { folder, language, keys } of lacking) {
  const named = keys.length > 5 ? [...keys.slice(0, 5), `${keys.length - 5} more`] : keys;
  console.log(`${folder}/${language}.json lacks ${named.join(', ')}`);
}
console.log(
  languages
    .map((language) => {
      const keys = lacking.filter((each) => each.language === language).flatMap((each) => each.keys);
      return `${language} ${keys.length === 0 ? 'whole' : `-${keys.length}`}`;
    })
    .join('  '),
);

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
