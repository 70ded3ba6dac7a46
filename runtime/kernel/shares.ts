/** Places that clients share, so that no client can take all of them. */

/** At most `all` places are taken, at most `each` of them by one address. */
export class Shares {
  readonly #all: number;
  readonly #each: number;
  readonly #taken = new Map<string, number>();
  #sum = 0;

  constructor(all: number, each: number) {
    this.#all = all;
    this.#each = each;
  }

  /** Takes a place for a client. Returns what gives it back, to be called once; undefined where there is none for it. */
  take(address: string): (() => void) | undefined {
    const taken = this.#taken.get(address) ?? 0;
    if (this.#sum >= this.#all || taken >= this.#each) return undefined;
    this.#sum += 1;
    this.#taken.set(address, taken + 1);
    return () => this.#giveBack(address);
  }

  #giveBack(address: string): void {
    const left = (this.#taken.get(address) ?? 0) - 1;
    this.#sum -= 1;
    if (left > 0) this.#taken.set(address, left);
    else this.#taken.delete(address);
  }
}
