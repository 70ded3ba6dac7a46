/** How many images are sent at a time, in all and to one address; the others are told when to come again. */
import { Busy } from '../ingest/ingest.ts';
import { sourceOf } from '../sign-in/attempts.ts';

const MOST = 64;
/** A shop has one line. */
const OF_ONE = 4;
/** `Retry-After` in seconds: between these, and longer where many were refused of late. */
const RETRY_SECONDS = 5;
const RETRY_MAX_SECONDS = 300;
/** So many refusals lengthen it by a second; they are forgotten after so long. */
const REFUSED_A_SECOND = 10;
const OF_LATE_MS = 30_000;

/** The downloads that are under way. */
export class Gate {
  readonly #sources = new Map<string, number>();
  #count = 0;
  #refused = 0;
  #since = performance.now();

  /** Takes a place; what it returns gives it back, once. Throws Busy where there is none. */
  enter(address: string): () => void {
    const source = sourceOf(address);
    const own = this.#sources.get(source) ?? 0;
    if (this.#count >= MOST || own >= OF_ONE) throw this.#refusal();
    this.#count += 1;
    this.#sources.set(source, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#count -= 1;
      const left = (this.#sources.get(source) ?? 1) - 1;
      if (left === 0) this.#sources.delete(source);
      else this.#sources.set(source, left);
    };
  }

  #refusal(): Busy {
    const now = performance.now();
    if (now - this.#since > OF_LATE_MS) [this.#since, this.#refused] = [now, 0];
    this.#refused += 1;
    const spread = Math.min(RETRY_MAX_SECONDS, RETRY_SECONDS + this.#refused / REFUSED_A_SECOND);
    return new Busy('so many downloads are under way', Math.ceil(RETRY_SECONDS + Math.random() * spread));
  }
}
