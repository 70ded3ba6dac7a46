/** What clients share (places, memory), so that no client can take all of it. */

/** At most `all` is taken, at most `each` of it by one address. What is larger than that is given to one that has nothing. */
export class Shares {
  readonly #all: number;
  readonly #each: number;
  readonly #taken = new Map<string, number>();
  #sum = 0;

  constructor(all: number, each: number) {
    this.#all = all;
    this.#each = each;
  }

  /** What all of them have now. */
  get taken(): number {
    return this.#sum;
  }

  /** Takes `n` for a client. Returns what gives it back, to be called once; undefined where there is not so much for it. */
  take(address: string, n = 1): (() => void) | undefined {
    const taken = this.#taken.get(address) ?? 0;
    if ((taken > 0 && taken + n > this.#each) || (this.#sum > 0 && this.#sum + n > this.#all)) return undefined;
    this.#sum += n;
    this.#taken.set(address, taken + n);
    return () => this.#giveBack(address, n);
  }

  #giveBack(address: string, n: number): void {
    const left = (this.#taken.get(address) ?? 0) - n;
    this.#sum -= n;
    if (left > 0) this.#taken.set(address, left);
    else this.#taken.delete(address);
  }
}
