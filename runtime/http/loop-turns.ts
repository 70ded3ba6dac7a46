/** Work that takes turns with the event loop, so that other work need not wait for all of it. */
import { setImmediate } from 'node:timers/promises';

/** Pieces of work, one behind the other. */
export class LoopTurns {
  readonly #iterations: number;
  #last: Promise<void> = Promise.resolve();

  /**
   * `iterations` of the loop between two pieces. In each of them one connection is accepted (libuv since 1.45, uv_listen): who comes
   * behind a hundred others, each of which has work done, waits for a part of it alone where there are some.
   */
  constructor(iterations = 1) {
    this.#iterations = iterations;
  }

  /** Resolves when it is the turn of who asks, behind all that have asked before. */
  next(): Promise<void> {
    this.#last = this.#last.then(async () => {
      for (let iteration = 0; iteration < this.#iterations; iteration += 1) await setImmediate();
    });
    return this.#last;
  }
}
