/** The addresses the node listens on, as HOST:PORT, by name (`http`, `raw`). Calls `changed` after each change. */
export class Listening extends Map<string, string> {
  /**
   * Addresses (HOST:PORT) of listeners that are not open all the time, by name: where each listens while it is open.
   */
  readonly reserved = new Map<string, string>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    super();
    this.#changed = changed;
  }

  override set(name: string, address: string): this {
    const before = this.get(name);
    super.set(name, address);
    if (before !== address) this.#changed();
    return this;
  }

  override delete(name: string): boolean {
    const was = super.delete(name);
    if (was) this.#changed();
    return was;
  }
}
