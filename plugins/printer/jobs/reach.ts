/** How much a printer is given in one write: what it takes in a time that a drawer may wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { STRETCH } from '../../../codecs/escpos-stream-sink.ts';

/** The least, which the slowest serial line (9,600 baud) takes in a fifteenth of a second. */
export const LEAST = 64;
/** A kick waits for the write that is under way, and may wait 150 ms (local API, `POST /drawer/kick`). */
const WRITE_MS = 50;
/** It grows by an eighth a write: a printer whose buffer is empty takes what comes, and slows down when that is full. */
const GROWTH = 9 / 8;

/** Configuration key `usb`. */
export interface Pace {
  readonly chunkBytes: number;
  readonly chunkDelayMs: number;
  readonly writeTimeoutMs: number;
}

/** Follows the writes of one printer, and keeps its pace. */
export class Reach {
  readonly #pace: () => Pace;
  #bytes: number = STRETCH;
  /** Milliseconds that were waited between transfers. */
  #pausedMs = 0;
  /** When the last transfer ended, in ms of `performance.now()`. */
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(pace: () => Pace) {
    this.#pace = pace;
  }

  /** Bytes for the next write. Between two transfers of a pace others may come, too. */
  get bytes(): number {
    const { chunkBytes, chunkDelayMs } = this.#pace();
    return chunkDelayMs > 0 ? Math.min(chunkBytes, this.#bytes) : this.#bytes;
  }

  /** Awaits a write of so many bytes, and learns of it. One that fails says nothing. */
  async follow(bytes: number, write: () => Promise<void>): Promise<void> {
    const from = performance.now() - this.#pausedMs;
    await write();
    const ms = performance.now() - this.#pausedMs - from;
    this.#bytes =
      ms > WRITE_MS
        ? Math.max(LEAST, Math.min(this.#bytes, (bytes * WRITE_MS) / ms))
        : Math.min(STRETCH, this.#bytes * GROWTH);
  }

  /** Awaits a transfer, `chunkDelayMs` behind the one before it. */
  async inPace<T>(transfer: () => Promise<T>): Promise<T> {
    const { chunkDelayMs } = this.#pace();
    const leftMs = this.#endedAt + chunkDelayMs - performance.now();
    if (chunkDelayMs > 0 && leftMs > 0) {
      const from = performance.now();
      await delay(Math.ceil(leftMs));
      this.#pausedMs += performance.now() - from;
    }
    try {
      return await transfer();
    } finally {
      this.#endedAt = performance.now();
    }
  }
}
