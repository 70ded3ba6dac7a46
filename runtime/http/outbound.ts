/**
 * HTTP requests that the node sends. The URL is used as given, one deadline covers everything, redirects are not
 * followed, certificates are verified, and the address of each connection is checked after the name was resolved
 * (`Refuses`).
 */
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { defined } from '../base/defined.ts';
import { Gathered } from '../base/gathered.ts';
import type { WebhookFailure } from './contract.ts';
import type { Refuses } from './targets.ts';
import { onTheWire } from './urls.ts';

/** Largest number of concurrent name look-ups: they cannot be cancelled, and each blocks a thread if DNS is down. */
const MAX_LOOKUPS = 4;
/**
 * How long an idle connection is kept for the next request: shorter than the keep-alive timeout of servers, so that a
 * reused connection is not closed by the other end.
 */
const KEEP_MS = 500;
const AGENT = { keepAlive: true, timeout: KEEP_MS } as const;
const MAX_HEAD_BYTES = 16 * 1024;
/** Largest number of interim (1xx) responses that are skipped (RFC 9110, 15.2). */
const MAX_INTERIM = 16;

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

/** A body that is sent as it is read, with so many bytes. */
export interface Streamed {
  readonly length: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A request to send. */
export interface Outgoing {
  /** http or https, printable ASCII. Path and query are sent unchanged, without a fragment. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST or PUT. */
  readonly body?: string | Streamed;
  /** Time for everything: name look-up, connection, TLS handshake, and the response as far as it is read. */
  readonly deadlineMs: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Certificate authorities (PEM) that are trusted beside those that Node trusts. */
  readonly ca?: string | undefined;
}

/** A response whose head was received. */
export interface Opened {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body. Throws if it is not complete by the deadline. Ending the iteration early aborts the request. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** A response that was received completely. */
export interface Read extends Omit<Opened, 'chunks'> {
  readonly body: Buffer;
}

/** Options; `resolve` replaces the system's name look-up in tests. */
export interface OutboundOptions {
  readonly refuses: Refuses;
  readonly resolve?: (host: string) => Promise<LookupAddress[]>;
  /** Certificate authorities (PEM) instead of those that Node trusts. */
  readonly ca?: string;
  /** What differs where a request goes through a proxy; undefined where it does not. `tls`: for the server behind it. */
  readonly proxied?: (url: URL, tls: ConnectionOptions) => RequestOptions | undefined;
}

/** Loaded at the first https request: most nodes never send one. */
const https = () => process.getBuiltinModule('node:https');
const tls = () => process.getBuiltinModule('node:tls');

const resolveBySystem = (host: string) => lookup(host, { all: true, hints: ADDRCONFIG });

/** Sends requests; keeps connections for reuse. */
export class Outbound {
  readonly #refuses: Refuses;
  readonly #resolve: (host: string) => Promise<LookupAddress[]>;
  readonly #tls: ConnectionOptions;
  readonly #proxied: OutboundOptions['proxied'];
  readonly #agent = new HttpAgent(AGENT);
  #secureAgent: HttpsAgent | undefined;
  readonly #open = new Set<ClientRequest>();
  readonly #lookups = new Map<string, Promise<LookupAddress[]>>();
  /** The last origin that closed a reused connection before responding: it gets a new connection for each request. */
  #hangsUp = '';

  constructor({ refuses, resolve = resolveBySystem, ca, proxied }: OutboundOptions) {
    this.#refuses = refuses;
    this.#proxied = proxied;
    this.#resolve = resolve;
    // Set explicitly, so that no environment variable can turn it off.
    this.#tls = { rejectUnauthorized: true, minVersion: 'TLSv1.2', ...defined({ ca }) };
  }

  /**
   * Sends a POST and resolves with the status when the head of the response is complete; a body that has not arrived
   * with the head is not waited for. Rejects if there is no response by the deadline, or the target address is refused.
   */
  async post(outgoing: Outgoing): Promise<number> {
    const { status, response, request } = await this.#send('POST', outgoing);
    if (response === undefined) return status;
    const closed = new Promise((resolve) => request.once('close', resolve));
    // One iteration later, what arrived with the head has been read. A longer body is not waited for.
    setImmediate(() => (response.complete ? response.resume() : request.destroy()));
    await closed;
    return status;
  }

  /**
   * Sends a request and resolves with the head of the response and its body as a stream, not decoded. Rejects as
   * `post`.
   */
  async open(method: Method, outgoing: Outgoing): Promise<Opened> {
    const { status, response } = await this.#send(method, outgoing);
    if (response === undefined) throw new Error('the answer speaks another protocol');
    return { status, headers: response.headers, chunks: response };
  }

  /**
   * Sends a request and resolves with the whole response. Rejects as `post`, and if it is over `limitBytes` or encoded.
   */
  async read(method: Method, outgoing: Outgoing, limitBytes: number): Promise<Read> {
    const headers = { ...outgoing.headers, 'Accept-Encoding': 'identity' };
    const { chunks, ...head } = await this.open(method, { ...outgoing, headers });
    const body = new Gathered();
    for await (const chunk of chunks) {
      if (body.length + chunk.length > limitBytes) throw new Error(`the answer is over ${limitBytes} bytes`);
      if (head.headers['content-encoding'] !== undefined) throw new Error('no content coding is taken');
      body.push(chunk);
    }
    return { ...head, body: body.whole() };
  }

  /** Resolves when the head is complete; `response` is absent if the server switched protocols (101). */
  #send(
    method: string,
    outgoing: Outgoing,
  ): Promise<{ readonly status: number; readonly response?: IncomingMessage; readonly request: ClientRequest }> {
    const { url, headers, body, deadlineMs, signal, ca } = outgoing;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      let response: IncomingMessage | undefined;
      let failure: Error | undefined;
      let interim = 0;
      const target = new URL(url);
      const bytes = typeof body === 'string' ? Buffer.from(body) : undefined;
      const known = bytes ?? (body as Streamed | undefined);
      const length = known === undefined ? {} : { 'Content-Length': String(known.length) };
      const request = this.#request(method, target, url, { ...headers, ...length }, ca);
      const breakOff = (reason: string, code?: string) => {
        const error = Object.assign(new Error(reason), { code });
        response?.destroy(error);
        request.destroy(error);
      };
      const callOff = () => breakOff('called off');
      this.#open.add(request);
      signal?.addEventListener('abort', callOff);
      const deadline = setTimeout(() => breakOff(`no answer within ${deadlineMs} ms`, 'ETIMEDOUT'), deadlineMs);
      request.once('socket', (socket) => this.#watch(socket, request));
      request.on('information', () => {
        interim += 1;
        if (interim === MAX_INTERIM) breakOff('too many interim answers');
      });
      request.once('upgrade', ({ statusCode: status = 0 }, socket) => {
        socket.destroy();
        resolve({ status, request });
      });
      request.once('response', (head) => {
        response = head;
        joinChunks(head);
        // The reader of the body gets the error; this listener only keeps the process from ending.
        response.on('error', () => {});
        resolve({ status: head.statusCode ?? 0, response, request });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        failure = error;
        if (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
          this.#hangsUp = target.origin;
        }
      });
      request.once('close', () => {
        clearTimeout(deadline);
        signal?.removeEventListener('abort', callOff);
        this.#open.delete(request);
        reject(failure ?? new Error('no answer'));
      });
      // With a text, Node would send the characters of the head as UTF-8, too: each is to be a byte.
      if (typeof body !== 'object') request.end(bytes);
      else {
        const source = Readable.from(body.chunks).once('error', (error) => request.destroy(error));
        request.once('close', () => source.destroy());
        source.pipe(request);
      }
    });
  }

  /** Aborts all requests and closes the idle connections. */
  close(): void {
    for (const request of this.#open) request.destroy();
    this.#agent.destroy();
    this.#secureAgent?.destroy();
  }

  #request(
    method: string,
    target: URL,
    url: string,
    headers: Outgoing['headers'],
    ca: string | undefined,
  ): ClientRequest {
    const { protocol, hostname, port: given, origin } = target;
    const [, authority = '', rest = ''] = /^\w+:\/\/([^/?#]*)([^#]*)/.exec(url) ?? [];
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const port = given === '' ? (secure ? 443 : 80) : Number(given);
    // An IP address in the URL causes no look-up, so it is checked here.
    if (isIP(host) !== 0) this.#check(host, port);
    if (secure) this.#secureAgent ??= new (https().Agent)(AGENT);
    const forTls: ConnectionOptions = {
      ...this.#tls,
      servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
      ...(ca !== undefined && { ca: [...tls().rootCertificates, ca] }),
    };
    const { headers: added, ...proxied } = this.#proxied?.(target, forTls) ?? {};
    return (secure ? https().request : httpRequest)({
      ...(secure && forTls),
      host,
      port,
      path: onTheWire(rest.startsWith('/') ? rest : `/${rest}`),
      method,
      headers: { Host: authority, ...headers, ...(added as Outgoing['headers'] | undefined) },
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
      agent: origin === this.#hangsUp ? false : secure ? this.#secureAgent : this.#agent,
      lookup: this.#allowed(port),
      ...proxied,
    });
  }

  #check(address: string, port: number): void {
    if (this.#refuses(address, port)) throw forbidden('refused: nothing is sent to this address');
  }

  /** Checks the address again when the connection is open, before anything is sent. */
  #watch(socket: Socket, request: ClientRequest): void {
    if (!socket.connecting) return;
    socket.once('connect', () => {
      const { remoteAddress = '', remotePort = 0, localAddress } = socket;
      if (this.#refuses(remoteAddress, remotePort, localAddress)) request.destroy(forbidden('refused: this node'));
    });
  }

  /** A look-up function that returns only the addresses of a name that are not refused. */
  #allowed(port: number): LookupFunction {
    return (host, { all }, callback) => {
      this.#addresses(host).then(
        (found) => {
          const allowed = found.filter(({ address }) => !this.#refuses(address, port));
          const [first] = allowed;
          if (first === undefined) callback(forbidden('refused: no address of this name may be sent to'), []);
          else if (all) callback(null, allowed);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, []),
      );
    };
  }

  /** Resolves a name; concurrent calls for the same name share one look-up. */
  #addresses(host: string): Promise<LookupAddress[]> {
    const pending = this.#lookups.get(host);
    if (pending !== undefined) return pending;
    if (this.#lookups.size >= MAX_LOOKUPS)
      return Promise.reject(Object.assign(new Error('the resolver does not answer'), { code: 'EAI_AGAIN' }));
    const found = this.#resolve(host).finally(() => this.#lookups.delete(host));
    this.#lookups.set(host, found);
    return found;
  }
}

/** Chunks that are held one by one. */
const MOST_CHUNKS = 256;

/**
 * Has the chunks of a body (RFC 9112, 7.1) that arrive together be one for who reads it: each has memory of its own, and a server may send
 * thousands of a byte each.
 */
function joinChunks(response: IncomingMessage): void {
  const push = response.push.bind(response);
  let arrived: Buffer[] = [];
  const give = () => {
    const chunks = arrived;
    arrived = [];
    const [first] = chunks;
    if (first === undefined || push(chunks.length === 1 ? first : Buffer.concat(chunks))) return;
    response.socket.pause();
  };
  response.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      give();
      return push(null);
    }
    if (arrived.length === 0) queueMicrotask(give);
    if (arrived.push(chunk) === MOST_CHUNKS) give();
    return true;
  };
}

const FORBIDDEN = 'ERR_FORBIDDEN';
const forbidden = (reason: string) => Object.assign(new Error(reason), { code: FORBIDDEN });

/** Why there was no answer. */
export type Failure = Exclude<WebhookFailure, 'status'>;

const CODES: Readonly<Record<Exclude<Failure, 'connection'>, RegExp>> = {
  // getaddrinfo(3)
  dns: /^(ENOTFOUND$|EAI_)/,
  // Node, "TLS/SSL errors" and "X509 certificate error codes"
  tls: /^(ERR_TLS|ERR_SSL|EPROTO$|UNABLE_TO_|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|ERROR_IN_|INVALID_(CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH)/,
  refused: /^ECONNREFUSED$/,
  timeout: /^ETIMEDOUT$/,
  address: new RegExp(`^${FORBIDDEN}$`),
};

/** The failure of a request that `Outbound` rejected. */
export function failureOf({ code = '' }: NodeJS.ErrnoException): Failure {
  return (
    (Object.entries(CODES) as [keyof typeof CODES, RegExp][]).find(([, codes]) => codes.test(code))?.[0] ?? 'connection'
  );
}
