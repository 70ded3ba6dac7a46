/** Runs inside the machine that has radios. Every line it prints is a report. */
import { joinSuite } from './joins.ts';
import { radioSuite } from './radio.ts';
import { Suite } from './suite.ts';

const suite = new Suite();
const part = process.env['RADIO'];
if (part !== 'joins') radioSuite(suite.it);
if (part !== 'short') joinSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
process.exit();
