/** The lights of a keyboard, which the host sets: some scanners press Caps Lock again until they see it. */

/** Sets lights one request at a time; of those that change meanwhile the last state alone is sent. */
export class Lights {
  readonly #set: (lights: number) => Promise<void>;
  #wanted: number;
  #setting = false;

  /** `set`: sends the output report, and may reject. `lights`: as they are set already. */
  constructor(set: (lights: number) => Promise<void>, lights: number) {
    this.#set = set;
    this.#wanted = lights;
  }

  show(lights: number): void {
    if (lights === this.#wanted) return;
    this.#wanted = lights;
    if (!this.#setting) void this.#follow();
  }

  async #follow(): Promise<void> {
    this.#setting = true;
    let shown: number;
    do {
      shown = this.#wanted;
      // A keyboard that is unplugged or refuses the request types all the same.
      await this.#set(shown).catch(() => {});
    } while (shown !== this.#wanted);
    this.#setting = false;
  }
}
