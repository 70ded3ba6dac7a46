/** Tells when nothing has followed for a while: the end of a read without a terminator. */

export class IdleTimer {
  readonly #idleMs: () => number;
  readonly #idle: (lastAt: number) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Undefined while nothing is waited for. */
  #lastAt: number | undefined;

  /** `idle` is given the time of the last `touch`. */
  constructor(idleMs: () => number, idle: (lastAt: number) => void) {
    this.#idleMs = idleMs;
    this.#idle = idle;
  }

  /** Something came at `now` (monotonic ms), and more may follow. */
  touch(now: number): void {
    this.#lastAt = now;
    this.#arm(this.#idleMs());
  }

  /** What came is complete. */
  rest(): void {
    this.#lastAt = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.rest();
  }

  /** One timer at most: it is not set anew with every touch, but looks at the last one when it goes off. */
  #arm(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // What came while the process was busy has its turn first: it must not be cut off from its read.
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
