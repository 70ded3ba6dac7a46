/** The names of tests: a list of failures has nothing else to tell by. */
import { describe, expect, it } from 'vitest';
import { sources } from './arrows.ts';
import { lacksSubject, namesIn, namesOfFile } from './names.ts';

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
    ['describe("a node", () => { it("remembers keys", run); it.each(["cuts"])("of %s", run); });', []],
  ])('is found out where it lacks a subject: %s', (text, bare) => {
    expect(namesIn(text).filter(lacksSubject)).toEqual(bare);
  });
});
