/** A timer for the pause that ends a read without a terminator. */

/** Calls `idle` when `idleMs` have passed since the last `touch`. */
export class IdleTimer {
  readonly #idleMs: () => number;
  readonly #idle: (lastAt: number) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Undefined while no read is incomplete. */
  #lastAt: number | undefined;

  /** `idle` gets the time of the last `touch`. */
  constructor(idleMs: () => number, idle: (lastAt: number) => void) {
    this.#idleMs = idleMs;
    this.#idle = idle;
  }

  /** Data came at `now` (ms of `performance.now()`), and more may follow. */
  touch(now: number): void {
    this.#lastAt = now;
    this.#arm(this.#idleMs());
  }

  /** The read is complete: the timer waits for the next `touch`. */
  rest(): void {
    this.#lastAt = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.rest();
  }

  /** Sets the one timer. It is not set again with every touch: when it fires, it compares with the last one. */
  #arm(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Data that arrived while the process was busy is handled first, because it belongs to the same read.
      setImmediate(() => this.#look());
    }, delayMs);
  }

  #look(): void {
    if (this.#lastAt === undefined) return;
    const left = this.#lastAt + this.#idleMs() - performance.now();
    if (left > 0) {
      this.#arm(left);
      return;
    }
    const lastAt = this.#lastAt;
    this.rest();
    this.#idle(lastAt);
  }
}
