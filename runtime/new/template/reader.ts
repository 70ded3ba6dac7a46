/** A device that is bound: one IN transfer always waits for what it says next. */
import { type Bound, type PipeReading, type Resolution, readPipe, type UsbDevice, type UsbPipe } from 'tillnode/plugin';
import { type LineState, takeLines } from './codec.ts';

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
  readonly #reading: PipeReading;
  #value: string | undefined;

  constructor(parts: ReaderParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    const { device, pipe } = parts;
    // One packet at a time: a read that fills its packets may be followed by none to end a longer transfer.
    this.#reading = readPipe(device, pipe, pipe.maxPacketSize, (arrived) => this.#take(arrived));
  }

  get value(): string | undefined {
    return this.#value;
  }

  /** It speaks when it has something to say: silence says nothing of it. */
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
