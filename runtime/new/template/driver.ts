/** The bound device. */
import type { Bound, PipeReading, Resolution, SerialLine } from 'tillnode/plugin';
import { type LineState, takeLines } from './codec.ts';

/** What a driver needs; `onValue` is called with each reading. */
export interface DriverParts {
  readonly line: SerialLine;
  readonly recipe: Resolution;
  readonly onValue: (value: string) => void;
}

/** Reads lines continuously until it is released. */
export class LineDriver implements Bound {
  readonly recipe: Resolution;
  readonly #parts: DriverParts;
  readonly #held: LineState = { bytes: [] };
  readonly #reading: PipeReading;
  #value: string | undefined;

  constructor(parts: DriverParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    this.#reading = parts.line.read(({ bytes }) => this.#take(bytes));
  }

  /** The last reading; undefined before the first. */
  get value(): string | undefined {
    return this.#value;
  }

  /** Always undefined: the device sends only when it has a reading, so silence is no fault. */
  silentSince(): undefined {
    return undefined;
  }

  /** Resolves with how many bytes the device took. Rejects with a UsbError. */
  async say(text: string): Promise<number> {
    const bytes = Buffer.from(`${text}\r\n`);
    await this.#parts.line.write(bytes);
    return bytes.length;
  }

  async release(): Promise<void> {
    await this.#reading.stop();
    await this.#parts.line.close();
  }

  #take(arrived: Uint8Array): void {
    for (const line of takeLines(this.#held, arrived)) {
      if (!line.ok) continue;
      this.#value = line.value;
      this.#parts.onValue(line.value);
    }
  }
}
