/** Runs inside the machine. Every line it prints is a report. */
import { bindingSuite } from './binding.ts';
import { buttonSuite } from './buttons.ts';
import { cameraSuite } from './camera.ts';
import { counterSuite } from './counter.ts';
import { nodeSuite } from './node.ts';
import { Suite } from './suite.ts';
import { twoPrintersSuite } from './two-printers.ts';

const suite = new Suite();
bindingSuite(suite.it);
nodeSuite(suite.it);
twoPrintersSuite(suite.it);
counterSuite(suite.it);
buttonSuite(suite.it);
cameraSuite(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
// A story that broke off may have left its image running.
process.exit();
