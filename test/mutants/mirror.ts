/** Which tests stand for a file: `test/` mirrors the source. */

const TEST = '.test.ts';

/**
 * Picks of these tests (paths from the root) those that mirror the file: the ones of its own name first, also in a folder further up,
 * then those of its folder. Where that folder has none, those of the one above.
 */
export function mirrorOf(file: string, tests: readonly string[]): { named: string[]; beside: string[] } {
  const path = file.replace(/^runtime\//, '').replace(/\.tsx?$/, '');
  const base = path.slice(path.lastIndexOf('/') + 1);
  const above = path.split('/').slice(0, -1);
  // Tests of the fleet and of plugins may stand in the folder of the whole, by the name of the file.
  const places = above.map((_, at) => `test/${[...above.slice(0, at + 1), base].join('/')}`);
  const own = [...new Set([`test/${path}`, ...places.toReversed()].flatMap((place) => startingWith(place, tests)))];
  for (let folder = path; folder.includes('/'); ) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    const found = startingWith(`test/${folder}`, tests).filter((test) => !own.includes(test));
    if (own.length + found.length > 0) return { named: own, beside: found };
  }
  return { named: own, beside: [] };
}

/** Test files of other projects than `unit` that are asked at most for one file: each starts a fleet, or puts an image together. */
const MOST_HEAVY = 6;

/** A test file that imports the source, and its project. */
export interface Related {
  readonly file: string;
  readonly project: string;
}

/**
 * What is asked of these groups of test files, of which only some import the source; or why none is: a mutant that no test was asked
 * about is no survivor.
 */
export function askable(
  groups: readonly (readonly string[])[],
  related: readonly Related[],
): { readonly groups: readonly (readonly string[])[] } | { readonly notAsked: string } {
  const heavy = related.filter(({ project }) => project !== 'unit').map(({ file }) => file);
  const isAsked = (file: string) =>
    related.some((each) => each.file === file) && (heavy.length <= MOST_HEAVY || !heavy.includes(file));
  const asked = groups.map((files) => files.filter(isAsked)).filter((files) => files.length > 0);
  if (asked.length > 0) return { groups: asked };
  return {
    notAsked:
      heavy.length > 0
        ? `it is tested by ${heavy.length} files of whole fleets or images`
        : 'no test that stands beside it imports it',
  };
}

/** `a/b` is mirrored by a/b.test.ts, a/b-more.test.ts and everything in a/b/. */
const startingWith = (path: string, tests: readonly string[]): string[] =>
  tests.filter((test) => test.endsWith(TEST) && test.startsWith(path) && /^[./-]/.test(test.slice(path.length)));
