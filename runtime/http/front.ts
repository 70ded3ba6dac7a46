/**
 * Strict checks of the request syntax that Node's HTTP parser does not make (RFC 9112). They run before all others.
 */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import { type Authority, parseAuthority, sameAuthority } from './hosts.ts';

const MAX_HEADERS = 100;
/** Header fields that may occur only once: two recipients could each use another one of duplicates. */
const SINGLETONS = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'last-event-id',
  'origin',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'transfer-encoding',
  'x-node-allow-variant-change',
  'x-node-api-key',
  'x-node-image-sha256',
] as const;
const PATH = /^\/[A-Za-z0-9/_.-]*$/;
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/i;

const refuse = (detail: string) => new ApiError('invalid_body', detail);

/**
 * Throws the ApiError `invalid_body` for a request whose framing is ambiguous (request smuggling; RFC 9112, 11.2),
 * `expectation_failed` for an expectation that nobody can meet (RFC 9110, 10.1.1).
 */
export function checkFraming(request: IncomingMessage): void {
  const { httpVersion, rawHeaders, headers } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw refuse('speak HTTP/1.1');
  if (rawHeaders.length > 2 * MAX_HEADERS) throw refuse(`at most ${MAX_HEADERS} header fields`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    throw refuse('the only transfer coding is chunked, on HTTP/1.1');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new ApiError('expectation_failed', 'the only expectation is 100-continue');
  }
  // As many names as fields: no field is duplicated, which is the usual case.
  if (2 * Object.keys(headers).length === rawHeaders.length) return;
  const twice = SINGLETONS.find((name) => (request.headersDistinct[name]?.length ?? 0) > 1);
  if (twice !== undefined) throw refuse(`${twice} came twice`);
}

/**
 * The request target in origin form (RFC 9112, 3.2.1): path percent-decoded once, query unchanged. Throws the ApiError
 * `invalid_body` if an absolute form names another host, `not_found` for a path that no route can have.
 */
export function originForm(url: string, host: Authority | undefined): string {
  let target = url;
  if (!url.startsWith('/')) {
    const [, scheme = '', authority = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
    if (scheme !== '' && (scheme.toLowerCase() !== 'http' || !sameAuthority(parseAuthority(authority), host))) {
      throw refuse('the request target names another host');
    }
    target = rest.startsWith('/') ? rest : `/${rest}`;
    if (scheme === '') throw new ApiError('not_found');
  }
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  if (PATH.test(path)) return target;
  const decoded = percentDecode(path);
  if (decoded === undefined || !PATH.test(decoded)) throw new ApiError('not_found');
  return query === -1 ? decoded : decoded + target.slice(query);
}

function percentDecode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
