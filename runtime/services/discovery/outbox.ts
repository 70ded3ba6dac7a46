/** Multicast responses of one link: delays and merges them, and sends no record twice within a second (RFC 6762, 6). */
import { type OwnRecord, recordKey } from './packet.ts';

const GAP_MS = 1000;
/** Responses to probes may be repeated sooner (6). */
const DEFENCE_GAP_MS = 250;
/** Records that may be sent within this time are sent in the same packet. */
const TOGETHER_MS = 20;
/** Number of records whose last sending is remembered: more than a node has; old names are forgotten. */
const REMEMBERED = 256;

/** The queue of one link; `send` multicasts records. */
export class Outbox {
  readonly #send: (records: readonly OwnRecord[]) => void;
  readonly #due = new Map<string, { readonly record: OwnRecord; readonly at: number; readonly earliest: number }>();
  readonly #sent = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (records: readonly OwnRecord[]) => void) {
    this.#send = send;
  }

  /** Queues records to be sent after `delayMs`, later if sent within the last second (`defence`: 250 ms). */
  add(records: readonly OwnRecord[], delayMs: number, { defence = false } = {}): void {
    const now = performance.now();
    for (const record of records) {
      const key = recordKey(record);
      const last = this.#sent.get(key) ?? Number.NEGATIVE_INFINITY;
      const queued = this.#due.get(key);
      const earliest = Math.min(
        last + (defence ? DEFENCE_GAP_MS : GAP_MS),
        queued?.earliest ?? Number.POSITIVE_INFINITY,
      );
      const at = Math.max(now + delayMs, earliest);
      this.#due.set(key, { record, at: Math.min(at, queued?.at ?? at), earliest });
    }
    this.#plan();
  }

  /** Notes that the caller multicasts these records now; they are removed from the queue. */
  note(records: readonly OwnRecord[]): void {
    const now = performance.now();
    for (const key of records.map(recordKey)) {
      this.#due.delete(key);
      this.#sent.delete(key);
      this.#sent.set(key, now);
    }
    for (const key of this.#sent.keys()) {
      if (this.#sent.size <= REMEMBERED) break;
      this.#sent.delete(key);
    }
  }

  /** Whether the record was multicast within the last `withinMs`, so that the caches on the link hold it. */
  isFresh(record: OwnRecord, withinMs: number): boolean {
    return performance.now() - (this.#sent.get(recordKey(record)) ?? Number.NEGATIVE_INFINITY) < withinMs;
  }

  /** Whether the record was not multicast within the last second. */
  maySend(record: OwnRecord): boolean {
    return this.waitOf(record) === 0;
  }

  /** Milliseconds until the record may be multicast. */
  waitOf(record: OwnRecord): number {
    return Math.max(0, (this.#sent.get(recordKey(record)) ?? Number.NEGATIVE_INFINITY) + GAP_MS - performance.now());
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#due.size === 0) return;
    const next = Math.min(...[...this.#due.values()].map(({ at }) => at));
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, next - performance.now()));
  }

  /** What waits for its delay alone goes along (6.4): sent after this packet it would lack the addresses, which this one has. */
  #flush(): void {
    const limit = performance.now() + TOGETHER_MS;
    const due = [...this.#due.values()].filter(({ earliest }) => earliest <= limit).map(({ record }) => record);
    for (const record of due) this.#due.delete(recordKey(record));
    if (due.length > 0) this.#send(due);
    this.#plan();
  }
}
