/**
 * `npm run tools`: gets what `npm test` calls, all at once and before anything runs. Where it may not, it says what is
 * missing, the one line that gets it, and the suites that are not run without it; in CI that is an error.
 */
import { suitesWithout } from './suites-without.ts';
import { getTools, getUnpacked, installing, isRoot, OF_TESTS } from './tools.ts';
import { emptyWhenFull } from './transforms.ts';

/** Packages of which suites take files: those that run at the same time unpack nothing at the same time. */
const UNPACKED = [['promtool', 'prometheus'], ['cups']] as const;

// Before anything reads from it.
emptyWhenFull('.cache/vitest');

const { lacking: programs, failure } = getTools(Object.keys(OF_TESTS));
const unpacked = UNPACKED.filter(([name, ...earlier]) => 'missing' in getUnpacked(name, ...earlier)).map(
  ([name]) => name,
);
const lacking = [...programs, ...unpacked, ...(isRoot() ? [] : ['root'])];
if (lacking.length > 0) {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  say(`npm test lacks ${lacking.join(', ')}${failure === undefined ? '' : ` (${failure})`}`);
  if (programs.length + unpacked.length > 0) say(`  ${installing(programs)} && npm run tools`);
  if (!isRoot()) say('  Some suites make network namespaces and file systems, which root alone may: sudo npm test');
  say('Not run without, in whole or in part:');
  for (const suite of suitesWithout(lacking)) say(`  ${suite}`);
  if (process.env['CI'] === 'true') process.exitCode = 1;
}
