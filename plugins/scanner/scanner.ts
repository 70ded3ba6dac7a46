/** A bound scanner. One IN transfer always waits on the interrupt pipe; every report goes to the reader. */
import type { IdentifiedRead } from '../../codecs/aim.ts';
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/usb.ts';
import { type PipeReading, readPipe } from '../../runtime/bindings/usb-transfers.ts';
import type { Bound } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import type { Suspect } from './contract.ts';

/** One complete read. Times: of its first and last report, in ms of `performance.now()`. */
export interface ScannedRead extends IdentifiedRead {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why a typed read may not be what the label says. */
  readonly suspect?: Suspect;
}

export interface ReadSink {
  read(read: ScannedRead): void;
  /** A read over 4,096 characters, or one whose reports contradict themselves or lost the order of their characters. */
  unreadable(): void;
}

/** Makes reads from reports. */
export interface Reader {
  take(report: Uint8Array, now: number): void;
  /** Discards an incomplete read. */
  stop(): void;
}

interface ScannerParts {
  readonly device: UsbDevice;
  readonly recipe: Resolution;
  readonly pipe: UsbPipe;
  /** Bytes of the longest report. */
  readonly reportBytes: number;
  readonly reader: Reader;
  /** Nothing but a keyboard's class says that it is a scanner: it may be somebody's keyboard. */
  readonly guessed?: boolean;
}

/** One bound scanner; the kernel keeps it for its endpoint. */
export class Scanner implements Bound {
  readonly recipe: Resolution;
  readonly guessed: boolean;
  readonly #device: UsbDevice;
  readonly #reader: Reader;
  readonly #reading: PipeReading;

  constructor({ device, recipe, pipe, reportBytes, reader, guessed = false }: ScannerParts) {
    this.recipe = recipe;
    this.guessed = guessed;
    this.#device = device;
    this.#reader = reader;
    this.#reading = readPipe(device, pipe, reportBytes, (report) => reader.take(report, performance.now()));
  }

  /** Never silent: a scanner sends reports only when it reads a code. */
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
