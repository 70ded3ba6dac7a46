/**
 * Jobs that an answer broke off in. A server that keeps its jobs until it has their results hands them out again, whole; one that forgets them as
 * it hands them out, as Odoo, does not: then they are reported.
 */
import type { SdpJob } from '../../codecs/epos-sdp.ts';
import type { Journal, PulledJob } from './journal.ts';

/** Most that are kept at once: an answer breaks off in one job. */
const MOST_HELD = 64;
/** Whole answers in a row without a job after which it is reported, once `LEASE_MS` are over. */
const MOST_MISSES = 3;
/** Some servers have a job handed out for so long without a result before they hand it out again: WooCommerce POS two minutes (`CLAIM_TTL`). */
const LEASE_MS = 150_000;

/** The jobs of one server that may come again. */
export class CutJobs {
  readonly #journal: Journal;
  readonly #staleMs: number;
  readonly #log: (words: string) => void;
  /** Whole answers without it, by the key of a job; counted anew after a start, as its time is not. */
  readonly #misses = new Map<string, number>();

  /** `staleMs`: one that has not come by then is reported, however many answers there were. */
  constructor(journal: Journal, staleMs: number, log: (words: string) => void) {
    this.#journal = journal;
    this.#staleMs = staleMs;
    this.#log = log;
  }

  /** Whether a job is to wait for the next answers: `known` where it does already, false where it is reported at once. */
  waits({ id, isCut }: SdpJob): boolean | 'known' {
    if (id === undefined || isCut !== true) return false;
    const held = this.#journal.held();
    if (held.some((each) => each.id === id)) return 'known';
    return held.length < MOST_HELD;
  }

  /** An answer has come, and its jobs are in the journal. `isWhole`: these are all that it has. */
  heard(jobs: readonly SdpJob[], isWhole: boolean): void {
    for (const held of this.#journal.held()) {
      const { key, id } = held;
      const again = jobs.find((job) => job.id === id);
      if (again !== undefined && again.isCut !== true) this.#settle(held, true);
      else if (this.#isMissed(held, isWhole && again === undefined)) {
        const isKnown = this.#journal.hasOther(held);
        // What became of that one is told, or will be.
        if (!isKnown) this.#log(`job ${id}: the answer broke off in it, and it did not come again`);
        this.#settle(held, isKnown);
      } else if (again !== undefined) this.#misses.delete(key);
    }
  }

  #isMissed(held: PulledJob, isMissing: boolean): boolean {
    const age = this.#journal.ageMs(held);
    if (age === undefined || age > this.#staleMs) return true;
    if (!isMissing) return false;
    const misses = (this.#misses.get(held.key) ?? 0) + 1;
    this.#misses.set(held.key, misses);
    return misses >= MOST_MISSES && age > LEASE_MS;
  }

  #settle(held: PulledJob, came: boolean): void {
    this.#misses.delete(held.key);
    this.#journal.settle(held, came);
  }
}
