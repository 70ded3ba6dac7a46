/**
 * The answers of a printer to what jobs ask it (GS I, GS r and the like): how many are still to come, and whose they are. The
 * printer names nobody in them, so the job that asked waits for its own, for a short time, before another one prints.
 */
import type { AskedCounts, AskedType } from '../../../codecs/escpos-progress.ts';

/** Milliseconds from the last byte that left until a job stops waiting for its answers. */
const WAIT_MS = 200;
/**
 * Milliseconds from the end of a job in which an answer that it did not get is known for its own, and dropped. A printer that
 * answered nothing in time is waited for again after so many.
 */
const LATE_MS = 5000;

/** What one printer was asked. */
export class Answers {
  /** What the job that has the turn still expects. */
  readonly #expected = new Map<AskedType, number>();
  /** What the jobs before it did not get: until when each may still come, in ms of `performance.now()`. */
  readonly #late = new Map<AskedType, number[]>();
  /** The late ones that have come in the turn of this job, each of which may have been the answer to this one. */
  readonly #came = new Map<AskedType, number[]>();
  /** The types of which none came in time when one was waited for last, and until when none is waited for. */
  readonly #silent = new Map<AskedType, number>();
  #mute = false;
  /** When the last byte left, in ms of `performance.now()`. */
  #leftAt = 0;
  #over = () => {};

  /** No answer of this printer gets to a job. */
  mute(): void {
    this.#mute = true;
    this.#over();
  }

  ask(asked: AskedCounts): void {
    for (const [type, count] of asked) this.#expected.set(type, (this.#expected.get(type) ?? 0) + count);
  }

  /** Bytes left for the printer. */
  left(): void {
    this.#leftAt = performance.now();
  }

  /** An answer came: true where it is for the job that has the turn. */
  take(type: AskedType): boolean {
    this.#silent.delete(type);
    const until = this.#lateOf(type).shift();
    if (until !== undefined) {
      listOf(this.#came, type).push(until);
      return false;
    }
    const asked = takeOne(this.#expected, type);
    if (!this.#isAwaited) this.#over();
    // The node asks for these, too, and does not wait for ever.
    return asked || type !== 'processId';
  }

  /** Resolves when the job has the answers that it asked for, or the printer had time enough for them. */
  async settled(): Promise<void> {
    if (!this.#isAwaited) return;
    const leftMs = this.#leftAt + WAIT_MS - performance.now();
    if (leftMs > 0) {
      await new Promise<void>((over) => {
        const timer = setTimeout(over, leftMs);
        this.#over = () => {
          clearTimeout(timer);
          over();
        };
      });
    }
    // One that was not waited for now is waited for again no later than it would have been.
    for (const type of this.#expected.keys())
      if (this.#isHeard(type)) this.#silent.set(type, performance.now() + LATE_MS);
  }

  /**
   * The job leaves: what comes of its answers from now on is for nobody. Where another one came in its place, it lapses with that: one
   * answer that a printer never gives has to be forgotten, also while jobs go on asking.
   */
  leave(): void {
    const now = performance.now();
    for (const [type, count] of this.#expected) {
      const came = listOf(this.#came, type);
      const late = this.#lateOf(type);
      for (let lacking = count; lacking > 0; lacking -= 1) late.push(came.shift() ?? now + LATE_MS);
    }
    this.#expected.clear();
    this.#came.clear();
  }

  /** The late ones of one type that may still come. */
  #lateOf(type: AskedType): number[] {
    const now = performance.now();
    const late = listOf(this.#late, type).filter((until) => now < until);
    this.#late.set(type, late);
    return late;
  }

  get #isAwaited(): boolean {
    return !this.#mute && [...this.#expected.keys()].some((type) => this.#isHeard(type));
  }

  #isHeard(type: AskedType): boolean {
    return performance.now() >= (this.#silent.get(type) ?? 0);
  }
}

/** The one of this type, which is made where there is none. */
function listOf(lists: Map<AskedType, number[]>, type: AskedType): number[] {
  const list = lists.get(type) ?? [];
  lists.set(type, list);
  return list;
}

/** True where there was one. */
function takeOne(counts: Map<AskedType, number>, type: AskedType): boolean {
  const count = counts.get(type);
  if (count === undefined) return false;
  if (count > 1) counts.set(type, count - 1);
  else counts.delete(type);
  return true;
}
