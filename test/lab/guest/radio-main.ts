/** Runs inside the machine that has radios. Every line it prints is a report. */
import { radioSuite } from './radio.ts';
import { Suite } from './suite.ts';

const suite = new Suite();
radioSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
