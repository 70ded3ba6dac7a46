/**
 * Who may ask: the Host and Origin rules. A name that anyone can register in public DNS can be rebound to the node's
 * address, so only names that cannot are answered; a web page may only ask the node that served it.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { ApiError } from '../kernel/errors.ts';

/** A host and port as they stand in Host or Origin, in one spelling: lower case, no trailing dot, port never implied. */
export interface Authority {
  readonly name: string;
  readonly port: number;
}

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?$/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** What browsers read as an IPv4 address, however it is written (WHATWG URL, "ends in a number"). */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;
/** Top-level names that no public registry hands out (RFC 6762, RFC 8375, and the usual ones of home routers). */
const PRIVATE_SUFFIXES = ['.local', '.lan', '.home', '.home.arpa', '.internal', '.localdomain'];
const HTTP_PORT = 80;
/** The longest name there is, as text (RFC 1035, 3.1). */
const MAX_NAME = 253;

/** Undefined where it is not a plain host with an optional port: user information, a name that is empty or too long, a port past 65535. */
export function parseAuthority(text: string): Authority | undefined {
  const [, host, digits] = AUTHORITY.exec(text.toLowerCase()) ?? [];
  if (host === undefined) return undefined;
  const port = digits === undefined ? HTTP_PORT : Number(digits);
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return port > 65535 || name === '' || name.length > MAX_NAME ? undefined : { name, port };
}

/** An address, a name without a dot, a private name, or one of the configured names. */
export function isTrustedName(name: string, configured: readonly string[] = []): boolean {
  if (name.startsWith('[')) return isIPv6(name.slice(1, -1));
  const labels = name.split('.');
  if (NUMBER.test(labels.at(-1) ?? '')) return isIPv4(name);
  if (!labels.every((label) => LABEL.test(label))) return false;
  return (
    labels.length === 1 ||
    PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix) && name.length > suffix.length) ||
    configured.some((host) => parseAuthority(host)?.name === name)
  );
}

/** The authority the request was sent to; undefined where HTTP/1.0 left it out. Throws `host_refused`. */
export function checkHost(
  { headers, httpVersion }: IncomingMessage,
  configured?: readonly string[],
): Authority | undefined {
  if (headers.host === undefined && httpVersion === '1.0') return undefined;
  const authority = headers.host === undefined ? undefined : parseAuthority(headers.host);
  if (authority === undefined || !isTrustedName(authority.name, configured)) {
    throw new ApiError('host_refused', 'ask by address, by a local name, or by one of the configured hosts');
  }
  return authority;
}

export const sameAuthority = (a: Authority | undefined, b: Authority | undefined): boolean =>
  a !== undefined && b !== undefined && a.name === b.name && a.port === b.port;

/** Throws `origin_refused` where a browser says that the page asking was not served by this node. */
export function checkOrigin({ headers, method, url }: IncomingMessage, host: Authority | undefined): void {
  const { origin } = headers;
  if (origin === undefined) {
    const site = headers['sec-fetch-site'];
    if (site !== 'cross-site' && site !== 'same-site') return;
    if (method === 'GET' && isPageVisit(headers, url)) return;
  } else if (/^http:\/\//i.test(origin) && sameAuthority(parseAuthority(origin.slice('http://'.length)), host)) {
    return;
  }
  throw new ApiError('origin_refused', 'web pages of other origins may not call this node');
}

/** Somebody followed a link to the node's page. */
const isPageVisit = (headers: IncomingHttpHeaders, url: string | undefined): boolean =>
  (url === '/' || url?.startsWith('/?') === true) &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document';
