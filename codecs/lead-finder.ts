/**
 * Where the next of a few byte values stands. Each is looked for with the runtime's own search, which is several times
 * faster than a loop over the bytes, and only again once its last place is passed.
 */
export class LeadFinder {
  readonly #leads: Uint8Array;
  readonly #places: Int32Array;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(leads: Iterable<number>) {
    this.#leads = Uint8Array.from(leads);
    this.#places = new Int32Array(this.#leads.length);
  }

  /** Begins anew, in these bytes. They may be changed in places that are behind. */
  take(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#places.fill(-1);
  }

  /** The first place from `at` on that holds one of the values; the length where none does. `at` never goes back. */
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
