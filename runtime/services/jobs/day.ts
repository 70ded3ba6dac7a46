/**
 * The last 24 hours, by the hour: receipts, what did not come out, and what stood in the way. In memory alone: it begins anew with
 * the node, and no timer looks at it.
 */
import type { DayHour, HourTrouble } from './contract.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Hours that are kept, the current one among them. */
export const HOURS = 24;

interface Hour {
  receipts: number;
  failed: number;
  readonly trouble: Set<HourTrouble>;
}

/** Counts by the hour since the start. */
export class Day {
  readonly #now: () => number;
  readonly #startedAt: number;
  /** The last one is the current one. */
  readonly #hours: Hour[] = [];
  /** Number of the current hour, since the start. */
  #number = -1;
  /** What lasts until it is told to be over, by endpoint. */
  readonly #lasting = new Map<string, readonly HourTrouble[]>();

  /** `now`: monotonic, in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
  }

  printed(receipts: number): void {
    this.#hour().receipts += receipts;
  }

  failed(): void {
    this.#hour().failed += 1;
  }

  /** What keeps an endpoint from printing, from now on; an empty list where nothing does any more. Returns whether this hour has more of it. */
  tell(endpoint: string, trouble: readonly HourTrouble[]): boolean {
    // The hours that went by belong to what was told before.
    const { trouble: seen } = this.#hour();
    this.#lasting.set(endpoint, trouble);
    const before = seen.size;
    for (const each of trouble) seen.add(each);
    return seen.size > before;
  }

  /** The hours since the start, the newest first. */
  view(): DayHour[] {
    this.#hour();
    const intoMs = Math.round(this.#now() - this.#startedAt - this.#number * HOUR_MS);
    return this.#hours
      .map(({ trouble, ...counts }, index) => ({
        startedAgoMs: intoMs + (this.#hours.length - 1 - index) * HOUR_MS,
        ...counts,
        trouble: [...trouble],
      }))
      .reverse();
  }

  #hour(): Hour {
    const number = Math.floor((this.#now() - this.#startedAt) / HOUR_MS);
    const lasting = [...this.#lasting.values()].flat();
    for (let next = Math.max(this.#number + 1, number - HOURS + 1); next <= number; next += 1)
      this.#hours.push({ receipts: 0, failed: 0, trouble: new Set(lasting) });
    this.#hours.splice(0, this.#hours.length - HOURS);
    this.#number = number;
    return this.#hours[this.#hours.length - 1]!;
  }
}
