/** The macro of a printer, GS : and GS ^ (Epson TM-T88III command manual). */
import { concatenated } from './state/bytes.ts';

/** Bytes that are kept of a definition; the rest of it is obeyed alone. */
const MOST_BYTES = 2048;
/** What macros may print, in bytes: so much, and so many times what was received since. */
const ALLOWANCE = 1024 * 1024;
const TIMES = 16;
const EMPTY: Uint8Array = new Uint8Array();

/** Bytes are obeyed while they are recorded. */
export class Macro {
  #defined = EMPTY;
  #recorded: Uint8Array | undefined;
  #allowance = ALLOWANCE;

  copy(): Macro {
    const copy = new Macro();
    copy.#defined = this.#defined;
    copy.#recorded = this.#recorded;
    copy.#allowance = this.#allowance;
    return copy;
  }

  get recording(): boolean {
    return this.#recorded !== undefined;
  }

  /** GS : begins a definition, and ends it. */
  mark(): void {
    if (this.#recorded) this.#defined = this.#recorded;
    this.#recorded = this.#recorded ? undefined : EMPTY;
  }

  record(bytes: Uint8Array): void {
    if (this.#recorded && this.#recorded.length < MOST_BYTES) {
      this.#recorded = concatenated([this.#recorded, bytes.subarray(0, MOST_BYTES - this.#recorded.length)]);
    }
  }

  /** Notes that so many bytes came over the cable. */
  received(bytes: number): void {
    this.#allowance = Math.min(ALLOWANCE, this.#allowance + bytes * TIMES);
  }

  /** What GS ^ prints so many times; undefined where there is none, or too much of it. A definition under way is given up. */
  toRun(times: number): Uint8Array | undefined {
    if (this.#recorded) {
      this.#recorded = undefined;
      this.#defined = EMPTY;
    }
    const cost = this.#defined.length * times;
    if (cost === 0 || cost > this.#allowance) return undefined;
    this.#allowance -= cost;
    return this.#defined;
  }
}
