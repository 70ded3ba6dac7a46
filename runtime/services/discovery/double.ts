/** What other hosts claim for a name that has the id of this node: its storage was copied to another device. */
import type { NetworkLink } from '../../bindings/network.ts';
import type { Message } from './packet.ts';

const LOCAL = '.local';
const NUMBERED = /^-\d+$/;

/** An address that another host has for such a name, or had: it has taken its leave (a goodbye, RFC 6762, 10.1). */
export interface Claim {
  readonly address: string;
  readonly isThere: boolean;
}

/** Where a message came from, and what this node has: its first host name, with `.local`, and its links. */
interface Heard {
  readonly source: string;
  readonly first: string;
  readonly links: readonly NetworkLink[];
}

/**
 * The addresses (A) in a response or probe (RFC 6762, 8) for the first host name, or for one that this makes with a number,
 * that none of the links has. Only who has an address takes leave of it.
 */
export function claimedElsewhere(message: Message, { source, first, links }: Heard): Claim[] {
  const { response, answers, additionals, authorities } = message;
  const label = first.slice(0, -LOCAL.length).toLowerCase();
  const isOurs = (name: string): boolean => {
    const lower = name.toLowerCase();
    if (!lower.startsWith(label) || !lower.endsWith(LOCAL)) return false;
    const suffix = lower.slice(label.length, -LOCAL.length);
    return suffix === '' || NUMBERED.test(suffix);
  };
  const own = new Set(links.flatMap(({ addresses }) => addresses.map(({ address }) => address)));
  return (response ? [...answers, ...additionals] : authorities).flatMap((claim) => {
    if (claim.type !== 'A' || !isOurs(claim.name) || own.has(claim.data)) return [];
    const isThere = claim.ttl !== 0;
    return isThere || claim.data === source ? [{ address: claim.data, isThere }] : [];
  });
}
