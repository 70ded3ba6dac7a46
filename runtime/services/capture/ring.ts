/** The traffic ring: the last 512 records, in memory taken once. */
import { KEPT_BYTES, type RecordLine } from '../../bindings/recording.ts';

const RECORDS = 512;
/** What a record weighs beside its data: the object, and a mark's text. */
const RECORD_BYTES = 512;
/** What the ring may grow to. */
export const RING_BYTES = RECORDS * (KEPT_BYTES + RECORD_BYTES);

type Held = Omit<RecordLine, 'data'>;
/** What a caller knows of a record; the ring numbers it and keeps a copy of the first data. */
export type Entry = Omit<Held, 'seq' | 'length'>;

export class TrafficRing {
  readonly #data = Buffer.allocUnsafeSlow(RECORDS * KEPT_BYTES);
  readonly #held: Held[] = [];
  #newest = 0;

  /** Number of the newest record, 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Number of the oldest record still held. */
  get oldest(): number {
    return this.#newest - this.#held.length + 1;
  }

  add(entry: Entry, data: Uint8Array): number {
    this.#newest += 1;
    const at = (this.#newest - 1) % RECORDS;
    this.#data.set(data.length > KEPT_BYTES ? data.subarray(0, KEPT_BYTES) : data, at * KEPT_BYTES);
    this.#held[at] = { seq: this.#newest, ...entry, length: data.length };
    return this.#newest;
  }

  /** A record by its number. Its data are a view, and good until the next `add`. */
  get(seq: number): RecordLine | undefined {
    const at = (seq - 1) % RECORDS;
    const held = this.#held[at];
    if (held?.seq !== seq) return undefined;
    const start = at * KEPT_BYTES;
    return { ...held, data: this.#data.subarray(start, start + Math.min(held.length, KEPT_BYTES)) };
  }
}
