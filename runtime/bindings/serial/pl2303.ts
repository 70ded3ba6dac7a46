/**
 * Prolific PL2303: three requests of its own, then those of CDC-ACM (numbers as in Linux, drivers/usb/serial/pl2303.c). Newer
 * chips of its name refuse the three and do not need them.
 */
import { answered } from '../usb-transfers.ts';
import { lineCoding, sendLineCoding } from './acm.ts';
import { type Adapter, requestsTo, vendorPipes } from './adapter.ts';

/** Prolific's own; ATEN, I-O Data, Elecom, Ratoc, Tripp Lite, Sitecom, Belkin, Corega, Alcor (the same, pl2303.h). */
const IDS = new Set([
  ...['2303', '23a3', '23b3', '23c3', '23d3', '23e3', '23f3'].map((product) => `067b:${product}`),
  ...['0557:2008', '04bb:0a03', '04bb:0a0e', '056e:5003', '056e:5004', '0584:b000', '2478:2008', '6189:2068'],
  ...['050d:0257', '07aa:002a', '058f:9720'],
]);

const VENDOR_OUT = 0x40;
const WRITE = 0x01;
const SETUP = [
  [0, 1],
  [1, 0],
  [2, 0x44],
] as const;

/** The adapter. */
export const pl2303: Adapter = {
  name: 'PL2303',
  pipes: (identity) => vendorPipes(IDS, identity),
  async set(device, { interfaces: [at = 0] }, line) {
    const send = requestsTo(device, VENDOR_OUT, 0);
    for (const [register, value] of SETUP) await answered(send(WRITE, register, undefined, value));
    await sendLineCoding(device, at, lineCoding(line));
  },
};
