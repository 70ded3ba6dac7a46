/** Runs the storm inside the machine. Every line it prints is a report. */
import { loadUsb, startUdev } from './kernel.ts';
import { stormSuite } from './storm.ts';
import { Suite } from './suite.ts';

loadUsb();
startUdev();
const suite = new Suite();
stormSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
