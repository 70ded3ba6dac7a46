/**
 * Requests that the node sends: the URL as given, one deadline for all of it, no redirect followed, certificates
 * verified, and the address checked that is connected to, after names were resolved.
 */
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Refuses } from './targets.ts';
import { onTheWire } from './urls.ts';

/** Names that are being resolved at a time: a look-up cannot be called off, and a dead resolver holds each for long. */
const MAX_LOOKUPS = 4;
/**
 * How long a connection is kept for the next request. Shorter than any server's patience, so that none is found
 * closed by the other end.
 */
const KEEP_MS = 500;
const AGENT = { keepAlive: true, timeout: KEEP_MS } as const;
const MAX_HEAD_BYTES = 16 * 1024;
/** Interim answers (RFC 9110, 15.2) that are waited through. */
const MAX_INTERIM = 16;

export interface Outgoing {
  /** http or https, printable ASCII. What stands after the host goes on the wire as it is, up to a `#`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly body?: string;
  /** From the call to the end of what is read of the answer, names and handshakes included. */
  readonly deadlineMs: number;
  /** Breaks the request off. */
  readonly signal?: AbortSignal;
}

/** An answer whose body is still to come. */
export interface Opened {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Throws where the body does not come to its end by the deadline. Who leaves it early breaks the request off. */
  readonly chunks: AsyncIterable<Buffer>;
}

export interface Read extends Omit<Opened, 'chunks'> {
  readonly body: Buffer;
}

export interface OutboundOptions {
  readonly refuses: Refuses;
  readonly resolve?: (host: string) => Promise<LookupAddress[]>;
  /** Authorities in place of those that Node trusts, in PEM. */
  readonly ca?: string;
}

/** TLS is loaded when something is first sent over it: most nodes never do. */
const https = () => process.getBuiltinModule('node:https');

const resolveBySystem = (host: string) => lookup(host, { all: true, hints: ADDRCONFIG });

export class Outbound {
  readonly #refuses: Refuses;
  readonly #resolve: (host: string) => Promise<LookupAddress[]>;
  readonly #tls: object;
  readonly #agent = new HttpAgent(AGENT);
  #secureAgent: HttpsAgent | undefined;
  readonly #open = new Set<ClientRequest>();
  readonly #lookups = new Map<string, Promise<LookupAddress[]>>();
  /** The last origin that hung up on a connection it had kept: it is given a new one each time. */
  #hangsUp = '';

  constructor({ refuses, resolve = resolveBySystem, ca }: OutboundOptions) {
    this.#refuses = refuses;
    this.#resolve = resolve;
    // Said here, so that no variable of the environment turns it off.
    this.#tls = { rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) };
  }

  /**
   * The status of the answer, once its head is complete; of the body only that is taken which came with the head.
   * Rejects where there was no such answer by the deadline, and where the target is refused.
   */
  async post(outgoing: Outgoing): Promise<number> {
    const { status, response, request } = await this.#send('POST', outgoing);
    if (response === undefined) return status;
    const closed = new Promise((resolve) => request.once('close', resolve));
    // A turn later what came in the same piece has been read. A longer body is not waited for.
    setImmediate(() => (response.complete ? response.resume() : request.destroy()));
    await closed;
    return status;
  }

  /** The head of the answer, and its body as it comes, as it is on the wire. Rejects as `post` does. */
  async open(method: 'GET' | 'POST', outgoing: Outgoing): Promise<Opened> {
    const { status, response } = await this.#send(method, outgoing);
    if (response === undefined) throw new Error('the answer speaks another protocol');
    return { status, headers: response.headers, chunks: response };
  }

  /** The whole answer. Rejects as `post` does, where the body is over `limitBytes`, and where it has a content coding. */
  async read(method: 'GET' | 'POST', outgoing: Outgoing, limitBytes: number): Promise<Read> {
    const headers = { ...outgoing.headers, 'Accept-Encoding': 'identity' };
    const { chunks, ...head } = await this.open(method, { ...outgoing, headers });
    const body: Buffer[] = [];
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > limitBytes) throw new Error(`the answer is over ${limitBytes} bytes`);
      if (head.headers['content-encoding'] !== undefined) throw new Error('no content coding is taken');
      body.push(chunk);
    }
    return { ...head, body: Buffer.concat(body, length) };
  }

  /** The answer once its head is complete; `response` is absent where the connection changed its protocol. */
  #send(
    method: string,
    outgoing: Outgoing,
  ): Promise<{ readonly status: number; readonly response?: IncomingMessage; readonly request: ClientRequest }> {
    const { url, headers, body, deadlineMs, signal } = outgoing;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      let response: IncomingMessage | undefined;
      let failure: Error | undefined;
      let interim = 0;
      const target = new URL(url);
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const request = this.#request(method, target, url, { ...headers, ...length });
      const breakOff = (reason: string) => {
        const error = new Error(reason);
        response?.destroy(error);
        request.destroy(error);
      };
      const callOff = () => breakOff('called off');
      this.#open.add(request);
      signal?.addEventListener('abort', callOff);
      const deadline = setTimeout(() => breakOff(`no answer within ${deadlineMs} ms`), deadlineMs);
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
        // Whoever reads the body is told; nobody else needs to be.
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
      request.end(body);
    });
  }

  /** Breaks off what is under way, and lets go of kept connections. */
  close(): void {
    for (const request of this.#open) request.destroy();
    this.#agent.destroy();
    this.#secureAgent?.destroy();
  }

  #request(
    method: string,
    { protocol, hostname, port: given, origin }: URL,
    url: string,
    headers: Outgoing['headers'],
  ): ClientRequest {
    const [, authority = '', rest = ''] = /^\w+:\/\/([^/?#]*)([^#]*)/.exec(url) ?? [];
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const port = given === '' ? (secure ? 443 : 80) : Number(given);
    // An address needs no look-up: this is the last moment to see it.
    if (isIP(host) !== 0) this.#check(host, port);
    if (secure) this.#secureAgent ??= new (https().Agent)(AGENT);
    return (secure ? https().request : httpRequest)({
      ...(secure && { ...this.#tls, servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '' }),
      host,
      port,
      path: onTheWire(rest.startsWith('/') ? rest : `/${rest}`),
      method,
      headers: { Host: authority, ...headers },
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
      agent: origin === this.#hangsUp ? false : secure ? this.#secureAgent : this.#agent,
      lookup: this.#allowed(port),
    });
  }

  #check(address: string, port: number): void {
    if (this.#refuses(address, port)) throw new Error('refused: nothing is sent to this address');
  }

  /** Second look, at a connection that was made and on which nothing was sent yet. */
  #watch(socket: Socket, request: ClientRequest): void {
    if (!socket.connecting) return;
    socket.once('connect', () => {
      const { remoteAddress = '', remotePort = 0, localAddress } = socket;
      if (this.#refuses(remoteAddress, remotePort, localAddress)) request.destroy(new Error('refused: this node'));
    });
  }

  /** Gives the addresses of a name that are not refused: the ones that will be connected to. */
  #allowed(port: number): LookupFunction {
    return (host, { all }, callback) => {
      this.#addresses(host).then(
        (found) => {
          const allowed = found.filter(({ address }) => !this.#refuses(address, port));
          const [first] = allowed;
          if (first === undefined) callback(new Error('refused: no address of this name may be sent to'), []);
          else if (all) callback(null, allowed);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, []),
      );
    };
  }

  /** Whoever asks for a name that is being looked up waits for that answer. */
  #addresses(host: string): Promise<LookupAddress[]> {
    const pending = this.#lookups.get(host);
    if (pending !== undefined) return pending;
    if (this.#lookups.size >= MAX_LOOKUPS) return Promise.reject(new Error('the resolver does not answer'));
    const found = this.#resolve(host).finally(() => this.#lookups.delete(host));
    this.#lookups.set(host, found);
    return found;
  }
}
