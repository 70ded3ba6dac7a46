/** The party that an address counts as. */
import { isIPv6 } from 'node:net';
import { unmapped } from '../../http/peer.ts';

/** The address; of IPv6 the first 64 bits, which one customer has to himself (RFC 6177). */
export function sourceOf(address: string): string {
  const plain = unmapped(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? [];
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const gap = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(gap).fill('0'), ...groups(tail)]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
