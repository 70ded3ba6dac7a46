/** Runs inside the machine, in a system of its own. Every line it prints is a report. */
import { installedSuite } from './installed.ts';
import { Suite } from './suite.ts';

const suite = new Suite();
installedSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
