/** The addresses the node listens on, as HOST:PORT, by name (`http`, `raw`). Calls `changed` after each change. */
export class Listening extends Map<string, string> {
  /**
   * Addresses (HOST:PORT) of listeners that are not open all the time, by name: where each listens while it is open.
   */
  readonly reserved = new Map<string, string>();
  readonly #changed: () => void;
  #waiting: (() => void)[] = [];

  constructor(changed: () => void) {
    super();
    this.#changed = changed;
  }

  override set(name: string, address: string): this {
    const before = this.get(name);
    super.set(name, address);
    if (before !== address) this.#changed();
    for (const look of this.#waiting) look();
    return this;
  }

  /** Resolves as soon as every reserved listener is open; does not while one is closed, as without its device. */
  opened(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (![...this.reserved.keys()].every((name) => this.has(name))) return;
        this.#waiting = this.#waiting.filter((each) => each !== look);
        resolve();
      };
      this.#waiting.push(look);
      look();
    });
  }

  override delete(name: string): boolean {
    const was = super.delete(name);
    if (was) this.#changed();
    return was;
  }
}
