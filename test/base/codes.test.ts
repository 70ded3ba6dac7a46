/** A code of a contract has words in every language, or a reason why it needs none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tablesIn, wordFolders } from '../../runtime/assembly/page/word-files.ts';
import { LANGUAGES } from '../../runtime/base/language.ts';
import { RULES } from '../../runtime/fleet/alerts/contract.ts';
import { ROLES, SCOPES } from '../../runtime/fleet/http/roles.ts';
import { ODDITIES } from '../../runtime/fleet/ingest/oddities.ts';
import { OUT } from '../../runtime/fleet/nodes/gone.ts';
import { MEMBER_STATES } from '../../runtime/fleet/rollouts/contract.ts';
import { UpdatePolicy } from '../../runtime/services/update/contract.ts';
import { fieldsOf, namesIn } from '../catalogues.ts';
import { twinPlugins } from '../plugins.ts';
import { AS_THEY_ARE, SPOKEN, type Words } from './code-words.ts';
import { choicesIn, contractFolders, contractOf, toldOf } from './codes.ts';

/** The codes that lack words, by language. */
function silentOf(codes: readonly string[], { folder, prefix = '', keys = {} }: Words): string[] {
  const tables = tablesIn(folder);
  const keyOf = (code: string) => keys[code] ?? `${prefix}${code}`;
  return Object.keys(LANGUAGES).flatMap((language) =>
    codes.filter((code) => !tables[language]?.[keyOf(code)]).map((code) => `${language}: ${keyOf(code)}`),
  );
}

describe('a code that a contract offers', () => {
  it.each(contractFolders)('has words in every language, or a reason to need none: %s', async (folder) => {
    const { [folder]: spoken = {} } = SPOKEN;
    const { [folder]: asTheyAre = {} } = AS_THEY_ARE;
    const choices = choicesIn(await contractOf(folder));
    const offered = new Set(choices.flatMap(({ places }) => places));
    expect(Object.keys({ ...spoken, ...asTheyAre }).filter((place) => !offered.has(place))).toEqual([]);
    const silent = choices.flatMap((choice) => {
      const { places } = choice;
      const told = toldOf(folder, choice);
      const words = places.flatMap((place) => spoken[place] ?? []);
      const nowhere = words.length === 0 ? told.map((code) => `no words: ${code}`) : [];
      return [...nowhere, ...words.flatMap((each) => silentOf(told, each))].map((each) => `${places[0]}: ${each}`);
    });
    expect(silent).toEqual([]);
  });
});

describe('a kind of device', () => {
  it('has words in every language, where a plugin of this tree declares it, and where none knows it', () => {
    const kinds = new Set(twinPlugins.flatMap(({ endpoints = [] }) => endpoints.map(({ kind }) => kind)));
    expect(kinds.size).toBeGreaterThan(3);
    expect(silentOf([...kinds, 'unknown'], { folder: 'runtime/page/words', prefix: 'kind_' })).toEqual([]);
  });
});

describe('a code that the page of the fleet shows besides', () => {
  const FLEET = 'runtime/fleet/page/words';
  it.each([
    ['what is wrong with requests', ODDITIES, FLEET, 'oddity_'],
    ['a node in a rollout', MEMBER_STATES, FLEET, 'member_'],
    ['why a node is out of a rollout', Object.keys(OUT), FLEET, 'out_'],
    ['what an alert is about', RULES, FLEET, 'state_'],
    ['what a mail tells', RULES, 'runtime/fleet/alerts/words', ''],
    ['the updates of a node', namesIn(UpdatePolicy), FLEET, 'policy_'],
    ['what a person may do', ROLES, FLEET, 'role_'],
    ['what a token may do', SCOPES, FLEET, 'scope_'],
  ] as const)('has words in every language: %s', (_, codes, folder, prefix) => {
    expect(codes.length).toBeGreaterThan(1);
    expect(silentOf(codes, { folder, prefix })).toEqual([]);
  });
});

describe('a fault in an answer', () => {
  // Without a list, and with no reason to need none: whether a panel shows it today or tomorrow.
  const told = contractFolders.filter((folder) => existsSync(join(folder, 'words/en.json')));
  it.each(told)('has words in every language: %s', async (room) => {
    const codes = new Set(fieldsOf('fault', await contractOf(room)).flatMap(namesIn));
    const tables = wordFolders()
      .filter((folder) => `${folder}/`.startsWith(`${room}/words/`))
      .map((folder) => tablesIn(folder));
    const keys = (language: string) =>
      tables.flatMap((table) => Object.keys(table[language as keyof typeof LANGUAGES] ?? {}));
    const silent = Object.keys(LANGUAGES).flatMap((language) =>
      [...codes]
        .filter((code) => !keys(language).some((key) => key === code || key.endsWith(`_${code}`)))
        .map((code) => `${language}: ${code}`),
    );
    expect(silent).toEqual([]);
  });
});
