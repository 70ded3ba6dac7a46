/** Finds the link on which a datagram was received. */
import { BlockList, isIPv4 } from 'node:net';
import type { NetworkLink } from '../../bindings/network.ts';

/**
 * The links on which a datagram from this source address can have been received (RFC 6762, 11): by the zone of a
 * link-local address, else by the networks of the links. Several, if two links are on one network; none: not local.
 */
export function linksOf(source: string, links: readonly NetworkLink[]): NetworkLink[] {
  const [address = '', zone] = source.split('%', 2);
  if (zone !== undefined) return links.filter(({ name }) => name === zone);
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return links.filter((link) => networkOf(link).check(address, family));
}

const networks = new WeakMap<NetworkLink, BlockList>();

function networkOf(link: NetworkLink): BlockList {
  let network = networks.get(link);
  if (network === undefined) {
    network = new BlockList();
    for (const { address, prefix, family } of link.addresses) {
      network.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
    }
    networks.set(link, network);
  }
  return network;
}

/** Whether the source address is one of this machine: two links on one network receive each other's datagrams. */
export const isOwn = (source: string, links: readonly NetworkLink[]): boolean => {
  const [address] = source.split('%', 1);
  return links.some(({ addresses }) => addresses.some((own) => own.address === address));
};
