/**
 * Requests that arrive on the setup network. A phone that joins it checks for internet access by a request to a server
 * of its maker; all names resolve to the node, so the phone gets the node's response and shows it to its user (RFC
 * 8952, 1). So a request to the node's address on this network may have any host name: it is redirected to one page.
 * The API is available too, with its rules of Host and Origin.
 */
import type { IncomingMessage } from 'node:http';
import { LANGUAGES, type Language } from '../../base/language.ts';
import { isTrustedName, parseAuthority } from '../../http/hosts.ts';
import { languageFor } from '../../http/negotiation.ts';
import { unmapped } from '../../http/peer.ts';
import type { Node } from '../../kernel/node.ts';
import { Reply } from '../../kernel/reply.ts';

/** The portal of an open setup network. */
export interface Portal {
  /** IPv4 address of the node on the setup network. */
  readonly address: string;
  /** The page in that language, with the networks in range. */
  page(language: Language): Reply;
  /** Notes that the portal is in use. */
  touch(): void;
}

const HTTP_PORT = 80;

/** Whether the request arrived on this portal's network. */
export const isPortalOf = ({ address }: Portal, { socket }: IncomingMessage): boolean =>
  socket.localAddress !== undefined && address === unmapped(socket.localAddress);

/** The origin of the portal's page (RFC 6454). */
export const originOf = ({ address }: Portal, { socket: { localPort } }: IncomingMessage): string =>
  `http://${address}${localPort === HTTP_PORT ? '' : `:${String(localPort)}`}`;

const isLanguage = (code: string): code is Language => Object.hasOwn(LANGUAGES, code);

/** The language that was chosen on the page, else the first that the browser asks for and that there is. */
export function languageOf({ url = '', headers }: IncomingMessage): Language {
  const chosen = /[?&]language=([a-z]+)/.exec(url)?.[1] ?? '';
  const code = isLanguage(chosen)
    ? chosen
    : languageFor(headers['accept-language'], headers.cookie, Object.keys(LANGUAGES));
  return isLanguage(code) ? code : 'en';
}

/** The page, or a redirect to it; undefined for a request to the API or from another network. */
export function answerOf(portal: Portal, request: IncomingMessage, node: Pick<Node, 'serves'>): Reply | undefined {
  if (!isPortalOf(portal, request)) return undefined;
  portal.touch();
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const name = parseAuthority(request.headers.host ?? '')?.name;
  const path = request.url?.split('?', 1)[0];
  if (path === '/' && name === portal.address) return portal.page(languageOf(request));
  const isRead = path !== undefined && node.serves('GET', path);
  if (isRead && path !== '/' && name !== undefined && isTrustedName(name)) return undefined;
  return new Reply(302, '', { Location: `${originOf(portal, request)}/`, 'Content-Type': 'text/plain' });
}
