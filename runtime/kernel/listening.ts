/** Where the node listens, by name. A change of it is told. */
export class Listening extends Map<string, string> {
  /** Where something will listen that does not do so all the time. */
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
