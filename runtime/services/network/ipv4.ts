/** The stored IPv4 settings and the rules that no schema can say (specification 2.10). */
import { isIPv4 } from 'node:net';
import type { Ipv4Settings } from '../../bindings/bindings.ts';
import { invalidConfig } from '../../kernel/config.ts';
import type { Ipv4Body } from './contract.ts';

const toNumber = (dotted: string): number => dotted.split('.').reduce((value, part) => value * 256 + Number(part), 0);

const toDotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

/** Of the prefix length in bits, 0 to 32. */
export const netmaskOf = (prefix: number): string => toDotted(prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0);

/** Networks that have a place left for a host beside their own address, the gateway's and the broadcast address. */
const NETMASKS: ReadonlySet<string> = new Set(Array.from({ length: 30 }, (_, index) => netmaskOf(index + 1)));

/** Addresses that are no host's of a local network (RFC 6890, table 1 to 5; RFC 5771; RFC 1112, 4). */
const NOBODY: readonly { readonly first: string; readonly prefix: number; readonly what: string }[] = [
  { first: '0.0.0.0', prefix: 8, what: 'of no host' },
  { first: '127.0.0.0', prefix: 8, what: 'a loopback address' },
  { first: '169.254.0.0', prefix: 16, what: 'a link-local address' },
  { first: '224.0.0.0', prefix: 4, what: 'a multicast address' },
  { first: '240.0.0.0', prefix: 4, what: 'a reserved or broadcast address' },
];

const isIn = (address: number, first: string, mask: number): boolean => (address & mask) === (toNumber(first) & mask);

/** Throws `invalid_config`; undefined is DHCP. */
export function checkIpv4({ address, netmask, gateway, dns }: Ipv4Body): Ipv4Settings | undefined {
  if (address === undefined || netmask === undefined) {
    const alone = Object.entries({ address, netmask, gateway, dns }).find(([, value]) => value !== undefined);
    if (alone === undefined) return undefined;
    throw invalidConfig(`${alone[0]} needs ${address === undefined ? 'an address' : 'a netmask'} beside it`);
  }
  if (!NETMASKS.has(netmask)) throw invalidConfig('netmask must be 128.0.0.0 to 255.255.255.252, ones before zeros');
  const mask = toNumber(netmask);
  checkHost('address', address, address, mask);
  if (gateway !== undefined) {
    checkHost('gateway', gateway, address, mask);
    if (gateway === address) throw invalidConfig('gateway must be another address than that of the node');
    if (!isIn(toNumber(gateway), address, mask)) throw invalidConfig('gateway must be in the network of the address');
  }
  if (dns !== undefined) {
    checkHost('dns', dns, address, mask);
    if (dns === address) throw invalidConfig('dns must be another address than that of the node');
  }
  return { address, netmask, ...(gateway !== undefined && { gateway }), ...(dns !== undefined && { dns }) };
}

/** `text` is the address of a host; in the node's own network, of neither the network nor everybody in it. */
function checkHost(field: string, text: string, own: string, mask: number): void {
  if (!isIPv4(text)) throw invalidConfig(`${field} must be IPv4 in dotted form, without leading zeros`);
  const value = toNumber(text);
  const nobody = NOBODY.find(({ first, prefix }) => isIn(value, first, toNumber(netmaskOf(prefix))));
  if (nobody !== undefined) throw invalidConfig(`${field} is ${nobody.what}`);
  if (!isIn(value, own, mask)) return;
  const host = (value & ~mask) >>> 0;
  if (host === 0) throw invalidConfig(`${field} is the address of the network itself`);
  if (host === ~mask >>> 0) throw invalidConfig(`${field} is the broadcast address of the network`);
}
