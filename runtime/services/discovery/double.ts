/** What other hosts claim for a name that has the id of this node: its storage was copied to another device. */
import type { NetworkLink } from '../../bindings/network.ts';
import type { Message } from './packet.ts';

const LOCAL = '.local';
const NUMBERED = /^-\d+$/;

/**
 * The addresses (A) in a response or probe (RFC 6762, 8) for the first host name, or for one that this makes with a number,
 * that none of these links has. `first`: with `.local`.
 */
export function claimedElsewhere(message: Message, first: string, links: readonly NetworkLink[]): string[] {
  const { response, answers, additionals, authorities } = message;
  const label = first.slice(0, -LOCAL.length).toLowerCase();
  const isOurs = (name: string): boolean => {
    const lower = name.toLowerCase();
    if (!lower.startsWith(label) || !lower.endsWith(LOCAL)) return false;
    const suffix = lower.slice(label.length, -LOCAL.length);
    return suffix === '' || NUMBERED.test(suffix);
  };
  const own = new Set(links.flatMap(({ addresses }) => addresses.map(({ address }) => address)));
  return (response ? [...answers, ...additionals] : authorities).flatMap((claim) =>
    claim.type === 'A' && claim.ttl !== 0 && isOurs(claim.name) && !own.has(claim.data) ? [claim.data] : [],
  );
}
