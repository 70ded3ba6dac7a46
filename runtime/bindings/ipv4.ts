/**
 * IPv4 addresses and networks (RFC 791; prefixes: RFC 4632). Callers check addresses with `isIPv4` of node:net first.
 */

/** A network, as unsigned 32-bit numbers. */
export interface Ipv4Network {
  /** The network address: all host bits are zero. */
  readonly network: number;
  readonly mask: number;
}

/** An address in dotted form as an unsigned 32-bit number. */
export const numberOf = (address: string): number =>
  address.split('.').reduce((value, part) => value * 256 + Number(part), 0);

/** In dotted form, of any 32-bit number, signed or not: bitwise operators give signed ones. */
const dottedOf = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

/** The mask of a prefix of 0 to 32 bits. */
const maskOf = (prefix: number): number => (prefix === 0 ? 0 : (0xffff_ffff << (32 - prefix)) >>> 0);

/** The mask of a prefix of 0 to 32 bits, in dotted form. */
export const netmaskOf = (prefix: number): string => dottedOf(maskOf(prefix));

/** Length of the prefix, in bits, of a mask in dotted form. */
export const prefixOf = (netmask: string): number => numberOf(netmask).toString(2).replaceAll('0', '').length;

/** The network of an address with a prefix of 0 to 32 bits. */
export function networkOf(address: string, prefix: number): Ipv4Network {
  const mask = maskOf(prefix);
  return { network: (numberOf(address) & mask) >>> 0, mask };
}

/** Whether the address is in the network. */
export const contains = ({ network, mask }: Ipv4Network, address: string): boolean =>
  (numberOf(address) & mask) >>> 0 === network;

/** The directed broadcast address (RFC 919). Networks with a prefix of 31 or 32 bits have none (RFC 3021). */
export const broadcastOf = ({ network, mask }: Ipv4Network): string => dottedOf(network | ~mask);

/** The lowest address of a host (RFC 950); networks with a prefix of up to 30 bits have one. */
export const firstOf = ({ network }: Ipv4Network): string => dottedOf(network + 1);

/** The highest address of a host; networks with a prefix of up to 30 bits have one. */
export const lastOf = ({ network, mask }: Ipv4Network): string => dottedOf((network | ~mask) - 1);

/** The addresses of all hosts of a network, without that of the network and the broadcast address. */
export const hostsOf = ({ network, mask }: Ipv4Network): string[] =>
  Array.from({ length: Math.max(0, (~mask >>> 0) - 1) }, (_, index) => dottedOf(network + 1 + index));
