/** Work that takes turns with the event loop, so that other work need not wait for all of it. */
import { letIn } from '../base/loop.ts';

/** Pieces of work, one behind the other. */
export class LoopTurns {
  readonly #between: number | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `between`: turns of the loop between two pieces; left out: as many as others need to be accepted. */
  constructor(between?: number) {
    this.#between = between;
  }

  /** Resolves when it is the turn of who asks, behind all that have asked before. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => letIn(this.#between));
    return this.#last;
  }
}
