/** What one link is about to be sent by multicast: each record once, and not again within a second (RFC 6762, 6). */
import { keyOf, type OwnRecord } from './packet.ts';

const GAP_MS = 1000;
/** Answers to a probe may follow each other sooner (6). */
const DEFENCE_GAP_MS = 250;
/** What falls due this soon after is sent along. */
const TOGETHER_MS = 20;
/** Records remembered: more than a node has, so that names of old do not pile up. */
const REMEMBERED = 256;

export class Outbox {
  readonly #send: (records: readonly OwnRecord[]) => void;
  readonly #due = new Map<string, { readonly record: OwnRecord; readonly at: number }>();
  readonly #sent = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (records: readonly OwnRecord[]) => void) {
    this.#send = send;
  }

  add(records: readonly OwnRecord[], delayMs: number, { defence = false } = {}): void {
    const now = performance.now();
    for (const record of records) {
      const key = keyOf(record);
      const last = this.#sent.get(key) ?? Number.NEGATIVE_INFINITY;
      const at = Math.max(now + delayMs, last + (defence ? DEFENCE_GAP_MS : GAP_MS));
      this.#due.set(key, { record, at: Math.min(at, this.#due.get(key)?.at ?? at) });
    }
    this.#plan();
  }

  /** These go out now, by another way. */
  note(records: readonly OwnRecord[]): void {
    const now = performance.now();
    for (const key of records.map(keyOf)) {
      this.#due.delete(key);
      this.#sent.delete(key);
      this.#sent.set(key, now);
    }
    for (const key of this.#sent.keys()) {
      if (this.#sent.size <= REMEMBERED) break;
      this.#sent.delete(key);
    }
  }

  /** It was multicast within this time, so that every cache on the link has it. */
  isFresh(record: OwnRecord, withinMs: number): boolean {
    return performance.now() - (this.#sent.get(keyOf(record)) ?? Number.NEGATIVE_INFINITY) < withinMs;
  }

  maySend(record: OwnRecord): boolean {
    return !this.isFresh(record, GAP_MS);
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

  #flush(): void {
    const limit = performance.now() + TOGETHER_MS;
    const due = [...this.#due.values()].filter(({ at }) => at <= limit).map(({ record }) => record);
    for (const record of due) this.#due.delete(keyOf(record));
    if (due.length > 0) this.#send(due);
    this.#plan();
  }
}
