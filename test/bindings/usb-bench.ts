/** What a bus under test must offer, and what the suite asks of every bench in the same words. */
import assert from 'node:assert/strict';
import type { UsbBinding, UsbDevice, UsbError, UsbIdentity, UsbListener, UsbPipe } from '../../runtime/bindings/usb.ts';

/**
 * One bus with one port and one printer for it, not plugged in yet. The printer has a single interface, number 0,
 * class 7.1.2, with a bulk OUT and a bulk IN pipe. It takes bytes into a buffer of some ten kilobytes (far below a
 * megabyte) and then no more until its own end takes them out. It answers GET_DEVICE_ID and SOFT_RESET (USB printer
 * class 1.1, 4.2) and stalls every other class or vendor request.
 */
export interface UsbBench {
  /** A binding of its own for each bench, not started. */
  readonly usb: UsbBinding;
  readonly printer: Pick<UsbIdentity, 'vendorId' | 'productId' | 'make' | 'model' | 'serial'>;
  /** IEEE 1284 device id, without its two length bytes. */
  readonly deviceId: string;
  plug(): Promise<void>;
  unplug(): Promise<void>;
  /** The printer's end: exactly this many of the bytes that were sent, in order. */
  take(count: number): Promise<Uint8Array>;
  /** The printer's end: whatever it holds still. For when nothing is on its way any more. */
  takeAll(): Promise<Uint8Array>;
  /** The printer's end: one message (a short packet ends it) on the bulk IN pipe. */
  answer(message: Uint8Array): Promise<void>;
  /** Stops the binding and takes the printer off the bus. */
  dispose(): Promise<void>;
}

/** Long enough for a slow emulated machine; reached only where a promise is broken. */
export const PATIENCE_MS = 15_000;
export const patient = { timeoutMs: PATIENCE_MS } as const;

export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing after ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The error a call ends with; that it fails is part of what is asserted. */
export const failureOf = async (call: Promise<unknown>): Promise<UsbError> => {
  const outcome = await within(
    call.then(
      () => undefined,
      (error: UsbError) => error,
    ),
    'a call that must fail',
  );
  assert.ok(outcome, 'the call succeeded');
  assert.equal(outcome.name, 'UsbError');
  return outcome;
};

/** Listens to a bus: every report in order, and each one awaitable once. */
export class Reports implements UsbListener {
  readonly all: string[] = [];
  readonly #devices = { connect: [] as UsbDevice[], disconnect: [] as UsbDevice[] };
  #wake = (): void => {};

  connect(device: UsbDevice): void {
    this.#add('connect', device);
  }

  disconnect(device: UsbDevice): void {
    this.#add('disconnect', device);
  }

  async next(kind: 'connect' | 'disconnect'): Promise<UsbDevice> {
    const queue = this.#devices[kind];
    while (queue.length === 0) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await within(more, `a ${kind} report`);
    }
    return queue.shift() as UsbDevice;
  }

  #add(kind: 'connect' | 'disconnect', device: UsbDevice): void {
    this.all.push(kind);
    this.#devices[kind].push(device);
    this.#wake();
  }
}

/** A printer plugged in, reported, open and claimed. */
export interface Session {
  readonly bench: UsbBench;
  readonly reports: Reports;
  readonly device: UsbDevice;
  readonly out: UsbPipe;
  readonly in: UsbPipe;
}

export async function claimed(bench: UsbBench): Promise<Session> {
  const reports = new Reports();
  await bench.plug();
  await bench.usb.start(reports);
  const device = await reports.next('connect');
  return { bench, reports, device, ...(await claim(device)) };
}

export async function claim(device: UsbDevice): Promise<Pick<Session, 'out' | 'in'>> {
  await device.open();
  await device.claim(0);
  const pipes = device.identity.interfaces[0]?.pipes ?? [];
  const out = pipes.find((pipe) => pipe.direction === 'out');
  const back = pipes.find((pipe) => pipe.direction === 'in');
  assert.ok(out && back, 'the printer has a pipe each way');
  return { out, in: back };
}

/** Bytes whose place can be told from their value. The length is kept off packet boundaries by the callers. */
export const pattern = (length: number, seed = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) + seed) & 0xff);
