/** Runs inside the machine. Every line it prints is a report. */
import { Suite } from './suite.ts';
import { updateSuite } from './update.ts';

const suite = new Suite();
updateSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
