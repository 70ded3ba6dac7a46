/**
 * Other devices that have the id of this node, by address. Heard once, an address is none: it may be one that this node
 * had when that was sent.
 */

/** Number of addresses: 10,000 forged ones leave room for one that is real. */
const SEATS = 16_384;
/** A full list is looked through for what is over at most once in this time. */
const FORGET_EVERY_MS = 1000;

interface Seat {
  readonly firstAt: number;
  heardAt: number;
}

/** The list. Every `now` is a time of the monotonic clock, in milliseconds. */
export class Doubles {
  /** In the order of `firstAt`. */
  readonly #seats = new Map<string, Seat>();
  readonly #forMs: number;
  readonly #ttlMs: number;
  #forgotAt = Number.NEGATIVE_INFINITY;

  /** An address counts once it is heard again after `forMs`, until it is not heard for `ttlMs`. */
  constructor({ forMs, ttlMs }: { readonly forMs: number; readonly ttlMs: number }) {
    this.#forMs = forMs;
    this.#ttlMs = ttlMs;
  }

  /** Notes that the address was heard. Returns true if it is a double from now on. */
  hear(address: string, now: number): boolean {
    const seat = this.#seats.get(address);
    if (seat === undefined || this.#isOver(seat, now)) {
      this.#seats.delete(address);
      if (this.#hasRoom(now)) this.#seats.set(address, { firstAt: now, heardAt: now });
      return false;
    }
    const wasOne = this.#isOne(seat);
    seat.heardAt = now;
    return !wasOne && this.#isOne(seat);
  }

  /** The device with this address has another id now, or is off. */
  forget(address: string): void {
    this.#seats.delete(address);
  }

  /** The first `most` addresses of those that count, those first that were heard longest. */
  list(now: number, most: number): readonly string[] {
    const found: string[] = [];
    for (const [address, seat] of this.#seats) {
      if (found.length === most) break;
      if (this.#isOne(seat) && !this.#isOver(seat, now)) found.push(address);
    }
    return found;
  }

  #isOne({ firstAt, heardAt }: Seat): boolean {
    return heardAt - firstAt >= this.#forMs;
  }

  #isOver({ heardAt }: Seat, now: number): boolean {
    return now - heardAt >= this.#ttlMs;
  }

  #hasRoom(now: number): boolean {
    if (this.#seats.size >= SEATS && now - this.#forgotAt >= FORGET_EVERY_MS) {
      this.#forgotAt = now;
      for (const [address, seat] of this.#seats) if (this.#isOver(seat, now)) this.#seats.delete(address);
    }
    return this.#seats.size < SEATS;
  }
}
