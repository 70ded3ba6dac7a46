/**
 * The answers of a printer to what jobs ask it (GS I, GS r and the like): how many are still to come, and whose they are. The
 * printer names nobody in them, so the job that asked waits for its own, for a short time, before another one prints.
 */
import type { Asked, AskedType } from '../../../codecs/escpos-progress.ts';

/** Milliseconds from the last byte that left until a job stops waiting for its answers. */
const WAIT_MS = 200;
/** Milliseconds from the end of a job in which its answers are still known for its own, and dropped. */
const LATE_MS = 5000;

/** What one printer was asked. */
export class Answers {
  /** What the job that has the turn still expects. */
  readonly #expected = new Map<AskedType, number>();
  /** What the jobs before it did not get. */
  readonly #late = new Map<AskedType, number>();
  #lateUntil = 0;
  /** The types of which none came in time when one was waited for last. */
  readonly #silent = new Set<AskedType>();
  #mute = false;
  /** When the last byte left, in ms of `performance.now()`. */
  #leftAt = 0;
  #over = () => {};

  /** No answer of this printer gets to a job. */
  mute(): void {
    this.#mute = true;
    this.#over();
  }

  ask(asked: Asked): void {
    for (const [type, count] of asked) this.#expected.set(type, (this.#expected.get(type) ?? 0) + count);
  }

  /** Bytes left for the printer. */
  left(): void {
    this.#leftAt = performance.now();
  }

  /** An answer came: true where it is for the job that has the turn. */
  take(type: AskedType): boolean {
    this.#silent.delete(type);
    if (performance.now() >= this.#lateUntil) this.#late.clear();
    if (takeOne(this.#late, type)) return false;
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
    for (const type of this.#expected.keys()) this.#silent.add(type);
  }

  /** The job leaves: what comes of its answers from now on is for nobody. */
  leave(): void {
    const now = performance.now();
    if (now >= this.#lateUntil) this.#late.clear();
    if (this.#expected.size === 0) return;
    this.#lateUntil = now + LATE_MS;
    for (const [type, count] of this.#expected) this.#late.set(type, (this.#late.get(type) ?? 0) + count);
    this.#expected.clear();
  }

  get #isAwaited(): boolean {
    return !this.#mute && [...this.#expected.keys()].some((type) => !this.#silent.has(type));
  }
}

/** True where there was one. */
function takeOne(counts: Map<AskedType, number>, type: AskedType): boolean {
  const count = counts.get(type);
  if (count === undefined) return false;
  if (count > 1) counts.set(type, count - 1);
  else counts.delete(type);
  return true;
}
