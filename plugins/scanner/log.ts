/** The scan log: the last 12 reads with their verdicts, in memory (specification 2.8). */
import type { ScanReads, ScanRecord, Scans } from './contract.ts';

/** Reads in the log. */
export const SCAN_RING = 12;

type Entry = Omit<ScanRecord, 'ageMs' | 'seq'> & { readonly endedAt: number };

/** The log of one scanner. The oldest record is deleted when the ring is full. */
export class ScanLog implements ScanReads {
  /** Newest first. */
  #entries: (Entry & { readonly seq: number })[] = [];
  #seq = 0;
  #accepted = 0;
  #rejected = 0;
  #unrecorded = { symbology: 0, unreadable: 0 };
  readonly #listeners = new Set<(outcome: string) => void>();

  /** Adds a record and returns its number `seq`. */
  add(entry: Entry): number {
    this.#seq += 1;
    if (entry.verdict === 'accepted') this.#accepted += 1;
    else this.#rejected += 1;
    this.#entries = [{ ...entry, seq: this.#seq }, ...this.#entries.slice(0, SCAN_RING - 1)];
    this.#tell(entry.verdict);
    return this.#seq;
  }

  /** Counts a rejected read that no verdict describes. It has no record and leaves a gap in `seq`. */
  reject(reason: 'symbology' | 'unreadable'): void {
    this.#seq += 1;
    this.#rejected += 1;
    this.#unrecorded[reason] += 1;
    this.#tell(reason);
  }

  next(heard: (outcome: string) => void): () => void {
    this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  }

  #tell(outcome: string): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const heard of listeners) heard(outcome);
  }

  /** Deletes records and counts. `seq` continues, so that no number is used twice before a restart. */
  clear(): void {
    this.#entries = [];
    this.#accepted = 0;
    this.#rejected = 0;
    this.#unrecorded = { symbology: 0, unreadable: 0 };
  }

  view(now: number): Omit<Scans, 'endpoint'> {
    return {
      accepted: this.#accepted,
      rejected: this.#rejected,
      capacity: SCAN_RING,
      scans: this.#entries.map(({ seq, value, verdict, symbology, symbologySource, gapMs, endedAt, suspect }) => ({
        seq,
        value,
        verdict,
        symbology,
        symbologySource,
        ageMs: Math.max(0, Math.round(now - endedAt)),
        gapMs,
        ...(suspect && { suspect }),
      })),
      unrecorded: { ...this.#unrecorded },
    };
  }

  /** Characters of all values, which estimate the size of an answer. */
  get characters(): number {
    return this.#entries.reduce((sum, { value }) => sum + value.length, 0);
  }
}
