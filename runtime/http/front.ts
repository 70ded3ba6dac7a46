/**
 * The strict front: what Node's HTTP parser lets through and this node does not (RFC 9112), checked before anything
 * else is looked at.
 */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import { type Authority, parseAuthority, sameAuthority } from './hosts.ts';

const MAX_HEADERS = 100;
/** Fields this node acts on; two of one kind would let two readers see two different requests. */
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

/** Throws `invalid_body` on a request whose frame two readers could understand differently. */
export function checkFraming(request: IncomingMessage): void {
  const { httpVersion, rawHeaders, headers } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw refuse('speak HTTP/1.1');
  if (rawHeaders.length > 2 * MAX_HEADERS) throw refuse(`at most ${MAX_HEADERS} header fields`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    throw refuse('the only transfer coding is chunked, on HTTP/1.1');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw refuse('the only expectation is 100-continue');
  }
  // As many names as fields: no field came twice.
  if (2 * Object.keys(headers).length === rawHeaders.length) return;
  const twice = SINGLETONS.find((name) => (request.headersDistinct[name]?.length ?? 0) > 1);
  if (twice !== undefined) throw refuse(`${twice} came twice`);
}

/**
 * The request target in origin form, percent-decoded once; the query stays as it came.
 * Throws `invalid_body` on an absolute form that names another host, `not_found` on a path no route can have.
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
