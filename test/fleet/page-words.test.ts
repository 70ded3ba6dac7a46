/** The texts that the page of operators comes with, in each language. */
import { expect, it } from 'vitest';
import { tablesIn } from '../../runtime/assembly/page/word-files.ts';
import { makeFleetPage } from '../../runtime/fleet/assembly/page.ts';

it('the page of operators has the words for why a node crashed in each of its languages', async () => {
  const { about, texts, html } = await makeFleetPage();
  const boots = tablesIn('runtime/services/bootlog/words');
  const crashes = about.languages.map((language) => boots[language]?.['uncaught_error']);
  expect(new Set(crashes).size).toBe(about.languages.length);
  const told = about.languages.map((language) =>
    JSON.parse(texts[language] ?? '[]').find((table: object) => 'uncaught_error' in table),
  );
  expect(told.map((table) => table?.uncaught_error)).toEqual(crashes);
  expect(html).not.toContain(boots.en['uncaught_error']);
});
