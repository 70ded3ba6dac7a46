/** How much a printer is given in one write: what it takes in a time that a drawer may wait. */
import { STRETCH } from '../../../codecs/escpos-stream-sink.ts';

/** The least, which the slowest serial line (9,600 baud) takes in an eighth of a second. */
export const LEAST = 128;
/** A kick waits for the write that is under way, and may wait 150 ms (local API, `POST /drawer/kick`). */
const WRITE_MS = 50;
/** It grows by an eighth a write: a printer whose buffer is empty takes what comes, and slows down when that is full. */
const GROWTH = 9 / 8;

/** Follows the writes of one printer. */
export class Reach {
  #bytes: number = STRETCH;

  /** Bytes for the next write. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Awaits a write of so many bytes, and learns of it. One that fails says nothing. */
  async follow(bytes: number, write: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await write();
    const ms = performance.now() - from;
    this.#bytes =
      ms > WRITE_MS
        ? Math.max(LEAST, Math.min(this.#bytes, (bytes * WRITE_MS) / ms))
        : Math.min(STRETCH, this.#bytes * GROWTH);
  }
}
