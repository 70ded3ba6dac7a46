/** `npm run tools`: gets the programs that `npm test` calls, all at once and before anything runs, or says what is missing. */
import { needTools, needUnpacked, OF_TESTS } from './tools.ts';

const missing = needTools(Object.keys(OF_TESTS));
if (missing !== undefined) process.stdout.write(`npm test ${missing}\nSuites that need one of them are skipped.\n`);
// Suites that run at the same time unpack nothing at the same time.
const prometheus = needUnpacked('prometheus');
if ('missing' in prometheus) process.stdout.write(`npm test ${prometheus.missing}\n`);
