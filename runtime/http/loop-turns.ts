/** Work that takes turns with the event loop, so that other work need not wait for all of it. */
import { letIn } from '../base/loop.ts';

type Go = () => void;

/** Pieces of work, one behind the other. Sources take turns: who has much waits behind nobody's little. */
export class LoopTurns {
  readonly #between: number | undefined;
  /** What each source waits to do, of the source that was served last at the end. */
  readonly #waiting = new Map<string, Go[]>();
  #isGoing = false;

  /** `between`: turns of the loop between two pieces; left out: as many as others need to be accepted. */
  constructor(between?: number) {
    this.#between = between;
  }

  /** Whether somebody waits. */
  get isGoing(): boolean {
    return this.#isGoing;
  }

  /** Resolves when it is the turn of who asks, behind all that this source has asked before. */
  next(source = ''): Promise<void> {
    return new Promise((go) => {
      const asked = this.#waiting.get(source);
      if (asked === undefined) this.#waiting.set(source, [go]);
      else asked.push(go);
      if (!this.#isGoing) void this.#go();
    });
  }

  async #go(): Promise<void> {
    this.#isGoing = true;
    while (this.#waiting.size > 0) {
      await letIn(this.#between);
      for (const [source, asked] of this.#waiting) {
        this.#waiting.delete(source);
        asked.shift()?.();
        if (asked.length > 0) this.#waiting.set(source, asked);
        break;
      }
    }
    this.#isGoing = false;
  }
}
