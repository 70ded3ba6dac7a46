/** Runs inside the machine, until its power is cut. Every line it prints is a report. */
import { live, type PowerReport } from './power.ts';

const { LAB_VERSION = '', LAB_NEW, LAB_UNSYNCED } = process.env;
const report = (said: PowerReport) => process.stdout.write(`${JSON.stringify(said)}\n`);
// Until then there is something to wait for.
setInterval(() => {}, 60_000);
await live({
  version: LAB_VERSION,
  isNew: LAB_NEW !== undefined,
  ...(LAB_UNSYNCED !== undefined && { preload: LAB_UNSYNCED }),
  report,
}).catch((error: Error) => report({ trouble: error.stack ?? error.message }));
