/** Runs inside the machine that has radios and a printer. Every line it prints is a report. */
import { healSuite } from './heal.ts';
import { Suite } from './suite.ts';

const suite = new Suite();
healSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
