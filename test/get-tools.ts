/** `npm run tools`: gets the programs that `npm test` calls, all at once and before anything runs, or says what is missing. */
import { needTools, OF_TESTS } from './tools.ts';

const missing = needTools(Object.keys(OF_TESTS));
if (missing !== undefined) process.stdout.write(`npm test ${missing}\nSuites that need one of them are skipped.\n`);
