/** The bound device. */
import { type Bound, type PipeReading, type Resolution, readPipe, type UsbDevice, type UsbPipe } from 'tillnode/plugin';
import { type LineState, takeLines } from './codec.ts';

/** What a reader needs; `onValue` is called with each reading. */
export interface ReaderParts {
  readonly device: UsbDevice;
  readonly pipe: UsbPipe;
  readonly recipe: Resolution;
  readonly onValue: (value: string) => void;
}

/** Reads lines continuously until it is released. */
export class LineReader implements Bound {
  readonly recipe: Resolution;
  readonly #parts: ReaderParts;
  readonly #line: LineState = { bytes: [] };
  readonly #reading: PipeReading;
  #value: string | undefined;

  constructor(parts: ReaderParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    const { device, pipe } = parts;
    // One packet at a time: a longer read that is full would wait for a packet that may not come.
    this.#reading = readPipe(device, pipe, pipe.maxPacketSize, (arrived) => this.#take(arrived));
  }

  /** The last reading; undefined before the first. */
  get value(): string | undefined {
    return this.#value;
  }

  /** Always undefined: the device sends only when it has a reading, so silence is no fault. */
  silentSince(): undefined {
    return undefined;
  }

  async release(): Promise<void> {
    await this.#reading.stop();
    await this.#parts.device.close();
  }

  #take(arrived: Uint8Array): void {
    for (const line of takeLines(this.#line, arrived)) {
      if (!line.ok) continue;
      this.#value = line.value;
      this.#parts.onValue(line.value);
    }
  }
}
