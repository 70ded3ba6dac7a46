/** The traffic ring: the last 512 records, in memory taken once. */
import type { UsbSetup } from '../../bindings/bindings.ts';
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
/** What is sent again and is longer than a question for the status is news, whatever is answered: a receipt that is printed twice. */
const QUESTION_BYTES = 16;
/** More records than any question and its answers are. */
const MAX_EXCHANGE = 16;

/** What goes on on a channel: a question and its answers, or what is said unasked. */
interface Exchange {
  /** Numbers of its records. */
  readonly records: number[];
  /** Which of them was recorded, or repeated, last. */
  at: number;
}

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

  /** Its number; that of the record it repeats, where nothing but the same is asked and said again on its channel. */
  add(entry: Entry, data: Uint8Array): number {
    const repeated = this.#repeat(entry, data);
    if (repeated !== undefined) return repeated;
    this.#newest += 1;
    this.#follow(entry, data);
    const at = (this.#newest - 1) % RECORDS;
    this.#data.set(data.length > KEPT_BYTES ? data.subarray(0, KEPT_BYTES) : data, at * KEPT_BYTES);
    this.#held[at] = { seq: this.#newest, ...entry, length: data.length };
    return this.#newest;
  }

  #repeat(entry: Entry, data: Uint8Array): number | undefined {
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

  /** `unasked`: nobody asked for it since it was said last. */
  #isAgain(seq: number | undefined, entry: Entry, data: Uint8Array, unasked: boolean): boolean {
    const last = seq === undefined ? undefined : this.get(seq);
    if (last === undefined || last.direction !== entry.direction || last.pipe !== entry.pipe) return false;
    if (last.endpoint !== entry.endpoint || last.identity !== entry.identity) return false;
    if (!sameSetup(last.setup, entry.setup) || last.length !== data.length || !last.data.every(isIn(data)))
      return false;
    if (data.length > KEPT_BYTES) return false;
    return !unasked || entry.setup !== undefined || entry.tMs - (last.lastTMs ?? last.tMs) <= REPEAT_MS;
  }

  /** The newest record begins an exchange, goes on with one, or is no part of any. What is said after a mark stands after it. */
  #follow(entry: Entry, data: Uint8Array): void {
    const { channel, direction } = entry;
    const exchange = this.#exchanges.get(channel);
    const goesOn =
      exchange?.at === (exchange?.records.length ?? 0) - 1 && (exchange?.records.length ?? 0) < MAX_EXCHANGE;
    if (direction === 'mark') this.#exchanges.clear();
    else if (isSaid(entry) && exchange !== undefined && goesOn) exchange.at = exchange.records.push(this.#newest) - 1;
    else if (isSaid(entry) || isQuestion(entry, data)) this.#exchanges.set(channel, { records: [this.#newest], at: 0 });
    else this.#exchanges.delete(channel);
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

const isSaid = ({ direction, fault }: Entry): boolean => direction === 'in' && fault === undefined;

const isQuestion = ({ direction, pipe, fault }: Entry, { length }: Uint8Array): boolean =>
  direction === 'out' && pipe !== undefined && fault === undefined && length <= QUESTION_BYTES;

const sameSetup = (a: UsbSetup | undefined, b: UsbSetup | undefined): boolean =>
  a?.requestType === b?.requestType && a?.request === b?.request && a?.value === b?.value && a?.index === b?.index;

const isIn =
  (data: Uint8Array) =>
  (byte: number, at: number): boolean =>
    data[at] === byte;
