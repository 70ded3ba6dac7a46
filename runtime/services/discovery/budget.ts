/** Bounds how many datagrams of each source are processed per second, so that one source cannot block the others. */

const PER_SECOND = 1000;
const SECOND_MS = 1000;
/** Sources that are counted separately in one second: more than a shop's network has. All others share one budget. */
const MAX_SOURCES = 512;

/** Counts datagrams by source address, 1000 per second each. */
export class Budget {
  readonly #spent = new Map<string, number>();
  #start = 0;

  /** Counts one datagram; false if it exceeds the budget and must be dropped. */
  spend(source: string): boolean {
    const now = performance.now();
    if (now - this.#start >= SECOND_MS) {
      this.#start = now;
      this.#spent.clear();
    }
    const key = this.#spent.has(source) || this.#spent.size < MAX_SOURCES ? source : '';
    const spent = (this.#spent.get(key) ?? 0) + 1;
    this.#spent.set(key, spent);
    return spent <= PER_SECOND;
  }
}
