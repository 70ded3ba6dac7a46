/** Addresses to which the node sends no requests: its own, and those that cannot be a receiver (SSRF protection). */
import { BlockList } from 'node:net';
import { broadcastOf, networkOf } from '../bindings/ipv4.ts';
import type { NetworkLink } from '../bindings/network.ts';
import type { Node } from '../kernel/node.ts';

/**
 * True if nothing may be sent to this address and port. `from`: the local address of an open connection; if it equals
 * the remote address, the connection has not left the machine.
 */
export type Refuses = (address: string, port: number, from?: string) => boolean;

const LINK_LOCAL_METADATA = '169.254.169.254';
/**
 * The metadata service over IPv6: the addresses of OpenStack and Amazon, and the IPv4 address in the IPv4-compatible
 * (RFC 4291, 2.5.5.1) and NAT64 (RFC 6052) prefixes. BlockList itself treats IPv4-mapped addresses as IPv4.
 */
const METADATA_TWINS = ['fe80::a9fe:a9fe', 'fd00:ec2::254', '::a9fe:a9fe', '64:ff9b::a9fe:a9fe'];

let nobody: BlockList | undefined;

/** Made for the first request that is sent: no start needs it. */
function nobodyThere(): BlockList {
  if (nobody !== undefined) return nobody;
  nobody = new BlockList();
  nobody.addSubnet('0.0.0.0', 8);
  nobody.addSubnet('224.0.0.0', 4);
  nobody.addAddress('255.255.255.255');
  nobody.addAddress(LINK_LOCAL_METADATA);
  nobody.addAddress('::', 'ipv6');
  nobody.addSubnet('ff00::', 8, 'ipv6');
  for (const twin of METADATA_TWINS) nobody.addAddress(twin, 'ipv6');
  return nobody;
}

const isIn = (list: BlockList, address: string): boolean => {
  const [bare = ''] = address.split('%', 1);
  return list.check(bare, bare.includes(':') ? 'ipv6' : 'ipv4');
};

/** What the check asks for at each call, because both change while the machine runs. */
export interface Own {
  /** Network interfaces of the machine, without loopback. */
  links(): readonly NetworkLink[];
  /** Whether the program listens on this port. */
  serves(port: number): boolean;
}

/** Returns the check for one program. */
export const refusing =
  ({ links, serves }: Own): Refuses =>
  (address, port, from) => {
    // No service has port 0, and Node would use the default port of the scheme instead.
    if (port === 0 || isIn(nobodyThere(), address)) return true;
    const { own, broadcast } = addressesOf(links());
    if (isIn(broadcast, address)) return true;
    return serves(port) && (address === from || isIn(own, address));
  };

/** Returns the check for one node. */
export const targetsOf = ({ bindings, listening, run }: Pick<Node, 'bindings' | 'listening' | 'run'>): Refuses =>
  refusing({
    links: () => bindings.links.list(),
    serves: (port) => port === run.port || [...listening.values()].some((taken) => taken.endsWith(`:${port}`)),
  });

function addressesOf(links: readonly NetworkLink[]): { own: BlockList; broadcast: BlockList } {
  const own = new BlockList();
  const broadcast = new BlockList();
  own.addSubnet('127.0.0.0', 8);
  own.addAddress('::1', 'ipv6');
  for (const { family, address, prefix } of links.flatMap(({ addresses }) => addresses)) {
    own.addAddress(address.split('%', 1)[0] ?? '', family === 4 ? 'ipv4' : 'ipv6');
    // Prefixes of 31 and 32 bits have no broadcast address (RFC 3021).
    if (family === 4 && prefix < 31) broadcast.addAddress(broadcastOf(networkOf(address, prefix)));
  }
  return { own, broadcast };
}
