/**
 * The Host and Origin rules. Against DNS rebinding, a request is refused if its Host is a name that can be registered
 * in public DNS and is not configured. Against cross-site requests, a web page may only use the node that served it.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { ApiError } from '../kernel/errors.ts';

/** Host and port of a Host or Origin field, normalized: lower case, no trailing dot, default port filled in. */
export interface Authority {
  readonly name: string;
  readonly port: number;
}

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?$/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** The last label of a name that browsers read as an IPv4 address (WHATWG URL, "ends in a number"). */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;
/** Suffixes that cannot be registered publicly (RFC 6762, RFC 8375, and those that home routers use). */
const PRIVATE_SUFFIXES = ['.local', '.lan', '.home', '.home.arpa', '.internal', '.localdomain'];
const HTTP_PORT = 80;
/** Length of the longest domain name, as text (RFC 1035, 3.1). */
const MAX_NAME = 253;

/**
 * Parses `host[:port]`; undefined for anything else: user information, an empty or too long name, a port over 65535.
 */
export function parseAuthority(text: string): Authority | undefined {
  const [, host, digits] = AUTHORITY.exec(text.toLowerCase()) ?? [];
  if (host === undefined) return undefined;
  const port = digits === undefined ? HTTP_PORT : Number(digits);
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return port > 65535 || name === '' || name.length > MAX_NAME ? undefined : { name, port };
}

/** Whether a host name is safe from DNS rebinding: an IP address, one label, a private suffix, or a configured name. */
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

/**
 * The parsed Host field; undefined for HTTP/1.0 without one. Throws the ApiError `host_refused` if it is not trusted.
 */
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

/** Whether both are known and equal. */
export const sameAuthority = (a: Authority | undefined, b: Authority | undefined): boolean =>
  a !== undefined && b !== undefined && a.name === b.name && a.port === b.port;

/**
 * Throws the ApiError `origin_refused` if Origin or Sec-Fetch-Site say that a page of another origin sends the request.
 */
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

/** Whether a browser navigates to the node's page, for example by a link. */
const isPageVisit = (headers: IncomingHttpHeaders, url: string | undefined): boolean =>
  (url === '/' || url?.startsWith('/?') === true) &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document';
