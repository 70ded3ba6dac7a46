/** When this process did not take in what came, or not in time: whoever was not heard meanwhile may have spoken. */

/** Trouble after so long a pause is another one. */
const PAUSE_MS = 60_000;

/** The last trouble of a process, by `performance.now()`. */
export class ProcessTrouble {
  #since: number | undefined;
  #last = 0;

  /** Notes that it goes on now. */
  note(now = performance.now()): void {
    if (this.#since === undefined || now - this.#last > PAUSE_MS) this.#since = now;
    this.#last = now;
  }

  /** How long ago it began, and how long ago it was last seen, in milliseconds; undefined where there was none. */
  ago(now = performance.now()): { readonly since: number; readonly last: number } | undefined {
    return this.#since === undefined ? undefined : { since: now - this.#since, last: now - this.#last };
  }
}
