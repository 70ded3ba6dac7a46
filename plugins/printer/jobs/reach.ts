/** How much a printer is given in one write: what it takes in a time that a drawer may wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { STRETCH } from '../../../codecs/escpos-stream-sink.ts';

/** The least, which the slowest serial line (9,600 baud) takes in a fifteenth of a second. */
export const LEAST = 64;
/** A kick waits for the write that is under way, and may wait 150 ms (local API, `POST /drawer/kick`). */
const WRITE_MS = 50;
/** A boundary is seldom farther from where one is looked for: a line of text with its commands is shorter. */
const NEXT_BOUNDARY = 256;
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

  /** Bytes for the next write. Between two transfers of a pace others may come, too; else it has place in one, up to its boundary. */
  get bytes(): number {
    const { chunkBytes, chunkDelayMs } = this.#pace();
    const most = chunkDelayMs > 0 ? chunkBytes : Math.max(LEAST, chunkBytes - NEXT_BOUNDARY);
    return Math.min(most, this.#bytes);
  }

  /** When a write begins, for `learn`: in ms of a clock that stands still between transfers. */
  get clock(): number {
    return performance.now() - this.#pausedMs;
  }

  /** A write of so many bytes that began at `from` of `clock` has ended. One that fails says nothing. */
  learn(bytes: number, from: number): void {
    const ms = this.clock - from;
    if (ms > WRITE_MS) this.#bytes = Math.max(LEAST, Math.min(this.#bytes, (bytes * WRITE_MS) / ms));
    // A short one says nothing of a long one.
    else if (bytes >= this.#bytes / GROWTH) this.#bytes = Math.min(STRETCH, this.#bytes * GROWTH);
  }

  /** Milliseconds until the next transfer may begin: `chunkDelayMs` behind the one before it. */
  get leftMs(): number {
    const { chunkDelayMs } = this.#pace();
    return chunkDelayMs > 0 ? this.#endedAt + chunkDelayMs - performance.now() : 0;
  }

  /** Waits until then. */
  async rest(leftMs: number): Promise<void> {
    const from = performance.now();
    await delay(Math.ceil(leftMs));
    this.#pausedMs += performance.now() - from;
  }

  /** A transfer has ended. */
  transferred(): void {
    this.#endedAt = performance.now();
  }
}
