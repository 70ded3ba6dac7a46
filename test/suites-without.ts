/** Which suites of `npm test` are left out, in whole or in part, where this machine lacks something. */
import { readFileSync } from 'node:fs';
import { arrowsIn, sources } from './arrows.ts';
import { BROWSER, TOOLS } from './tools.ts';

/** The suites of the projects that `npm test` runs: see `vitest.config.ts`. */
const isOfNpmTest = (path: string): boolean =>
  path.endsWith('.page.test.ts') || (path.endsWith('.test.ts') && !/^test\/(?:fleet|lab)\//.test(path));
const ASKS = /\bneed(?:Tools|Unpacked|Root)\(/;
/** A suite whose tools are known when it runs alone. */
const COMPUTES = /\bneedTools\(\[\.\.\./;
const ASKS_FOR_ROOT = /\bneedRoot\(/;
const ASKS_FOR_A_BROWSER = /\binject\('browser'\)/;

interface File {
  readonly text: string;
  readonly imports: readonly string[];
}

let read: Map<string, File> | undefined;
/** Every file of the tests; but for the list of tools itself and the test of it. */
function filesOfTests(): Map<string, File> {
  if (read !== undefined) return read;
  const paths = [...sources('test'), ...sources('plugins')].filter(
    (path) => !/^test\/tools(?:\.test)?\.ts$/.test(path),
  );
  read = new Map(
    paths.map((path) => {
      const text = readFileSync(path, 'utf8');
      return [path, { text, imports: arrowsIn(path, text).map(({ to }) => to) }];
    }),
  );
  return read;
}

/** `lacking`: names of `test/tools.ts`, of packages that are unpacked, and `root`. Paths of suites, in order. */
export function suitesWithout(lacking: readonly string[]): string[] {
  const files = filesOfTests();
  const asks = ({ text, imports }: File): boolean => {
    if (ASKS_FOR_A_BROWSER.test(text) && lacking.includes(BROWSER)) return true;
    if (!ASKS.test(text)) return false;
    if (ASKS_FOR_ROOT.test(text) && lacking.includes('root')) return true;
    // Some names are constants of a neighbour.
    const said = [text, ...imports.map((path) => files.get(path)?.text ?? '')].join('\n');
    const tools = lacking.filter((name) => name !== 'root');
    if (COMPUTES.test(text)) return tools.some((name) => Object.hasOwn(TOOLS, name));
    return tools.some((name) => said.includes(`'${name}'`));
  };
  const asking = new Set([...files].filter(([, file]) => asks(file)).map(([path]) => path));
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (seen.has(path)) return false;
    seen.add(path);
    return asking.has(path) || (files.get(path)?.imports ?? []).some((each) => reaches(each, seen));
  };
  return [...files.keys()].filter((path) => isOfNpmTest(path) && reaches(path, new Set())).sort();
}
