/**
 * Finds the next byte with one of a few values. Each value is searched with `indexOf`, which is several times faster than a
 * loop over the bytes, and again only when its last place is passed.
 */
export class LeadFinder {
  readonly #leads: Uint8Array;
  readonly #places: Int32Array;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(leads: Iterable<number>) {
    this.#leads = Uint8Array.from(leads);
    this.#places = new Int32Array(this.#leads.length);
  }

  /** Starts a search in `bytes`. Bytes before the current place may be changed meanwhile. */
  take(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#places.fill(-1);
  }

  /** Index of the first such byte from `at` on, or the length where there is none. `at` must never decrease. */
  next(at: number): number {
    const bytes = this.#bytes;
    const places = this.#places;
    let nearest = bytes.length;
    for (let i = 0; i < places.length; i++) {
      let place = places[i]!;
      if (place < at) {
        place = bytes.indexOf(this.#leads[i]!, at);
        if (place < 0) place = bytes.length;
        places[i] = place;
      }
      if (place < nearest) nearest = place;
    }
    return nearest;
  }
}

const LF = 0x0a;
const LONGEST_LINE = 256;

/**
 * Where a part of text ends that goes from `start` to `end` at most: behind the first line end that has `least` bytes before it or more;
 * where there is none in the next `LONGEST_LINE`, behind these, or the last line end before.
 */
export function partEnd(bytes: Uint8Array, start: number, end: number, least: number): number {
  if (end - start <= least) return end;
  const to = Math.min(end, start + least + LONGEST_LINE);
  for (let i = start + least - 1; i < to; i++) if (bytes[i] === LF) return i + 1;
  if (to === end) return end;
  return start + (bytes.subarray(start, to).lastIndexOf(LF) + 1 || to - start);
}
