/** A printer whose cable may fail, jobs for it, and the receipt that is printed behind them. */
import { vi } from 'vitest';
import { LEAVE_SETUP, RECOVERY } from '../../../../codecs/escpos.ts';
import { ESCPOS_COMMANDS } from '../../../../codecs/escpos-command-lengths.ts';
import { noMacros } from '../../../../codecs/escpos-macro.ts';
import { Job } from '../../../../plugins/printer/jobs/job.ts';
import { Outlet } from '../../../../plugins/printer/jobs/outlet.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { type UsbDevice, UsbError } from '../../../../runtime/bindings/usb.ts';
import { plugIn } from '../on-the-bus.ts';

/** Milliseconds for which a printer starts that leaves its setup mode. */
const START_MS = 1000;
export const RECEIPT = 'THE NEXT RECEIPT';
const CLIENT = { status: () => {}, dropped: () => {}, idleMs: 60_000, giveWay: () => {} };
const FILTER = { realtimePulseDisable: false, pulseOnBel: false };

/** A printer that takes so many bytes of the next job, and then nothing more of that transfer. */
export async function start() {
  const printer = new VirtualPrinter();
  const { device, out } = await plugIn(printer);
  let left = Number.POSITIVE_INFINITY;
  const failing: UsbDevice = Object.assign(Object.create(device) as UsbDevice, {
    transferOut: async (...[pipe, bytes, ...rest]: Parameters<UsbDevice['transferOut']>) => {
      const taken = Math.min(left, bytes.length);
      left -= taken;
      if (taken > 0) await device.transferOut(pipe, bytes.subarray(0, taken), ...rest);
      if (taken === bytes.length) return;
      left = Number.POSITIVE_INFINITY;
      throw new UsbError('timeout', taken);
    },
  });
  const pace = { chunkBytes: 4096, chunkDelayMs: 0, writeTimeoutMs: 1000 };
  const outlet = new Outlet(
    failing,
    out,
    () => pace,
    { bytes: RECOVERY, reset: undefined, leaveSetup: LEAVE_SETUP },
    noMacros(),
  );
  outlet.start.begin = () => void vi.advanceTimersByTime(START_MS);
  const job = (kind: 'print' | 'raw' | 'port9100') =>
    new Job(outlet, kind, 'a', kind === 'port9100' ? { options: FILTER, client: CLIENT } : undefined);
  const failAt = (byte: number) => {
    left = byte;
  };
  return { printer, outlet, job, failAt };
}

/** For `beforeEach` and `afterEach`: a printer that leaves its setup mode has started at once, by a clock that only this moves. */
export const noTime = (): void => void vi.useFakeTimers({ toFake: ['performance'] });
export const realTime = (): void => void vi.useRealTimers();

/** Commands that every maker reads alike, or not at all. Of a clone's own commands other printers know no length. */
export const KNOWN = ESCPOS_COMMANDS.filter(({ name }) => !/^US |^ESC [Z#]/.test(name));

/** The lines that are on the paper when this job has printed the next receipt. */
export async function linesOfNext(printer: VirtualPrinter, receipt: Job): Promise<string[]> {
  printer.tearOff();
  await receipt.begin();
  await receipt.write(Buffer.from(`\x1b@${RECEIPT}\n`, 'latin1'));
  await receipt.end();
  return printer
    .paperText()
    .split('\n')
    .map((line) => line.trim());
}
