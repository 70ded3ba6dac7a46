/** Which tests stand for a file: `test/` mirrors the source. */

const TEST = '.test.ts';

/**
 * Picks of these tests (paths from the root) those that mirror the file: the ones of its own name first, then those of its
 * folder. Where that folder has none, those of the one above.
 */
export function mirrorOf(file: string, tests: readonly string[]): { named: string[]; beside: string[] } {
  const path = file.replace(/^runtime\//, '').replace(/\.tsx?$/, '');
  const own = startingWith(`test/${path}`, tests);
  for (let folder = path; folder.includes('/'); ) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    const found = startingWith(`test/${folder}`, tests).filter((test) => !own.includes(test));
    if (own.length + found.length > 0) return { named: own, beside: found };
  }
  return { named: own, beside: [] };
}

/** `a/b` is mirrored by a/b.test.ts, a/b-more.test.ts and everything in a/b/. */
const startingWith = (path: string, tests: readonly string[]): string[] =>
  tests.filter((test) => test.endsWith(TEST) && test.startsWith(path) && /^[./-]/.test(test.slice(path.length)));
