/** A bound scanner: one IN transfer always waits on the interrupt pipe, and every report goes to the reader. */
import { setTimeout as delay } from 'node:timers/promises';
import type { IdentifiedRead } from '../../codecs/aim.ts';
import { type UsbDevice, UsbError, type UsbPipe } from '../../runtime/bindings/bindings.ts';
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

/** A read that nothing answers is renewed this often; a scanner is quiet most of the day. */
const READ_MS = 60_000;
/** Between two tries on a pipe that stalls. */
const FAULT_PAUSE_MS = 1000;

export class Scanner implements Bound {
  readonly recipe: Resolution;
  readonly #device: UsbDevice;
  readonly #reader: Reader;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ device, recipe, pipe, reportBytes, reader }: ScannerParts) {
    this.recipe = recipe;
    this.#device = device;
    this.#reader = reader;
    // In whole packets, so that none overflows; a report ends with a short packet or where the transfer is full.
    const packet = Math.max(1, pipe.maxPacketSize);
    const length = Math.ceil(reportBytes / packet) * packet;
    this.#running = this.#read(pipe, length);
  }

  /** A scanner speaks when it reads a code: silence says nothing of it. */
  silentSince(): undefined {
    return undefined;
  }

  async release(): Promise<void> {
    this.#stop.abort();
    this.#reader.stop();
    await this.#running;
    await this.#device.close();
  }

  async #read(pipe: UsbPipe, length: number): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const report = await this.#device.transferIn(pipe, length, { timeoutMs: READ_MS, signal });
        if (!signal.aborted) this.#reader.take(report, performance.now());
      } catch (error) {
        const fault = error instanceof UsbError ? error.fault : 'io';
        if (fault === 'disconnected' || fault === 'cancelled') return;
        if (fault !== 'timeout') await delay(FAULT_PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}
