/** Turns of strangers: who shows nothing that is right gets so many answers a second at his address, so that he costs the others nothing. */
import { sourceOf } from './source.ts';

/** Answers to one address: at once, and then each second. */
const AT_ONCE = 100;
const A_SECOND = 20;
/** The longest wait; nodes hang up after ten seconds. */
const LONGEST_MS = 20_000;
/** Addresses that are remembered: those that came last. */
const SOURCES = 10_000;

/** When the next answer to an address is due (a leaky bucket). */
export class Turns {
  /** Until when what an address got is spread, the one that came last at the end. */
  readonly #spread = new Map<string, number>();

  /** Takes the next turn of this address; returns the milliseconds until it comes, by `performance.now()`. */
  take(address: string, now = performance.now()): number {
    const source = sourceOf(address);
    const before = Math.max(now, this.#spread.get(source) ?? now);
    const wait = Math.max(0, before - now - (AT_ONCE * 1000) / A_SECOND);
    this.#spread.delete(source);
    this.#spread.set(source, before + (wait < LONGEST_MS ? 1000 / A_SECOND : 0));
    const [oldest] = this.#spread.keys();
    if (this.#spread.size > SOURCES && oldest !== undefined) this.#spread.delete(oldest);
    return wait;
  }
}
