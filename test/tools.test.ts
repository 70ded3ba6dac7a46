/** "Suites that need system programs install them, else say what is missing": no test calls one that is not in the list. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVERYWHERE, needTools, OF_TESTS, TOOLS } from './tools.ts';

/** Programs of the lab's machine come with it. */
const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('lab/guest/') && !path.includes('node_modules'),
);
const CALL = /\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*'([^/'][^']*)'/g;

it('every program that a test calls is one that all computers with Node and git have, or in the list of tools', () => {
  const calls = files.flatMap((path) =>
    [...readFileSync(`test/${path}`, 'utf8').matchAll(CALL)].map(([, name]) => name),
  );
  const unlisted = calls.filter((name = '') => !EVERYWHERE.includes(name) && !Object.hasOwn(TOOLS, name));
  expect([...new Set(unlisted)]).toEqual([]);
  expect(new Set(calls).size).toBeGreaterThan(20);
});

it('a tool that is not in the list is a fault of the test that asks for it', () => {
  expect(() => needTools(['sh', 'no-such-tool'])).toThrow('not in the list of test/tools.ts: sh, no-such-tool');
  expect(Object.keys(OF_TESTS)).toEqual(expect.arrayContaining(['curl', 'chromium', 'openssl']));
});
