/** A signal for one waiter. If it is rung while nobody waits, the next wait resolves at once. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when it rings, or after `ms` milliseconds. */
  async wait(ms?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (ms !== undefined) timer = setTimeout(resolve, ms);
      });
    }
    clearTimeout(timer);
    this.#wake = undefined;
    this.#rung = false;
  }
}
