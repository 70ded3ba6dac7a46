/**
 * Sends beacons of this node and receives those of others, on one UDP socket; never responds to a received datagram.
 */
import { isUtf8 } from 'node:buffer';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { broadcastOf, contains, type Ipv4Network } from '../../bindings/ipv4.ts';
import type { NetworkLink } from '../../bindings/network.ts';
import type { Logger } from '../../kernel/log.ts';
import type { NodeBeacon } from './contract.ts';
import { Doubles } from './doubles.ts';
import { subnetsOf } from './subnets.ts';
import { PEER_TTL_MS, type Peer, PeerTable } from './table.ts';

const PORT = 9101;
/** Interval of beacons. */
export const BEACON_EVERY_MS = 5000;
const MAX_BYTES = 512;

/** What a beacon is sent with. `port`, `intervalMs` and `ttlMs` are for tests. */
export interface BeaconOptions {
  /** Returns the links to send on; called before every beacon. */
  readonly links: () => readonly NetworkLink[];
  /** Returns the beacon to send; undefined while the node cannot be reached. */
  readonly announce: () => NodeBeacon | undefined;
  readonly isBeacon: (value: unknown) => value is NodeBeacon;
  readonly id: string;
  /** Returns all addresses of this machine: from them its own beacons come. */
  readonly own?: () => readonly string[];
  /** Called when another device is known to have the id of this node. */
  readonly doubled?: () => void;
  readonly log: Logger;
  readonly port?: number;
  readonly intervalMs?: number;
  readonly ttlMs?: number;
}

/** Sends beacons on the links, and keeps the table of peers. */
export class Beacon {
  readonly #options: BeaconOptions;
  readonly #table: PeerTable;
  /** Others with the id of this node. */
  readonly #doubles: Doubles;
  #own: ReadonlySet<string> = new Set();
  #subnets: readonly Ipv4Network[] = [];
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BeaconOptions) {
    this.#options = options;
    const { intervalMs = BEACON_EVERY_MS, ttlMs = PEER_TTL_MS } = options;
    this.#table = new PeerTable(ttlMs);
    this.#doubles = new Doubles({ forMs: intervalMs / 2, ttlMs });
  }

  /** Opens the socket and sends the first beacon. Never rejects: if the port cannot be used, that is logged. */
  async start(): Promise<void> {
    const { port = PORT, intervalMs = BEACON_EVERY_MS, log } = this.#options;
    // reuseAddr: two nodes on one machine can receive the same broadcasts.
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    this.#socket = socket;
    try {
      socket.bind(port);
      await once(socket, 'listening');
      socket.setBroadcast(true);
    } catch (error) {
      log.warn({ port, error: String(error) }, 'no beacon');
      await this.stop();
      return;
    }
    socket.on('error', (error) => log.warn({ error: error.message }, 'beacon'));
    socket.on('message', (datagram, { address }) => this.#hear(datagram, address));
    this.#timer = setInterval(() => this.#beat(), intervalMs);
    this.#beat();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  }

  /** The peers of the last 15 seconds. */
  peers(): readonly Peer[] {
    return this.#table.list(performance.now());
  }

  /** Number of peers. */
  get heard(): number {
    return this.#table.size;
  }

  /** The addresses of other devices that have the id of this node, `most` at most, those first that were heard longest. */
  doubles(most: number): readonly string[] {
    return this.#doubles.list(performance.now(), most);
  }

  #beat(): void {
    const { links, own, announce, port = PORT } = this.#options;
    this.#table.forget(performance.now());
    this.#own = new Set(own?.());
    this.#subnets = subnetsOf(links());
    const beacon = announce();
    if (beacon === undefined) return;
    const datagram = Buffer.from(JSON.stringify(beacon));
    for (const subnet of this.#subnets) {
      // Fails if the link went down after it was listed; the next beacon lists the links again.
      this.#socket?.send(datagram, port, broadcastOf(subnet), () => {});
    }
  }

  /** Handles a datagram, cheapest checks first, so that most of a flood is not parsed. */
  #hear(datagram: Buffer, address: string): void {
    if (datagram.length > MAX_BYTES) return;
    if (!this.#subnets.some((subnet) => contains(subnet, address))) return;
    const now = performance.now();
    if (!this.#table.admits(address, now)) return;
    const beacon = parseBeacon(datagram, this.#options.isBeacon);
    if (beacon === undefined) return;
    const { id, own, doubled } = this.#options;
    if (beacon.id !== id) this.#table.hear(address, beacon, now);
    else if (own !== undefined && !this.#own.has(address) && this.#doubles.hear(address, now)) doubled?.();
  }
}

/** Parses a datagram; undefined if it is not valid UTF-8, JSON and a beacon. */
export function parseBeacon(bytes: Buffer, isBeacon: BeaconOptions['isBeacon']): NodeBeacon | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isBeacon(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
