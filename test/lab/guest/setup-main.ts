/** Runs inside the machine that has radios and a printer. Every line it prints is a report. */
import { setupSuite } from './setup.ts';
import { Suite } from './suite.ts';

const suite = new Suite();
setupSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
