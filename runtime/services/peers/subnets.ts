/** The IPv4 networks that beacons go out on and may come from. */
import type { NetworkLink } from '../../bindings/bindings.ts';

/** Addresses as 32-bit numbers. */
export interface Subnet {
  readonly network: number;
  readonly mask: number;
}

/** Longer prefixes have no broadcast address (RFC 3021). */
const LONGEST_PREFIX = 30;

export function subnetsOf(links: readonly NetworkLink[]): readonly Subnet[] {
  const subnets = new Map<string, Subnet>();
  for (const { family, address, prefix } of links.flatMap(({ addresses }) => addresses)) {
    if (family !== 4 || prefix < 1 || prefix > LONGEST_PREFIX) continue;
    const mask = (0xffffffff << (32 - prefix)) >>> 0;
    const network = (parseIpv4(address) & mask) >>> 0;
    subnets.set(`${network}/${prefix}`, { network, mask });
  }
  return [...subnets.values()];
}

/** The directed broadcast address, in dotted form (RFC 919). */
export function broadcastOf({ network, mask }: Subnet): string {
  const all = (network | ~mask) >>> 0;
  return [all >>> 24, (all >>> 16) & 255, (all >>> 8) & 255, all & 255].join('.');
}

export const contains = ({ network, mask }: Subnet, address: string): boolean =>
  (parseIpv4(address) & mask) >>> 0 === network;

/** Of an address that the system gave, so in strict dotted form. */
export const parseIpv4 = (address: string): number =>
  address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
