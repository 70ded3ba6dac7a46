/** How many datagrams are looked at: so many a second of each source, so that one that floods silences no other. */

const PER_SECOND = 1000;
const SECOND_MS = 1000;
/** Sources told apart in a second: more than a shop's network has. All further ones share one budget. */
const MAX_SOURCES = 512;

export class Budget {
  readonly #spent = new Map<string, number>();
  #start = 0;

  /** False where this one is too many. */
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
