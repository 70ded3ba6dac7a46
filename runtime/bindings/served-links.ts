/** Where the node can be reached, worked out from where it listens. Pure. */
import type { NetworkLink } from './bindings.ts';

/** Only this machine itself is ever accepted. */
export const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);

/**
 * The links with the addresses on which a listener bound to `host` takes connections: all for `::`, those of IPv4 for
 * `0.0.0.0`, one for an address, none for loopback, which is no link.
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
