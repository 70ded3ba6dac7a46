/** A bound scanner: one IN transfer always waits on the interrupt pipe, and every report goes to the reader. */
import type { IdentifiedRead } from '../../codecs/aim.ts';
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/bindings.ts';
import { type PipeReading, readPipe } from '../../runtime/bindings/usb-transfers.ts';
import type { Bound } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';

/** One read, complete. Times are monotonic milliseconds, of the first and the last report that typed it. */
export interface ScannedRead extends IdentifiedRead {
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface ReadSink {
  read(read: ScannedRead): void;
  /** A read over 4,096 characters, or one whose reports contradict themselves. */
  unreadable(): void;
}

/** Makes reads of reports. */
export interface Reader {
  take(report: Uint8Array, now: number): void;
  /** Forgets a read that is not complete: half a value is worse than none. */
  stop(): void;
}

interface ScannerParts {
  readonly device: UsbDevice;
  readonly recipe: Resolution;
  readonly pipe: UsbPipe;
  /** Bytes of the longest report. */
  readonly reportBytes: number;
  readonly reader: Reader;
}

export class Scanner implements Bound {
  readonly recipe: Resolution;
  readonly #device: UsbDevice;
  readonly #reader: Reader;
  readonly #reading: PipeReading;

  constructor({ device, recipe, pipe, reportBytes, reader }: ScannerParts) {
    this.recipe = recipe;
    this.#device = device;
    this.#reader = reader;
    this.#reading = readPipe(device, pipe, reportBytes, (report) => reader.take(report, performance.now()));
  }

  /** A scanner speaks when it reads a code: silence says nothing of it. */
  silentSince(): undefined {
    return undefined;
  }

  async release(): Promise<void> {
    const stopped = this.#reading.stop();
    this.#reader.stop();
    await stopped;
    await this.#device.close();
  }
}
