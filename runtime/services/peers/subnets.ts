/** The IPv4 networks that beacons go out on and may come from. */
import type { NetworkLink } from '../../bindings/bindings.ts';
import { type Ipv4Network, networkOf } from '../../bindings/ipv4.ts';

/** Longer prefixes have no broadcast address (RFC 3021). */
const LONGEST_PREFIX = 30;

/** Each network once, however many of the addresses are in it. */
export function subnetsOf(links: readonly NetworkLink[]): readonly Ipv4Network[] {
  const subnets = new Map<string, Ipv4Network>();
  for (const { family, address, prefix } of links.flatMap(({ addresses }) => addresses)) {
    if (family !== 4 || prefix < 1 || prefix > LONGEST_PREFIX) continue;
    const subnet = networkOf(address, prefix);
    subnets.set(`${subnet.network}/${prefix}`, subnet);
  }
  return [...subnets.values()];
}
