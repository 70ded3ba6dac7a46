/** Runs inside the machine. Every line it prints is a report. */
import { everywhereSuite } from './everywhere.ts';
import { loadUsb, startUdev } from './kernel.ts';
import { Suite } from './suite.ts';

loadUsb();
startUdev();
const suite = new Suite();
everywhereSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
