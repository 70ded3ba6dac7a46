/**
 * The UDP sockets of multicast DNS, port 5353 (RFC 6762, 3, 5 and 11). Node does not say on which interface a datagram
 * was received, so there are two kinds of sockets: one per address family, which joins the group on every link and
 * receives multicast; and one per link and family, bound to the link's address, which sends and receives unicast.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { NetworkLink } from '../../bindings/network.ts';

/** UDP port of multicast DNS (RFC 6762, 3). */
export const MDNS_PORT = 5353;
const GROUP = { 4: '224.0.0.251', 6: 'ff02::fb' } as const;
/** IP TTL of all packets; receivers may check it in order to ignore routed packets (11). */
const TTL = 255;

/** The sender of a datagram. */
export interface Source {
  /** Address of the sender, with the zone (`%eth0`) where it is a link-local one of IPv6. */
  readonly address: string;
  readonly port: number;
}

/** Called for each received datagram. */
export type Hear = (bytes: Buffer, source: Source) => void;

/** Sends and receives datagrams on a set of links. */
export interface Wire {
  /**
   * Sets the links. Resolves with those that could be opened, each with only the addresses of the families that work
   * there. Never rejects.
   */
  use(links: readonly NetworkLink[]): Promise<readonly NetworkLink[]>;
  /** Sends to the group, in each address family of the link. Rejects if none could be sent. */
  multicast(link: NetworkLink, bytes: Buffer): Promise<void>;
  /** Sends to one host; failures are ignored. */
  unicast(link: NetworkLink, bytes: Buffer, to: Source): void;
  /** Closes the sockets after all pending datagrams were sent. */
  close(): Promise<void>;
}
/** Makes a wire without links; `hear` gets what it receives. */
export type OpenWire = (hear: Hear) => Wire;

type Family = 4 | 6;
const FAMILIES = [4, 6] as const;

/** The address to bind and the interface for multicast; undefined without an address. IPv6 uses the link-local one. */
function senderOf({ name, addresses }: NetworkLink, family: Family): { address: string; via: string } | undefined {
  const own = addresses.find((entry) => entry.family === family && (family === 4 || entry.address.startsWith('fe80:')));
  if (own === undefined) return undefined;
  return family === 4
    ? { address: own.address, via: own.address }
    : { address: `${own.address}%${name}`, via: `::%${name}` };
}

/** The wire over real UDP sockets. */
export const openUdp: OpenWire = (hear) => new UdpWire(hear);

class UdpWire implements Wire {
  readonly #hear: Hear;
  readonly #receivers = new Map<Family, { readonly socket: Socket; readonly joined: Set<string> }>();
  /** By `address` of senderOf. */
  readonly #senders = new Map<string, Socket>();
  readonly #sending = new Set<Promise<void>>();

  constructor(hear: Hear) {
    this.#hear = hear;
  }

  async use(links: readonly NetworkLink[]): Promise<readonly NetworkLink[]> {
    for (const family of FAMILIES) {
      const wanted = new Map(
        links.flatMap((link) => {
          const sender = senderOf(link, family);
          return sender === undefined ? [] : [[sender.address, sender.via] as const];
        }),
      );
      for (const [address, socket] of this.#senders) {
        if (address.includes(':') !== (family === 6) || wanted.has(address)) continue;
        this.#senders.delete(address);
        socket.close();
      }
      try {
        await this.#receive(family, [...wanted.values()]);
      } catch {
        continue;
      }
      for (const [address, via] of wanted) {
        if (!this.#senders.has(address)) await this.#openSender(family, address, via).catch(() => {});
      }
    }
    return links.flatMap((link) => {
      const addresses = link.addresses.filter(({ family }) => this.#senderOn(link, family) !== undefined);
      return addresses.length === 0 ? [] : [{ ...link, addresses }];
    });
  }

  async multicast(link: NetworkLink, bytes: Buffer): Promise<void> {
    const sent = await Promise.allSettled(
      FAMILIES.flatMap((family) => {
        const socket = this.#senderOn(link, family);
        const to = family === 4 ? GROUP[4] : `${GROUP[6]}%${link.name}`;
        return socket === undefined ? [] : [this.#send(socket, bytes, { address: to, port: MDNS_PORT })];
      }),
    );
    if (!sent.some(({ status }) => status === 'fulfilled')) throw new Error(`nothing could be sent on ${link.name}`);
  }

  unicast(link: NetworkLink, bytes: Buffer, to: Source): void {
    const socket = this.#senderOn(link, to.address.includes(':') ? 6 : 4);
    if (socket !== undefined) this.#send(socket, bytes, to).catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#sending);
    for (const { socket } of this.#receivers.values()) socket.close();
    for (const socket of this.#senders.values()) socket.close();
    this.#receivers.clear();
    this.#senders.clear();
  }

  #senderOn(link: NetworkLink, family: Family): Socket | undefined {
    return this.#senders.get(senderOf(link, family)?.address ?? '');
  }

  #send(socket: Socket, bytes: Buffer, { address, port }: Source): Promise<void> {
    const sending = new Promise<void>((resolve, reject) => {
      socket.send(bytes, port, address, (error) => (error === null ? resolve() : reject(error)));
    });
    this.#sending.add(sending);
    const over = () => void this.#sending.delete(sending);
    sending.then(over, over);
    return sending;
  }

  /** Joins the group on these interfaces and leaves it on others; the socket is closed if there is none. */
  async #receive(family: Family, vias: readonly string[]): Promise<void> {
    let receiver = this.#receivers.get(family);
    if (vias.length === 0) {
      this.#receivers.delete(family);
      receiver?.socket.close();
      return;
    }
    if (receiver === undefined) {
      receiver = { socket: await this.#open(family, family === 4 ? '0.0.0.0' : '::'), joined: new Set() };
      this.#receivers.set(family, receiver);
    }
    const { socket, joined } = receiver;
    for (const via of joined) {
      if (vias.includes(via)) continue;
      joined.delete(via);
      // Fails if the interface is gone, which ends the membership, too.
      ignoring(() => socket.dropMembership(GROUP[family], via));
    }
    for (const via of vias) {
      if (joined.has(via)) continue;
      // EADDRINUSE: already a member, if only the address of the interface changed.
      ignoring(() => socket.addMembership(GROUP[family], via), 'EADDRINUSE');
      joined.add(via);
    }
  }

  async #openSender(family: Family, address: string, via: string): Promise<void> {
    const socket = await this.#open(family, address);
    try {
      socket.setMulticastInterface(via);
      socket.setMulticastTTL(TTL);
      socket.setTTL(TTL);
      // Without loopback: its own packets could not be told from those of other programs on this machine.
      socket.setMulticastLoopback(false);
      this.#senders.set(address, socket);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  async #open(family: Family, address: string): Promise<Socket> {
    const socket = createSocket({ type: family === 4 ? 'udp4' : 'udp6', reuseAddr: true, ipv6Only: family === 6 });
    try {
      socket.bind({ port: MDNS_PORT, address });
      await once(socket, 'listening');
    } catch (error) {
      socket.close();
      throw error;
    }
    // An error on a socket that is open comes from what was sent, and is told to whoever sent it.
    socket.on('error', () => {});
    socket.on('message', (bytes: Buffer, { address: from, port }: RemoteInfo) =>
      this.#hear(bytes, { address: from, port }),
    );
    return socket;
  }
}

/** A call that may find its work done already, or impossible by now; of other faults only where `code` is not said. */
function ignoring(run: () => void, code?: string): void {
  try {
    run();
  } catch (error) {
    if (code !== undefined && (error as NodeJS.ErrnoException).code !== code) throw error;
  }
}
