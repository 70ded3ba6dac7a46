/** How much a printer is given in one write: what it takes in a time that a drawer may wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { STRETCH } from '../../../codecs/escpos-stream-sink.ts';
import type { WriteSizes } from '../../../codecs/escpos-stretches.ts';

/** The least, which the slowest serial line (9,600 baud) takes in a fifteenth of a second. */
export const LEAST = 64;
/** A kick waits for the write that is under way, and may wait 150 ms (local API, `POST /drawer/kick`). */
const WRITE_MS = 50;
/** A boundary is seldom farther from where one is looked for: a line of text with its commands is shorter. */
const NEXT_BOUNDARY = 256;
/** Bytes of the first write of a series: 19,200 baud take them in 130 ms, and a receipt is still in few pieces. */
const FIRST = 256;
/**
 * A write is so much larger than the one before it. A printer whose buffer is empty takes what comes, and slows down when that is full: where it has 4 KB, as
 * most have, behind a write of 320 bytes.
 */
const GROWTH = 65 / 64;
/** Milliseconds that a strip of a picture is to take; and what is too many of them. */
const STRIP_MS = 75;
const SLOW_STRIP_MS = 100;
/** Growth from strip to strip of a printer that has taken none too slowly yet. */
const STRIP_GROWTH = 9 / 8;
/** A strip of so many bytes is not cut: one of 128 rows of 576 dots, and more, is taken in time then. */
const WHOLE_STRIP = 12_000;
/** Milliseconds without a transfer after which a buffer may be empty again. */
const RESTED_MS = 50;

/** Configuration key `usb`. */
export interface Pace {
  readonly chunkBytes: number;
  readonly chunkDelayMs: number;
  readonly writeTimeoutMs: number;
}

/** Follows the writes of one printer, and keeps its pace. */
export class Reach implements WriteSizes {
  readonly #pace: () => Pace;
  readonly #isAwaited: () => boolean;
  /** Bytes for the next write of a series. */
  #bytes = FIRST;
  /** What was left of it by the last write that took too long. */
  #slow: number | undefined;
  /** Whether it took 240 KB in a series, and no write too long since: that was no buffer. */
  #isQuick = false;
  /** Bytes of a picture in one write; undefined where none was too slow. */
  #strip: number | undefined;
  #stripGrowth = STRIP_GROWTH;
  /** Milliseconds that were waited between transfers. */
  #pausedMs = 0;
  /** When the last transfer ended, in ms of `performance.now()`. */
  #endedAt = Number.NEGATIVE_INFINITY;

  /** `isAwaited`: somebody waits for the next place between two commands. */
  constructor(pace: () => Pace, isAwaited: () => boolean) {
    this.#pace = pace;
    this.#isAwaited = isAwaited;
  }

  /** Bytes before that place. */
  get stretch(): number {
    return this.#isAwaited() ? 1 : this.bytes;
  }

  /** Bytes of a picture in one write: all of it, where the printer takes that in time. Until one was measured, text says how slow it is. */
  get picture(): number {
    const { chunkBytes, chunkDelayMs } = this.#pace();
    const paced = chunkDelayMs > 0 ? chunkBytes * Math.max(1, STRIP_MS / chunkDelayMs) : Number.POSITIVE_INFINITY;
    return Math.min(paced, this.#pictureBytes);
  }

  get #pictureBytes(): number {
    return this.#strip ?? (this.#slow === undefined ? Number.POSITIVE_INFINITY : (this.#slow * STRIP_MS) / WRITE_MS);
  }

  /** Bytes for the next write. Between two transfers of a pace others may come, too; else it has place in one, up to its boundary. */
  get bytes(): number {
    const { chunkBytes, chunkDelayMs } = this.#pace();
    if (chunkDelayMs > 0) return Math.min(chunkBytes, this.#slow ?? STRETCH);
    return Math.min(Math.max(LEAST, chunkBytes - NEXT_BOUNDARY), this.#next);
  }

  /** A write begins. Gives when, for `learn`: in ms of a clock that stands still between transfers. */
  start(): number {
    this.#bytes = this.#next;
    return this.#clock;
  }

  /** A write of so many bytes that began at `from` has ended. One that fails says nothing. */
  learn({ length: bytes, 0: first, 1: second }: Uint8Array, from: number): void {
    const ms = this.#clock - from;
    if (first === 0x1d && second === 0x76) this.#learnPicture(bytes, ms);
    if (ms > WRITE_MS) {
      this.#slow = this.#bytes = Math.max(LEAST, Math.min(this.#bytes, (bytes * WRITE_MS) / ms));
      this.#isQuick = false;
      // A short one says nothing of a long one.
    } else if (bytes >= this.bytes) this.#bytes = Math.min(STRETCH, this.#bytes * GROWTH);
    if (this.#bytes < STRETCH) return;
    this.#isQuick = true;
    this.#slow = undefined;
  }

  #learnPicture(bytes: number, ms: number): void {
    const most = this.#pictureBytes;
    if (ms > SLOW_STRIP_MS) {
      this.#strip = Math.min(most, (bytes * STRIP_MS) / ms);
      this.#stripGrowth = GROWTH;
      // The last rows of a picture say nothing of a long strip.
    } else if (2 * bytes >= most) this.#strip = most * this.#stripGrowth;
    if (this.#pictureBytes < WHOLE_STRIP) return;
    this.#strip = Number.POSITIVE_INFINITY;
    this.#stripGrowth = STRIP_GROWTH;
  }

  get #next(): number {
    if (this.#isQuick || performance.now() - this.#endedAt <= RESTED_MS) return this.#bytes;
    return this.#slow ?? FIRST;
  }

  get #clock(): number {
    return performance.now() - this.#pausedMs;
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
