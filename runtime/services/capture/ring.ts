/** The diagnostic ring: the last 512 records, in memory that is allocated once. */

import { KEPT_BYTES, type RecordLine } from '../../bindings/recording.ts';
import type { UsbSetup } from '../../bindings/usb.ts';

const RECORDS = 512;
/** Memory of a record without its data: the object and the text of a mark. */
const RECORD_BYTES = 512;
/** Largest memory of the ring. */
export const RING_BYTES = RECORDS * (KEPT_BYTES + RECORD_BYTES);

type Held = Omit<RecordLine, 'data'>;
/** A record to add; the ring adds its number and length, and copies the first 256 bytes of data. */
export type RingEntry = Omit<Held, 'seq' | 'length'>;

/** The same data after a longer time is a new record: a code scanned twice, not a scale at rest. */
const REPEAT_MS = 1000;
/** The same OUT data is a new record if it is longer than a status request: a receipt that is printed twice. */
const QUESTION_BYTES = 16;
/** Larger than the number of records of any request and its responses. */
const MAX_EXCHANGE = 16;

/** The last records of a channel that may be repeated: a request and its responses, or unrequested data. */
interface Exchange {
  /** Sequence numbers of its records. */
  readonly records: number[];
  /** Index of the record that was added or repeated last. */
  at: number;
}

/** A ring of records with numbers from 1. */
export class TrafficRing {
  readonly #data = Buffer.allocUnsafeSlow(RECORDS * KEPT_BYTES);
  readonly #held: Held[] = [];
  /** By channel. */
  readonly #exchanges = new Map<string, Exchange>();
  #newest = 0;

  /** Number of the newest record, 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Number of the oldest record still held. */
  get oldest(): number {
    return this.#newest - this.#held.length + 1;
  }

  /** Adds a record and returns its number; if it only repeats a record, counts it there and returns that number. */
  add(entry: RingEntry, data: Uint8Array): number {
    const repeated = this.#repeat(entry, data);
    if (repeated !== undefined) return repeated;
    this.#newest += 1;
    this.#follow(entry, data);
    const at = (this.#newest - 1) % RECORDS;
    this.#data.set(data.length > KEPT_BYTES ? data.subarray(0, KEPT_BYTES) : data, at * KEPT_BYTES);
    this.#held[at] = { seq: this.#newest, ...entry, length: data.length };
    return this.#newest;
  }

  #repeat(entry: RingEntry, data: Uint8Array): number | undefined {
    const exchange = this.#exchanges.get(entry.channel);
    if (exchange === undefined) return undefined;
    const { records, at } = exchange;
    const isLast = at === records.length - 1;
    const candidates = isQuestion(entry, data) ? (isLast && at > 0 ? [0] : []) : isSaid(entry) ? [at + 1, at] : [];
    const found = candidates.find((index) => this.#isAgain(records[index], entry, data, index === at));
    const record = found === undefined ? undefined : this.#held[((records[found] ?? 0) - 1) % RECORDS];
    if (found === undefined || record === undefined) return undefined;
    exchange.at = found;
    this.#held[(record.seq - 1) % RECORDS] = { ...record, repeats: (record.repeats ?? 0) + 1, lastTMs: entry.tMs };
    return record.seq;
  }

  /** Whether the entry repeats record `seq`. `unasked`: no request preceded it, so it must come within a second. */
  #isAgain(seq: number | undefined, entry: RingEntry, data: Uint8Array, unasked: boolean): boolean {
    const last = seq === undefined ? undefined : this.get(seq);
    if (last === undefined || last.direction !== entry.direction || last.pipe !== entry.pipe) return false;
    if (last.endpoint !== entry.endpoint || last.identity !== entry.identity) return false;
    if (!sameSetup(last.setup, entry.setup) || last.length !== data.length || !last.data.every(isIn(data)))
      return false;
    if (data.length > KEPT_BYTES) return false;
    return !unasked || entry.setup !== undefined || entry.tMs - (last.lastTMs ?? last.tMs) <= REPEAT_MS;
  }

  /** Lets the newest record start, continue or end the exchange of its channel. A mark ends all exchanges. */
  #follow(entry: RingEntry, data: Uint8Array): void {
    const { channel, direction } = entry;
    const exchange = this.#exchanges.get(channel);
    const goesOn =
      exchange?.at === (exchange?.records.length ?? 0) - 1 && (exchange?.records.length ?? 0) < MAX_EXCHANGE;
    if (direction === 'mark') this.#exchanges.clear();
    else if (isSaid(entry) && exchange !== undefined && goesOn) exchange.at = exchange.records.push(this.#newest) - 1;
    else if (isSaid(entry) || isQuestion(entry, data)) this.#exchanges.set(channel, { records: [this.#newest], at: 0 });
    else this.#exchanges.delete(channel);
  }

  /** A record by its number; undefined if it was overwritten. `data` is a view that is valid until the next `add`. */
  get(seq: number): RecordLine | undefined {
    const at = (seq - 1) % RECORDS;
    const held = this.#held[at];
    if (held?.seq !== seq) return undefined;
    const start = at * KEPT_BYTES;
    return { ...held, data: this.#data.subarray(start, start + Math.min(held.length, KEPT_BYTES)) };
  }
}

const isSaid = ({ direction, fault }: RingEntry): boolean => direction === 'in' && fault === undefined;

const isQuestion = ({ direction, pipe, fault }: RingEntry, { length }: Uint8Array): boolean =>
  direction === 'out' && pipe !== undefined && fault === undefined && length <= QUESTION_BYTES;

const sameSetup = (a: UsbSetup | undefined, b: UsbSetup | undefined): boolean =>
  a?.requestType === b?.requestType && a?.request === b?.request && a?.value === b?.value && a?.index === b?.index;

const isIn =
  (data: Uint8Array) =>
  (byte: number, at: number): boolean =>
    data[at] === byte;
