/**
 * The peers, by the source address of their beacons. An entry stays while beacons arrive; a full table accepts no new
 * one, as a flood of forged sources could otherwise remove every node that is listed.
 */

import { numberOf } from '../../bindings/ipv4.ts';
import type { NodeBeacon } from './contract.ts';

/** Number of entries: as many as a network with a prefix of 24 bits has addresses. */
const SEATS = 256;
/** An entry is removed this long after its last beacon. */
export const PEER_TTL_MS = 15_000;
/** A listed source is read at most once in this time. */
const READ_EVERY_MS = 1000;
/** Number of datagrams per second that are read from sources that are not listed. */
const STRANGERS_A_SECOND = 256;

interface Seat {
  beacon: NodeBeacon;
  heardAt: number;
  readAt: number;
}

/** Another node, as its beacon describes it. */
export interface Peer extends Readonly<Omit<NodeBeacon, 'type'>> {
  readonly address: string;
  readonly ageMs: number;
}

/** The table. Every `now` is a time of the monotonic clock, in milliseconds. */
export class PeerTable {
  readonly #seats = new Map<string, Seat>();
  readonly #ttlMs: number;
  #strangers = 0;
  #strangersSince = 0;

  constructor(ttlMs = PEER_TTL_MS) {
    this.#ttlMs = ttlMs;
  }

  /** Whether a datagram from this source is to be read, by the limits of rate and size. */
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

  /** Adds or updates the entry of a source for which `admits` was true. */
  hear(address: string, beacon: NodeBeacon, now: number): void {
    this.#seats.set(address, { beacon, heardAt: now, readAt: now });
  }

  /** Removes the entries without a beacon for the time to live. */
  forget(now: number): void {
    for (const [address, { heardAt }] of this.#seats) {
      if (now - heardAt >= this.#ttlMs) this.#seats.delete(address);
    }
  }

  /** The peers, sorted by address. */
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
