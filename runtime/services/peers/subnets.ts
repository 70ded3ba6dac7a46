/** The IPv4 networks on which beacons are sent and accepted. */

import { type Ipv4Network, networkOf } from '../../bindings/ipv4.ts';
import type { NetworkLink } from '../../bindings/network.ts';

/** Longer prefixes have no broadcast address (RFC 3021). */
const LONGEST_PREFIX = 30;

/** The IPv4 networks of the links, each once; without those that have no broadcast address. */
export function subnetsOf(links: readonly NetworkLink[]): readonly Ipv4Network[] {
  const subnets = new Map<string, Ipv4Network>();
  for (const { family, address, prefix } of links.flatMap(({ addresses }) => addresses)) {
    if (family !== 4 || prefix < 1 || prefix > LONGEST_PREFIX) continue;
    const subnet = networkOf(address, prefix);
    subnets.set(`${subnet.network}/${prefix}`, subnet);
  }
  return [...subnets.values()];
}
