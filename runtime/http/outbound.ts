/**
 * Requests that the node sends: the URL as given, one deadline for all of it, no redirect followed, certificates
 * verified, and the address checked that is connected to, after names were resolved.
 */
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Refuses } from './targets.ts';

/** Names that are being resolved at a time: a look-up cannot be called off, and a dead resolver holds each for long. */
const MAX_LOOKUPS = 4;
/**
 * How long a connection is kept for the next request. Shorter than any server's patience, so that none is found
 * closed by the other end.
 */
const KEEP_MS = 500;
const MAX_HEAD_BYTES = 16 * 1024;
/** Interim answers (RFC 9110, 15.2) that are waited through. */
const MAX_INTERIM = 16;

export interface Outgoing {
  /** http or https, printable ASCII. What stands after the host goes on the wire as it is, up to a `#`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the call to the head of the answer, names and handshakes included. */
  readonly deadlineMs: number;
}

export interface OutboundOptions {
  readonly refuses: Refuses;
  readonly resolve?: (host: string) => Promise<LookupAddress[]>;
  /** Authorities in place of those that Node trusts, in PEM. */
  readonly ca?: string;
}

const resolveBySystem = (host: string) => lookup(host, { all: true, hints: ADDRCONFIG });

export class Outbound {
  readonly #refuses: Refuses;
  readonly #resolve: (host: string) => Promise<LookupAddress[]>;
  readonly #tls: object;
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: KEEP_MS }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: KEEP_MS }),
  };
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
  post({ url, headers, body, deadlineMs }: Outgoing): Promise<number> {
    return new Promise((resolve, reject) => {
      let status: number | undefined;
      let failure: Error | undefined;
      let interim = 0;
      const target = new URL(url);
      const request = this.#request(target, url, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) });
      this.#open.add(request);
      const deadline = setTimeout(() => request.destroy(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
      request.once('socket', (socket) => this.#watch(socket, request));
      request.on('information', () => {
        interim += 1;
        if (interim === MAX_INTERIM) request.destroy(new Error('too many interim answers'));
      });
      request.once('upgrade', (response, socket) => {
        status = response.statusCode;
        socket.destroy();
      });
      request.once('response', (response) => {
        status = response.statusCode;
        // A turn later what came in the same piece has been read. A longer body is not waited for.
        setImmediate(() => (response.complete ? response.resume() : request.destroy()));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        failure = error;
        if (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
          this.#hangsUp = target.origin;
        }
      });
      request.once('close', () => {
        clearTimeout(deadline);
        this.#open.delete(request);
        if (status === undefined) reject(failure ?? new Error('no answer'));
        else resolve(status);
      });
      request.end(body);
    });
  }

  /** Breaks off what is under way, and lets go of kept connections. */
  close(): void {
    for (const request of this.#open) request.destroy();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #request({ protocol, hostname, port: given, origin }: URL, url: string, headers: Outgoing['headers']): ClientRequest {
    const [, authority = '', rest = ''] = /^\w+:\/\/([^/?#]*)([^#]*)/.exec(url) ?? [];
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const port = given === '' ? (secure ? 443 : 80) : Number(given);
    // An address needs no look-up: this is the last moment to see it.
    if (isIP(host) !== 0) this.#check(host, port);
    return (secure ? httpsRequest : httpRequest)({
      ...(secure && { ...this.#tls, servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '' }),
      host,
      port,
      path: rest.startsWith('/') ? rest : `/${rest}`,
      method: 'POST',
      headers: { Host: authority, ...headers },
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
      agent: origin === this.#hangsUp ? false : this.#agents[secure ? 'https:' : 'http:'],
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
