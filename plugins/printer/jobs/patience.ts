/** How long the job of a connection may keep a ready printer without printing while others wait for it. */
import type { Stage } from '../../../codecs/escpos-progress.ts';

/** Milliseconds behind a cut, or where nothing was printed yet: no receipt is cut in two there. */
const BETWEEN_MS = 2000;
/** Milliseconds at any other place between two commands: a slow till sends its receipt in pieces. */
const INSIDE_RECEIPT_MS = 10_000;
/** Milliseconds inside a command, and where another job could not print. The connection, or the document, is cut off then. */
export const INSIDE_COMMAND_MS = 15_000;

/** Bytes of pictures in a second that keep the printer: a slow radio brings so many, and no drip. */
const PICTURE_BYTES = 8000;

/**
 * Milliseconds that a turn may earn so, of 80 kB: dots beyond the edge of the paper earn as others do, and a command that waits
 * gives up after 30 s.
 */
const MOST_EARNED_MS = 10_000;

/** What a job is at, as far as it matters to who waits. */
export interface JobPlace {
  readonly stage: Stage;
  /** Another job could print here. */
  readonly mayYield: boolean;
}

/** Milliseconds for a job that is at this place. `idleMs`: how long an idle one may keep the printer in any case. */
export const patienceAt = ({ stage, mayYield }: JobPlace, idleMs: number): number => {
  if (!mayYield) return INSIDE_COMMAND_MS;
  return stage === 'receipt' ? Math.min(INSIDE_RECEIPT_MS, idleMs) : BETWEEN_MS;
};

/**
 * Adds up the time for which one turn kept a ready printer from who waited for it. What it prints in between takes nothing
 * off, so that a drip of bytes gains nothing; of a picture, a second for 8,000 bytes of it, and ten
 * at most.
 */
export class Patience {
  readonly #limitMs: () => number;
  readonly #told: () => void;
  /** The time is used up, for the place where the job was last. */
  isOver = false;
  #keptMs = 0;
  #earnedMs = 0;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `limitMs`: for the place where the job is now. `told`: called when so much time was added up, and at each place behind that. */
  constructor(limitMs: () => number, told: () => void) {
    this.#limitMs = limitMs;
    this.#told = told;
  }

  /** Begins anew, with another turn. */
  restart(): void {
    this.stop();
    this.isOver = false;
    this.#keptMs = this.#earnedMs = 0;
  }

  /** From now on the printer is kept, by a job that may have come to another place since. */
  run(): void {
    this.stop();
    this.#since = performance.now();
    const leftMs = this.#limitMs() - this.#keptMs;
    this.isOver = leftMs <= 0;
    // Not by a timer: where bytes come without end, the job is at this place for no time.
    if (this.isOver) this.#told();
    else this.#timer = setTimeout(() => this.#end(), leftMs);
  }

  /** From now on it is not. */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#since !== undefined) this.#keptMs += performance.now() - this.#since;
    this.#since = undefined;
  }

  /** Counts no time for as long as this many bytes of pictures may take to come. */
  earn(bytes: number): void {
    if (bytes === 0) return;
    const isRunning = this.#since !== undefined;
    this.stop();
    const earnedMs = Math.min((bytes * 1000) / PICTURE_BYTES, this.#keptMs, MOST_EARNED_MS - this.#earnedMs);
    this.#earnedMs += earnedMs;
    this.#keptMs -= earnedMs;
    if (isRunning) this.run();
  }

  #end(): void {
    this.isOver = true;
    this.#told();
  }
}
