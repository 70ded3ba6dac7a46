/** Names: of tests, as a list of failures has nothing else to tell by; and of what files export, by which a reader finds it. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sources } from './arrows.ts';
import { exportedBy, lacksSubject, namesIn, namesOfFile } from './names.ts';

describe('the name of a test', () => {
  it('is read alone, with those of its describes before it: it begins with no bare preposition, pronoun or verb', () => {
    const tests = ['test', 'plugins', 'runtime'].flatMap(sources).filter((path) => /\.(test|story)\.ts$/.test(path));
    const bare = (path: string) => namesOfFile(path).filter(lacksSubject);
    expect(tests.flatMap((path) => bare(path).map((name) => `${path}: ${name}`))).toEqual([]);
  });

  it.each([
    ['it("remembers over a restart", run);', ['remembers over a restart']],
    ['it.each(["feeds"])("of %s", run); it("it waits", run);', ['of %s', 'it waits']],
    ['it.each([["in bold", 1]])("%s", run);', ['in bold']],
    ['describeWithPage("a page", (shop) => { it("shows it", run); });', []],
    ['describeWithPage("shows", (shop) => { it("it at once", run); });', ['shows it at once']],
    ['describe("a node", () => { it("remembers keys", run); it.each(["cuts"])("of %s", run); });', []],
  ])('is found out where it lacks a subject: %s', (text, bare) => {
    expect(namesIn(text).filter(lacksSubject)).toEqual(bare);
  });
});

describe('a name that files export', () => {
  /** What is the same thing, or has the same place, in each of the files. */
  const SHARED: Readonly<Record<string, string>> = {
    createVirtualDevice: 'how the bench of the twin makes each device',
    say: 'how each page says its words',
    main: 'what a command of package.json runs',
    Condition: 'of an endpoint: the type, its schema, and its label on the page',
    CommandResult: 'the type, its schema, and the type of the client',
  };
  /** Files of one name have one place in every room, such as `errors` in `errors.ts`. */
  const places = (paths: readonly string[]) => new Set(paths.map((path) => basename(path)));

  it('stands for one thing, or for two that nobody takes for each other: what more share is qualified', () => {
    const files = new Map<string, string[]>();
    for (const path of ['codecs', 'plugins', 'runtime'].flatMap(sources).filter((each) => !each.endsWith('.d.ts')))
      for (const name of exportedBy(readFileSync(path, 'utf8'), path))
        files.set(name, [...new Set([...(files.get(name) ?? []), path])]);
    const many = [...files].filter(([, paths]) => paths.length > 2 && places(paths).size > 1);
    expect(many.filter(([name]) => !(name in SHARED)).map(([name, paths]) => `${name}: ${paths.join(' ')}`)).toEqual(
      [],
    );
    expect(Object.keys(SHARED).filter((name) => !many.some(([each]) => each === name))).toEqual([]);
  });

  it('is read off declarations, and not off what a file hands on', () => {
    const text = [
      'export interface Asked {}',
      'export type Said = 1;',
      'export const one = 1, two = 2;',
      'export async function* rows() {}',
      'export abstract class Job {}',
      "export { other } from './other.ts';",
      "export * from './all.ts';",
      'const own = 1;',
      'export default own;',
    ];
    expect(exportedBy(text.join('\n'))).toEqual(['Asked', 'Said', 'one', 'two', 'rows', 'Job']);
  });
});
