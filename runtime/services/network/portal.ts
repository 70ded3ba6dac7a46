/**
 * The network that the node itself opens: phones that join it look whether they reach the internet by asking servers of
 * their maker, whose names all lead here, and show their user what answers instead (RFC 8952, 1). So requests that
 * arrive at the node's address on that network need no name of the node: they are shown the way to one page. The API
 * stands beside it as everywhere else, with its rules of Host and Origin.
 */
import type { IncomingMessage } from 'node:http';
import { isTrustedName, parseAuthority } from '../../http/hosts.ts';
import { unmapped } from '../../http/peer.ts';
import type { Node } from '../../kernel/node.ts';
import { Reply } from '../../kernel/reply.ts';

export interface Portal {
  /** Of the node on the network it opened, IPv4. */
  readonly address: string;
  page(): Reply;
  /** Somebody is on that network. */
  touch(): void;
}

const HTTP_PORT = 80;

/** The request came over the network of this portal. */
export const isPortalOf = ({ address }: Portal, { socket }: IncomingMessage): boolean =>
  socket.localAddress !== undefined && address === unmapped(socket.localAddress);

/** Where the portal's page is served from, as browsers write an origin. */
export const originOf = ({ address }: Portal, { socket: { localPort } }: IncomingMessage): string =>
  `http://${address}${localPort === HTTP_PORT ? '' : `:${String(localPort)}`}`;

/** The page, or the way to it; undefined where the request is one for the API, or came another way. */
export function answerOf(portal: Portal, request: IncomingMessage, node: Pick<Node, 'serves'>): Reply | undefined {
  if (!isPortalOf(portal, request)) return undefined;
  portal.touch();
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const name = parseAuthority(request.headers.host ?? '')?.name;
  const path = request.url?.split('?', 1)[0];
  if (path === '/' && name === portal.address) return portal.page();
  const isRead = path !== undefined && node.serves('GET', path);
  if (isRead && path !== '/' && name !== undefined && isTrustedName(name)) return undefined;
  return new Reply(302, '', { Location: `${originOf(portal, request)}/`, 'Content-Type': 'text/plain' });
}
