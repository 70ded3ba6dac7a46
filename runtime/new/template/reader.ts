/** A device that is bound: one IN transfer always waits for what it says next. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Bound, type Resolution, type UsbDevice, UsbError, type UsbPipe } from 'tillnode/plugin';
import { type LineState, takeLines } from './codec.ts';

/** A read that nothing answers is renewed this often. */
const READ_MS = 60_000;
/** Between two tries on a pipe that stalls. */
const FAULT_PAUSE_MS = 1000;

export interface ReaderParts {
  readonly device: UsbDevice;
  readonly pipe: UsbPipe;
  readonly recipe: Resolution;
  readonly onValue: (value: string) => void;
}

export class LineReader implements Bound {
  readonly recipe: Resolution;
  readonly #parts: ReaderParts;
  readonly #line: LineState = { bytes: [] };
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #value: string | undefined;

  constructor(parts: ReaderParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    this.#running = this.#read();
  }

  get value(): string | undefined {
    return this.#value;
  }

  /** It speaks when it has something to say: silence says nothing of it. */
  silentSince(): undefined {
    return undefined;
  }

  async release(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#parts.device.close();
  }

  async #read(): Promise<void> {
    const { device, pipe } = this.#parts;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        // One packet at a time: a read that fills its packets may be followed by none to end a longer transfer.
        this.#take(await device.transferIn(pipe, pipe.maxPacketSize, { timeoutMs: READ_MS, signal }));
      } catch (error) {
        const fault = error instanceof UsbError ? error.fault : 'io';
        if (fault === 'disconnected' || fault === 'cancelled') return;
        if (fault !== 'timeout') await delay(FAULT_PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  #take(arrived: Uint8Array): void {
    for (const line of takeLines(this.#line, arrived)) {
      if (!line.ok) continue;
      this.#value = line.value;
      this.#parts.onValue(line.value);
    }
  }
}
