/**
 * Whether a scale that says nothing is asleep. Some scales send five to ten reports a second whatever lies on them, and
 * have gone to sleep when the reports stop; others speak only when the weight changes, and their silence means nothing.
 * A scale that repeats itself word for word is of the first sort.
 */

/** Without a word for this long a scale is silent, of whichever sort it is. */
export const SILENT_MS = 10_000;
const REPEATS = 3;
/** A scale that repeats itself is asleep after this many reports left out, within bounds. */
const MISSED_REPORTS = 20;
const ASLEEP_MS = { least: 5000, most: 10_000 };

export class Rhythm {
  #last: Uint8Array | undefined;
  #lastAt = 0;
  #repeats = 0;
  /** Longest time between two repeated reports. */
  #interval = 0;

  heard(report: Uint8Array, at: number): void {
    const interval = at - this.#lastAt;
    const same = this.#last !== undefined && interval < ASLEEP_MS.most && Buffer.compare(this.#last, report) === 0;
    if (same) this.#interval = Math.max(this.#interval, interval);
    if (same || this.#repeats < REPEATS) this.#repeats = same ? this.#repeats + 1 : 0;
    this.#last = report;
    this.#lastAt = at;
  }

  /** Silence after which the scale is asleep; undefined where silence says nothing. */
  get asleepAfterMs(): number | undefined {
    if (this.#repeats < REPEATS) return undefined;
    return Math.min(ASLEEP_MS.most, Math.max(ASLEEP_MS.least, this.#interval * MISSED_REPORTS));
  }
}
