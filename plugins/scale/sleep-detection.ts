/**
 * Decides whether a scale without reports is asleep. Some scales send five to ten reports a second all the time; when these
 * stop, the scale is asleep. Others report only a change of weight, so no report means nothing. A scale that sends equal
 * reports is of the first kind.
 */

/** Milliseconds without a report after which the endpoint is `silent`, for scales of both kinds. */
export const SILENT_MS = 10_000;
const REPEATS = 3;
/** A scale of the first kind is asleep after so many missing reports, within the limits below. */
const MISSED_REPORTS = 20;
const ASLEEP_MS = { least: 5000, most: 10_000 };

/** Measures the reports of one scale. */
export class Rhythm {
  #last: Uint8Array | undefined;
  #lastAt = 0;
  #repeats = 0;
  /** Longest time between two equal reports, in milliseconds. */
  #interval = 0;

  heard(report: Uint8Array, at: number): void {
    const interval = at - this.#lastAt;
    const same = this.#last !== undefined && interval < ASLEEP_MS.most && Buffer.compare(this.#last, report) === 0;
    if (same) this.#interval = Math.max(this.#interval, interval);
    if (same || this.#repeats < REPEATS) this.#repeats = same ? this.#repeats + 1 : 0;
    this.#last = report;
    this.#lastAt = at;
  }

  /** Milliseconds without a report after which the scale is asleep; undefined where it reports only changes. */
  get asleepAfterMs(): number | undefined {
    if (this.#repeats < REPEATS) return undefined;
    return Math.min(ASLEEP_MS.most, Math.max(ASLEEP_MS.least, this.#interval * MISSED_REPORTS));
  }
}
