/**
 * Who was heard, by the address a beacon was seen to come from. Whoever sits there keeps the seat while beacons come:
 * a full table takes nobody new, for a flood of invented sources would otherwise push out every node that is there.
 */

import { numberOf } from '../../bindings/ipv4.ts';
import type { NodeBeacon } from './contract.ts';

/** A seat for every address of a network with a prefix of 24 bits. */
const SEATS = 256;
export const PEER_TTL_MS = 15_000;
/** A source with a seat is read once in this time. */
const READ_EVERY_MS = 1000;
/** So many datagrams of sources without a seat are read in a second. */
const STRANGERS_A_SECOND = 256;

interface Seat {
  beacon: NodeBeacon;
  heardAt: number;
  readAt: number;
}

export interface Peer extends Readonly<Omit<NodeBeacon, 'type'>> {
  readonly address: string;
  readonly ageMs: number;
}

export class PeerTable {
  readonly #seats = new Map<string, Seat>();
  readonly #ttlMs: number;
  #strangers = 0;
  #strangersSince = 0;

  constructor(ttlMs = PEER_TTL_MS) {
    this.#ttlMs = ttlMs;
  }

  /** Whether a datagram is worth reading, by its source alone. `now` is monotonic, in milliseconds. */
  admits(address: string, now: number): boolean {
    const seat = this.#seats.get(address);
    if (seat !== undefined) {
      if (now - seat.readAt < READ_EVERY_MS) return false;
      seat.readAt = now;
      return true;
    }
    if (this.#seats.size >= SEATS) return false;
    if (now - this.#strangersSince >= 1000) {
      this.#strangers = 0;
      this.#strangersSince = now;
    }
    this.#strangers += 1;
    return this.#strangers <= STRANGERS_A_SECOND;
  }

  /** A beacon from a source that `admits` let pass. */
  hear(address: string, beacon: NodeBeacon, now: number): void {
    this.#seats.set(address, { beacon, heardAt: now, readAt: now });
  }

  /** Frees the seats of those not heard for the time to live. */
  forget(now: number): void {
    for (const [address, { heardAt }] of this.#seats) {
      if (now - heardAt >= this.#ttlMs) this.#seats.delete(address);
    }
  }

  /** Who is there, in the order of their addresses. */
  list(now: number): readonly Peer[] {
    this.forget(now);
    return [...this.#seats]
      .sort(([a], [b]) => numberOf(a) - numberOf(b))
      .map(([address, { beacon, heardAt }]) => {
        const { id, name, variant, firmwareVersion, httpPort } = beacon;
        return { id, name, address, variant, firmwareVersion, httpPort, ageMs: Math.round(now - heardAt) };
      });
  }
}
