/**
 * The peers, by the source address of their beacons. An entry stays while beacons arrive; a full table accepts no new
 * one, as a flood of forged sources could otherwise remove every node that is listed.
 */

import { numberOf } from '../../bindings/ipv4.ts';
import type { NodeBeacon } from './contract.ts';

/** Number of entries: 10,000 forged sources leave room for those that are nodes. An entry takes half a kilobyte. */
const SEATS = 16_384;
/** An entry is removed this long after its last beacon. */
export const PEER_TTL_MS = 15_000;
/** A listed source is read at most once in this time. */
const READ_EVERY_MS = 1000;
/** Number of datagrams per second that are read from sources that are not listed: a tenth of a second of work. */
const STRANGERS_A_SECOND = 8192;
/** Beacons that are read from one source: as several nodes on one machine send. */
const READS_OF_ONE = 8;
/** Low bits of an address that tell strangers apart: all of them on a network with a prefix of at least 16 bits. */
const STRANGERS = 0x1_0000;

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
  /** How often each stranger was read in this second, so that one that sends much leaves the others what is theirs. */
  readonly #reads = new Uint8Array(STRANGERS);
  #strangers = 0;
  #strangersSince = 0;

  constructor(ttlMs = PEER_TTL_MS) {
    this.#ttlMs = ttlMs;
  }

  get size(): number {
    return this.#seats.size;
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
      this.#reads.fill(0);
    }
    const stranger = numberOf(address) % STRANGERS;
    const reads = this.#reads[stranger] ?? 0;
    if (reads >= READS_OF_ONE || this.#strangers >= STRANGERS_A_SECOND) return false;
    this.#reads[stranger] = reads + 1;
    this.#strangers += 1;
    return true;
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
