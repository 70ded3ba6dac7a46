/** The links on which the node can be reached, derived from its listening address. */
import type { NetworkLink } from './network.ts';

/**
 * The links on which a listener on `host` accepts connections, each with the addresses concerned: all for `::`, IPv4
 * for `0.0.0.0`, one for an address, none for loopback.
 */
export function servedLinks(host: string, links: readonly NetworkLink[]): NetworkLink[] {
  const [bare] = host.split('%', 1);
  const accepted = ({ family, address }: NetworkLink['addresses'][number]) =>
    host === '::' || (host === '0.0.0.0' ? family === 4 : address === bare);
  return links.flatMap((link) => {
    const addresses = link.addresses.filter(accepted);
    return addresses.length === 0 ? [] : [{ ...link, addresses }];
  });
}
