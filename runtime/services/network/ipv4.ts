/** Rules of IPv4 settings that a schema cannot express (specification 2.10). */
import { isIPv4 } from 'node:net';
import { defined } from '../../base/defined.ts';
import {
  broadcastOf,
  contains,
  type Ipv4Network,
  netmaskOf,
  networkOf,
  numberOf,
  prefixOf,
} from '../../bindings/ipv4.ts';
import type { Ipv4Settings } from '../../bindings/network.ts';
import { invalidConfig } from '../../kernel/config.ts';
import type { Ipv4Body } from './contract.ts';

/** Netmasks that leave room for the node beside network address, gateway and broadcast address: /1 to /30. */
const NETMASKS: ReadonlySet<string> = new Set(Array.from({ length: 30 }, (_, index) => netmaskOf(index + 1)));

/** Addresses that no host of a local network has (RFC 6890, tables 1 to 5 and 9; RFC 5771; RFC 1112, 4). */
const NOBODY: readonly { readonly network: Ipv4Network; readonly what: string }[] = [
  { network: networkOf('0.0.0.0', 8), what: 'not the address of a host' },
  { network: networkOf('127.0.0.0', 8), what: 'a loopback address' },
  { network: networkOf('169.254.0.0', 16), what: 'a link-local address' },
  // That of its setup network (`.github/decisions/001-setup-address.md`).
  { network: networkOf('192.0.2.0', 24), what: 'in the network that the node opens for its setup' },
  { network: networkOf('224.0.0.0', 4), what: 'a multicast address' },
  { network: networkOf('240.0.0.0', 4), what: 'a reserved or broadcast address' },
];

/** The settings of a request; undefined is DHCP. Throws `invalid_config` if a rule is broken. */
export function checkIpv4({ address, netmask, gateway, dns }: Ipv4Body): Ipv4Settings | undefined {
  if (address === undefined || netmask === undefined) {
    const alone = Object.entries({ address, netmask, gateway, dns }).find(([, value]) => value !== undefined);
    if (alone === undefined) return undefined;
    throw invalidConfig(`${alone[0]} also needs ${address === undefined ? 'an address' : 'a netmask'}`);
  }
  if (!NETMASKS.has(netmask)) throw invalidConfig('netmask must be 128.0.0.0 to 255.255.255.252, ones before zeros');
  const own = networkOf(address, prefixOf(netmask));
  checkHost('address', address, own);
  if (gateway !== undefined) {
    checkHost('gateway', gateway, own);
    if (gateway === address) throw invalidConfig('gateway must be another address than that of the node');
    if (!contains(own, gateway)) throw invalidConfig('gateway must be in the network of the address');
  }
  if (dns !== undefined) {
    checkHost('dns', dns, own);
    if (dns === address) throw invalidConfig('dns must be another address than that of the node');
  }
  return { address, netmask, ...defined({ gateway, dns }) };
}

/**
 * Throws unless `text` is the address of a host, and not the network or broadcast address of the node's own network.
 */
function checkHost(field: string, text: string, own: Ipv4Network): void {
  if (!isIPv4(text)) throw invalidConfig(`${field} must be IPv4 in dotted form, without leading zeros`);
  const nobody = NOBODY.find(({ network }) => contains(network, text));
  if (nobody !== undefined) throw invalidConfig(`${field} is ${nobody.what}`);
  if (numberOf(text) === own.network) throw invalidConfig(`${field} is the address of the network itself`);
  if (text === broadcastOf(own)) throw invalidConfig(`${field} is the broadcast address of the network`);
}
