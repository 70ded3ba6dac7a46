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

/**
 * Where a part of text ends that goes from `start` to `end` at most: behind the first line end that has `least` bytes before it or more;
 * behind `most` where there is none, or the last line end before.
 */
export function partEnd(bytes: Uint8Array, start: number, end: number, least: number, most: number): number {
  if (end - start <= least) return end;
  const text = bytes.subarray(start, Math.min(end, start + most));
  const line = text.indexOf(LF, least - 1) + 1;
  if (line > 0) return start + line;
  if (end - start <= most) return end;
  return start + (text.lastIndexOf(LF) + 1 || most);
}
