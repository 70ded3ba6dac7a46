/** Whether the clock of the database went otherwise than time itself: it was set, or put right. */

/** What a clock may differ by from one look to the next, beside the time that it took to ask for it. */
const SLACK_MS = 2000;

/** A reading, in milliseconds: the clock, and between which moments it was read by `performance.now()`. */
export interface ClockReading {
  readonly clock: number;
  readonly from: number;
  readonly to: number;
}

/** Compares each reading with the one before. */
export class Clock {
  #last: ClockReading | undefined;
  #moved = false;

  read(now: ClockReading): void {
    const last = this.#last;
    this.#last = now;
    if (last === undefined) return;
    const passed = now.clock - last.clock;
    if (passed < now.from - last.to - SLACK_MS || passed > now.to - last.from + SLACK_MS) this.#moved = true;
  }

  /** Whether it was moved since that was last looked after. */
  get moved(): boolean {
    return this.#moved;
  }

  settle(): void {
    this.#moved = false;
  }
}
