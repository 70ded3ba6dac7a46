/** "Suites that need system programs install them, else say what is missing": no test calls one that is not in the list. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { suitesWithout } from './suites-without.ts';
import { BROWSER, EVERYWHERE, installing, needTools, OF_TESTS, TOOLS } from './tools.ts';

/** Programs of the lab's machine come with it. */
const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('lab/guest/') && !path.includes('node_modules'),
);
const CALL = /\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*'([^/'][^']*)'/g;
/** What hands its first argument on to one of them, by its name; in the files alone that start programs themselves. */
const HANDED_ON = /\brun\(\s*'([^/' ]+)'/g;
const STARTS = /from 'node:child_process'|host\.run\(/;
/** Commands of `tillnode`, variants, and programs of packages of npm. */
const OTHERS = 'attw name openapi-typescript pi5 publint status toaster tsc tsup twin vitest wifi'.split(' ');

it('every program that a test calls is one that all computers with Node and git have, or in the list of tools', () => {
  const calls = files.flatMap((path) => {
    const text = readFileSync(`test/${path}`, 'utf8');
    const handedOn = STARTS.test(text) ? [...text.matchAll(HANDED_ON)] : [];
    return [...text.matchAll(CALL), ...handedOn].map(([, name = '']) => name);
  });
  const known = [...EVERYWHERE, ...OTHERS, ...Object.keys(TOOLS)];
  const unlisted = calls.filter((name) => !known.includes(name) && !name.startsWith('-'));
  expect([...new Set(unlisted)]).toEqual([]);
  expect(new Set(calls).size).toBeGreaterThan(20);
});

it('a tool that is not in the list is a fault of the test that asks for it', () => {
  expect(() => needTools(['sh', 'no-such-tool'])).toThrow('not in the list of test/tools.ts: sh, no-such-tool');
  expect(Object.keys(OF_TESTS)).toEqual(expect.arrayContaining(['curl', BROWSER, 'openssl']));
});

it('npm run tools names the suites that are not run without a program, a package or root, also where a neighbour asks for it', () => {
  const browser = suitesWithout([BROWSER]);
  expect(browser).toEqual(expect.arrayContaining(['test/page/overview.test.ts', 'test/fleet/operator.page.test.ts']));
  expect(browser).not.toContain('test/codecs/jpeg.test.ts');
  expect(suitesWithout(['cups'])).toEqual(['test/plugins/printer/raw/port9100-cups.test.ts']);
  expect(suitesWithout(['ZXingReader'])).toContain('test/plugins/printer/virtual/decoded.test.ts');
  expect(suitesWithout(['root'])).toContain('test/services/discovery/avahi.test.ts');
  expect(suitesWithout([])).toEqual([]);
});

it('npm run tools says in one line that can be pasted how programs are installed, or their packages where there is no apt-get', () => {
  expect(installing(['lp', 'lpadmin', 'curl'])).toMatch(
    /^(?:(sudo )?apt-get update && (?:sudo )?apt-get install -y --no-install-recommends|packages, by Debian's names:) cups-client curl$/,
  );
});
