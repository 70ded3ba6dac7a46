/**
 * A small server of S3's API for tests: objects in memory, signatures checked by what Amazon writes of them ("Authenticating Requests:
 * Using the Authorization Header (AWS Signature Version 4)"), and faults as they are asked for.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { BucketOptions } from '../../runtime/fleet/firmware/bucket-options.ts';

/** What goes wrong with one request. */
export type Fault =
  | { readonly status: number; readonly code?: string; readonly location?: string }
  /** The request is taken, and nothing is answered until the test is over. */
  | { readonly hangs: true }
  /** The connection breaks before the answer. */
  | { readonly resets: true }
  /** A part of the answer is sent, `sends` bytes, then the connection breaks, or nothing comes any more. */
  | { readonly sends: number; readonly ends: 'cut' | 'silence' }
  | { readonly corrupts: true }
  /** Another length is told than the object has, which comes whole. */
  | { readonly tells: number }
  /** A part begins so many bytes further on than was asked for, or has so many more, or less, than it should. */
  | { readonly skips: number }
  | { readonly adds: number }
  /** What comes, comes in so many parts, with this time between them. */
  | { readonly parts: number; readonly everyMs: number }
  /** The whole object comes, whatever was asked for. */
  | { readonly ignoresRanges: true };

/** A request as it came. `range`: '' where there was none. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly range: string;
}

/** An object, with the fields that it was stored with. */
export interface Kept {
  bytes: Buffer;
  readonly cacheControl: string | undefined;
  readonly type: string | undefined;
}

/** The server, with its one bucket. */
export interface S3 {
  /** What a fleet is told. */
  readonly options: BucketOptions;
  readonly url: string;
  /** By the path that they are asked for. */
  readonly objects: Map<string, Kept>;
  readonly asked: Asked[];
  /** Why signatures were refused. */
  readonly refused: string[];
  /** What is wrong with this request; none of them where it is left out. */
  fault?: ((asked: Asked) => Fault | undefined) | undefined;
  /** What requests wait for before they are looked at. */
  waits?: Promise<void> | undefined;
  /** How far its clock is from this one, in ms. */
  skewMs: number;
  /** Ends all that hangs. */
  release(): void;
}

const KEY = 'AKIATEST0123456789AB';
const SECRET = 'se/cret+of=the0test1only2and3nobody4elses';
/** Amazon S3: RequestTimeTooSkewed. */
const SKEW_MS = 15 * 60_000;

/** What is looked at of a request to check its signature. */
export interface Signed {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const hex = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/** What is wrong with the signature of a request, as a code of S3; undefined where it is right. `now`: in ms. */
export function faultOfSignature(
  { method, target, headers }: Signed,
  secrets: ReadonlyMap<string, string>,
  now: number,
) {
  const [, id = '', day = '', region = '', service = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers['authorization'] ?? '',
    ) ?? [];
  if (signature === '') return 'AccessDenied';
  const secret = secrets.get(id);
  if (secret === undefined) return 'InvalidAccessKeyId';
  const signed = names.split(';');
  const must = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (must.some((name) => !signed.includes(name))) return 'AccessDenied';
  const date = headers['x-amz-date'] ?? '';
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  if (y === undefined || date.slice(0, 8) !== day) return 'AuthorizationHeaderMalformed';
  const at = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
  if (Math.abs(at - now) > SKEW_MS) return 'RequestTimeTooSkewed';
  const [path = '', query = ''] = target.split('?', 2);
  const canonical = [
    method,
    path,
    query.split('&').sort().join('&'),
    ...signed.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names,
    headers['x-amz-content-sha256'] ?? '',
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, hex(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), service), 'aws4_request');
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

/** Sends some bytes in parts. */
function drip(response: ServerResponse, bytes: Buffer, { parts, everyMs }: { parts: number; everyMs: number }): void {
  const size = Math.ceil(bytes.length / parts);
  let at = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + size));
    at += size;
    if (at < bytes.length) return;
    clearInterval(timer);
    response.end();
  }, everyMs);
  response.once('close', () => clearInterval(timer));
}

/** Starts one that ends with the test. `path`: of the bucket, '' for one that has a host of its own. `region`: where it is. */
export async function startS3({ path = '/images', region = 'eu-test-1', sessionToken = '' } = {}): Promise<S3> {
  const hanging = new Set<ServerResponse>();
  const s3: S3 = {
    url: '',
    options: { url: '', accessKeyId: KEY, secretAccessKey: SECRET, sessionToken, region },
    objects: new Map(),
    asked: [],
    refused: [],
    skewMs: 0,
    release() {
      for (const each of hanging) each.destroy();
      hanging.clear();
    },
  };

  const refuse = (response: ServerResponse, status: number, code: string) => {
    const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>secret words of the server</Message></Error>`;
    response
      .writeHead(status, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body) })
      .end(body);
  };

  const checked = (request: IncomingMessage): string | undefined => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const signed = { method: request.method ?? '', target: request.url ?? '', headers };
    const why = faultOfSignature(signed, new Map([[KEY, SECRET]]), Date.now() + s3.skewMs);
    if (why !== undefined) return why;
    if (!headers['authorization']?.includes(`/${region}/s3/`)) return 'AuthorizationHeaderMalformed';
    return (headers['x-amz-security-token'] ?? '') === sessionToken ? undefined : 'InvalidToken';
  };

  const put = async (request: IncomingMessage, response: ServerResponse) => {
    // Amazon S3 takes no body without a length (API reference, MissingContentLength).
    if (request.headers['content-length'] === undefined) return refuse(response, 411, 'MissingContentLength');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (hex(bytes) !== request.headers['x-amz-content-sha256'])
      return refuse(response, 400, 'XAmzContentSHA256Mismatch');
    s3.objects.set(request.url ?? '', {
      bytes,
      cacheControl: request.headers['cache-control'],
      type: request.headers['content-type'],
    });
    return response.writeHead(200, { ETag: '"tag"', 'Content-Length': 0 }).end();
  };

  const get = (request: IncomingMessage, response: ServerResponse, fault: Fault | undefined) => {
    const kept = s3.objects.get(request.url ?? '');
    if (kept === undefined) return refuse(response, 404, 'NoSuchKey');
    const bytes = Buffer.from(kept.bytes);
    if (fault !== undefined && 'corrupts' in fault) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    const [, from = ''] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    const isPart = from !== '' && !(fault !== undefined && 'ignoresRanges' in fault);
    const first = Number(from) + (fault !== undefined && 'skips' in fault ? fault.skips : 0);
    const adds = fault !== undefined && 'adds' in fault ? fault.adds : 0;
    const rest = isPart ? bytes.subarray(first) : bytes;
    const part = adds < 0 ? rest.subarray(0, adds) : Buffer.concat([rest, Buffer.alloc(adds)]);
    const more = fault !== undefined && 'tells' in fault ? fault.tells - bytes.length : 0;
    response.writeHead(isPart ? 206 : 200, {
      'Content-Length': part.length + more,
      ...(isPart && { 'Content-Range': `bytes ${first}-${bytes.length + more - 1}/${bytes.length + more}` }),
    });
    if (request.method === 'HEAD') return response.end();
    if (fault !== undefined && 'sends' in fault)
      return response.write(part.subarray(0, fault.sends), () => {
        if (fault.ends === 'cut') response.destroy();
        else hanging.add(response);
      });
    if (fault !== undefined && 'parts' in fault) return drip(response, part, fault);
    return response.end(more < 0 ? part.subarray(0, more) : part);
  };

  const server = createServer(async (request, response) => {
    const asked = { method: request.method ?? '', path: request.url ?? '', range: request.headers.range ?? '' };
    s3.asked.push(asked);
    await s3.waits;
    const fault = s3.fault?.(asked);
    if (fault !== undefined && 'resets' in fault) return void request.socket.destroy();
    if (fault !== undefined && 'hangs' in fault) return void hanging.add(response);
    if (fault !== undefined && 'location' in fault && fault.location !== undefined)
      return void response.writeHead(fault.status, { Location: fault.location, 'Content-Length': 0 }).end();
    if (fault !== undefined && 'status' in fault) return void refuse(response, fault.status, fault.code ?? 'Fault');
    const why = checked(request);
    if (why !== undefined) {
      s3.refused.push(why);
      return void refuse(response, 403, why);
    }
    if (request.method === 'PUT') return void (await put(request, response));
    return void get(request, response, fault);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return Object.assign(s3, { url, options: { ...s3.options, url } });
}
