/** Runs inside the machine. Every line it prints is a report. `SEAT`: of which adapter. */
import { load, loadUsb, startUdev } from './kernel.ts';
import { serialSuite } from './serial.ts';
import { Suite } from './suite.ts';

loadUsb();
load('ftdi_sio');
startUdev();
const suite = new Suite();
serialSuite(process.env['SEAT'] ?? '')(suite.it);
await suite.run((report) => process.stdout.write(`${JSON.stringify(report)}\n`));
// Not exit(), which would wait for reads of an adapter that a story which broke off has left plugged in.
process.kill(process.pid, 'SIGKILL');
