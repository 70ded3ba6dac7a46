/** A printer whose cable takes what and when a test says, and jobs at its outlet. */
import { vi } from 'vitest';
import { LEAVE_SETUP, RECOVERY } from '../../../../codecs/escpos.ts';
import { noMacros } from '../../../../codecs/escpos-macro.ts';
import { type Client, Job, type JobKind } from '../../../../plugins/printer/jobs/job.ts';
import { Outlet } from '../../../../plugins/printer/jobs/outlet.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { type UsbDevice, UsbError } from '../../../../runtime/bindings/usb.ts';
import { plugIn } from '../on-the-bus.ts';

export const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
export const PULSE = bytes('1b70 00 32 fa');
export const LINE = Buffer.from('a line of text\n');
/** An image of 8 by 64 dots: its header, and 64 bytes. */
export const HEADER = bytes('1d763000 0100 4000');
export const OFF_LINE = bytes('1b3d00');
export const ON_LINE = bytes('1b3d01');
export const CHUNK = 4096;
export const IDLE_MS = 60_000;
/** Whole lines, of so many bytes or a little more. */
export const lines = (length: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(length / LINE.length) }, () => LINE));

const FILTER = { realtimePulseDisable: false, pulseOnBel: false };
const PACE = { chunkBytes: CHUNK, chunkDelayMs: 0, writeTimeoutMs: 1000 };

export type Cable = Awaited<ReturnType<typeof startCable>>;

/** The printer has nothing before it to make up for. */
export async function startCable() {
  const printer = new VirtualPrinter();
  const { device, out } = await plugIn(printer);
  /** What the printer took, transfer by transfer. */
  const transfers: Buffer[] = [];
  let gate = Promise.resolve();
  let open = () => {};
  let left = Number.POSITIVE_INFINITY;
  let broken: Error | undefined;
  let aSecond = Number.POSITIVE_INFINITY;
  /** Bytes that it takes at once before it is so slow. */
  let buffer = 0;
  const watched: UsbDevice = Object.assign(Object.create(device) as UsbDevice, {
    transferOut: async (...[pipe, sending, ...rest]: Parameters<UsbDevice['transferOut']>) => {
      await gate;
      if (broken !== undefined) throw broken;
      const slowly = Math.max(0, sending.length - buffer);
      buffer -= sending.length - slowly;
      if (aSecond < Number.POSITIVE_INFINITY) await vi.advanceTimersByTimeAsync((slowly * 1000) / aSecond);
      const taken = Math.min(left, sending.length);
      left -= taken;
      transfers.push(Buffer.from(sending.subarray(0, taken)));
      if (taken > 0) await device.transferOut(pipe, sending.subarray(0, taken), ...rest);
      if (taken < sending.length) throw new UsbError('timeout', taken);
    },
  });
  const recovery = { bytes: RECOVERY, reset: undefined, leaveSetup: LEAVE_SETUP };
  const outlet = new Outlet(watched, out, () => PACE, recovery, noMacros());
  const job = (kind: JobKind, told: Partial<Client> = {}, from = 'a'): Job => {
    const client = { status: () => {}, dropped: () => {}, idleMs: IDLE_MS, giveWay: () => {}, ...told };
    return new Job(outlet, kind, from, kind === 'port9100' ? { options: FILTER, client } : undefined);
  };
  const first = job('recovery');
  await first.begin();
  await first.write(new Uint8Array(0));
  first.leave();
  printer.tearOff();
  transfers.length = 0;
  return {
    printer,
    outlet,
    transfers,
    job,
    /** A job that has the turn, and has written this. */
    async begun(kind: JobKind, bytes: Uint8Array = new Uint8Array(0), told: Partial<Client> = {}): Promise<Job> {
      const one = job(kind, told);
      await one.begin();
      if (bytes.length > 0) await one.write(Uint8Array.from(bytes));
      return one;
    },
    /** All that the printer took, in hexadecimal. */
    sent: () => Buffer.concat(transfers).toString('hex'),
    /** Each transfer waits from now on, until `open`. */
    shut: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    /** Has the printer take so many bytes in a second, once its buffer is full; with fake timers. */
    takesASecond: (count: number, buffered = 0) => {
      aSecond = count;
      buffer = buffered;
    },
    /** After so many bytes the printer takes nothing more. */
    failAfter: (count: number) => {
      left = count;
    },
    /** Every transfer ends by this error, which is none of USB, until it is undefined. */
    breaks: (error: Error | undefined) => {
      broken = error;
    },
  };
}

/** Whatever can happen without time, and without the gate of the cable, has happened. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
}
