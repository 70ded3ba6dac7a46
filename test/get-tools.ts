/** `npm run tools`: gets the programs that `npm test` calls, all at once and before anything runs, or says what is missing. */
import { needTools, needUnpacked, OF_TESTS } from './tools.ts';

const programs = needTools(Object.keys(OF_TESTS));
// Suites that run at the same time unpack nothing at the same time.
const prometheus = needUnpacked('prometheus');
const missing = [programs, 'missing' in prometheus ? prometheus.missing : undefined].filter(
  (each) => each !== undefined,
);
for (const each of missing) process.stdout.write(`npm test ${each}\n`);
if (missing.length > 0) process.stdout.write('Suites that need one of them are skipped.\n');
