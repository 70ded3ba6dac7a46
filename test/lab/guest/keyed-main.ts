/** Runs inside the machine, until its power is cut. Every line it prints is a report, and is out before anything else happens. */
import { readFileSync, writeSync } from 'node:fs';
import { loadUsb, startUdev } from './kernel.ts';
import { type KeyedReport, life } from './keyed.ts';

const { LAB_NEXT = '1', LAB_PAPER = '', LAB_PARTS = '0', LAB_LIFE = '1', LAB_NEW } = process.env;
const report = (said: KeyedReport) => writeSync(1, `${JSON.stringify(said)}\n`);
// Until then there is something to wait for.
setInterval(() => {}, 60_000);
loadUsb();
startUdev();
await life({
  first: Number(LAB_NEXT),
  paper: readFileSync(LAB_PAPER),
  parts: Number(LAB_PARTS),
  isNew: LAB_NEW !== undefined,
  seed: Number(LAB_LIFE),
  report,
}).catch((error: Error) => report({ trouble: error.stack ?? error.message }));
