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

/** What a pipe says again after longer than this is news: a code that is scanned twice, not a scale at rest. */
const REPEAT_MS = 1000;

export class TrafficRing {
  readonly #data = Buffer.allocUnsafeSlow(RECORDS * KEPT_BYTES);
  readonly #held: Held[] = [];
  /** The newest record of a channel, where it is something that a pipe said. */
  readonly #said = new Map<string, number>();
  #newest = 0;

  /** Number of the newest record, 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Number of the oldest record still held. */
  get oldest(): number {
    return this.#newest - this.#held.length + 1;
  }

  /** Its number; that of the record it repeats, where a pipe says again what it said last, and soon. */
  add(entry: Entry, data: Uint8Array): number {
    const repeated = this.#repeat(entry, data);
    if (repeated !== undefined) return repeated;
    this.#newest += 1;
    // What is said after a mark stands after it.
    if (entry.direction === 'mark') this.#said.clear();
    else if (isSaid(entry)) this.#said.set(entry.channel, this.#newest);
    else this.#said.delete(entry.channel);
    const at = (this.#newest - 1) % RECORDS;
    this.#data.set(data.length > KEPT_BYTES ? data.subarray(0, KEPT_BYTES) : data, at * KEPT_BYTES);
    this.#held[at] = { seq: this.#newest, ...entry, length: data.length };
    return this.#newest;
  }

  #repeat(entry: Entry, data: Uint8Array): number | undefined {
    const seq = isSaid(entry) ? this.#said.get(entry.channel) : undefined;
    const last = seq === undefined ? undefined : this.get(seq);
    if (last === undefined || last.pipe !== entry.pipe || last.endpoint !== entry.endpoint) return undefined;
    if (last.identity !== entry.identity || last.length !== data.length || !last.data.every(isIn(data)))
      return undefined;
    if (entry.tMs - (last.lastTMs ?? last.tMs) > REPEAT_MS || data.length > KEPT_BYTES) return undefined;
    const { data: _, repeats = 0, ...held } = last;
    this.#held[(last.seq - 1) % RECORDS] = { ...held, repeats: repeats + 1, lastTMs: entry.tMs };
    return last.seq;
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

const isSaid = ({ direction, pipe, fault }: Entry): boolean =>
  direction === 'in' && pipe !== undefined && fault === undefined;

const isIn =
  (data: Uint8Array) =>
  (byte: number, at: number): boolean =>
    data[at] === byte;
