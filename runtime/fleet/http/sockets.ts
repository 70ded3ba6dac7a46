/** The connections of the server: silent ones give way, by the address that they come from. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { letIn } from '../../base/loop.ts';
import { LoopTurns } from '../../http/loop-turns.ts';
import { type Pieces, readInPieces } from '../../http/pieces.ts';
import { sourceOf } from './source.ts';

/** How long an idle connection is kept: longer than proxies and balancers keep theirs (60 s), so that none is closed under a request. */
const KEEP_MS = 75_000;
/**
 * Time for the head of a request, and how often it is looked at. A connection that is silent costs nothing but its memory, and
 * one that is closed is opened again by whoever means harm, which costs half a millisecond: so there is no haste.
 */
const HEAD_MS = 30_000;
const LOOK_MS = 500;
/** Connections in all; a process of 100 MB holds them. */
const MOST = 10_000;
/** What has not sent anything for so long is left to the parser, which looks after silent connections. */
const SILENT_MS = 5000;
/** Connections that are refused by their first request before others are let in. */
const REFUSED_AT_ONCE = 16;
/** What has come behind requests that are not answered, on all connections: nodes, browsers and proxies send the next one after the answer. */
const MOST_BEHIND_BYTES = 8 * 1024 * 1024;

/** The answer of Node to what is no request. */
const NO_REQUEST = Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');

/** Every method is a word, before which blank lines may stand (RFC 9112, 2.2): a handshake of TLS, which begins with 16h, is none. */
const mayBeRequest = (first: number): boolean => (first >= 0x41 && first <= 0x5a) || first === 0x0d || first === 0x0a;

/** What is said to somebody whose connection began with this request, who is then gone; undefined where it is served. */
export type Refuses = (head: Buffer, address: string) => Buffer | undefined;

/** Which connections are open, which owe a request, and which are closed where there is no room for others. */
export class Sockets {
  /** All that are open, with the source of each. */
  readonly #open = new Map<Socket, string>();
  /** Connections from which no whole request has come, or whose request was refused and waits, by their source, the oldest first. */
  readonly #silent = new Map<string, Set<Socket>>();
  /** The request of a connection that is not answered. The next one is not read before. */
  readonly #asked = new WeakMap<Socket, IncomingMessage>();
  readonly #pieces = new WeakMap<Socket, Pieces>();
  readonly #turns = new LoopTurns();
  /** Bytes that have come behind the request of a connection. */
  readonly #behind = new Map<Socket, number>();
  #behindBytes = 0;
  /** Connections whose requests are answered, the longest idle first. */
  readonly #idle = new Set<Socket>();
  /** Connections that are to be refused by their first request, with the answer. */
  readonly #refused: [Socket, Buffer][] = [];
  #isRefusing = false;
  readonly #most: number;
  readonly #refuses: Refuses;

  /**
   * `refuses`: looks at the first bytes of each connection before the parser is made, which costs more than a refusal. `most`: connections
   * in all.
   */
  constructor(server: Server, refuses: Refuses = () => undefined, most = MOST) {
    this.#refuses = refuses;
    this.#most = most;
    const [parse] = server.listeners('connection');
    server
      .removeAllListeners('connection')
      .on('connection', (socket) => this.#accept(socket, () => parse?.call(server, socket)));
  }

  /** Serves the requests of these connections by an application. */
  readonly serve =
    (application: RequestListener): RequestListener =>
    (request, response) => {
      this.#begin(request, response);
      if (!request.socket.destroyed) application(request, response);
    };

  /** The rest of its request is waited for, and its connection gives way to no other meanwhile. */
  readonly admit = ({ socket }: IncomingMessage): void => this.#admit(socket);

  /** Has a request refused later: its connection gives way, as those from which no request came. */
  readonly dismiss = ({ socket }: IncomingMessage): void => {
    this.#idle.delete(socket);
    this.#await(socket);
  };

  #admit(socket: Socket): void {
    const source = this.#open.get(socket) ?? '';
    const those = this.#silent.get(source);
    those?.delete(socket);
    if (those?.size === 0) this.#silent.delete(source);
    this.#idle.delete(socket);
  }

  #await(socket: Socket): void {
    const source = this.#open.get(socket);
    if (source !== undefined) this.#silent.set(source, (this.#silent.get(source) ?? new Set()).add(socket));
  }

  /** Closes all that are open. */
  close(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #accept(socket: Socket, parse: () => void): void {
    if (this.#open.size >= this.#most && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, sourceOf(socket.remoteAddress ?? ''));
    this.#await(socket);
    socket.once('close', () => {
      this.#admit(socket);
      this.#open.delete(socket);
      this.#keep(socket, 0);
    });
    this.#look(socket, () => {
      parse();
      this.#read(socket);
    });
  }

  /** Takes its first bytes; it is refused by them, or `serve` is called before they are given on. What is no request has no haste. */
  #look(socket: Socket, serve: () => void): void {
    const fail = () => socket.destroy();
    const { push } = socket;
    let late = () => begin();
    const begin = () => {
      clearTimeout(silent);
      socket.push = push;
      socket.off('error', fail);
      serve();
    };
    const silent = setTimeout(() => late(), SILENT_MS).unref();
    socket.on('error', fail).once('close', () => clearTimeout(silent));
    socket.push = (chunk: Buffer | null) => {
      const refusal = chunk === null ? undefined : this.#refusalOf(chunk, socket);
      if (refusal === undefined) {
        begin();
        return socket.push(chunk);
      }
      const refuse = () => {
        clearTimeout(silent);
        this.#refused.push([socket, refusal]);
        void this.#answerRefused();
      };
      socket.push = () => false;
      if (refusal === NO_REQUEST) late = refuse;
      else refuse();
      return false;
    };
  }

  #refusalOf(chunk: Buffer, { remoteAddress = '' }: Socket): Buffer | undefined {
    return mayBeRequest(chunk[0]!) ? this.#refuses(chunk, remoteAddress) : NO_REQUEST;
  }

  /** Some at a time: who is served, and who waits to be accepted, comes first. */
  async #answerRefused(): Promise<void> {
    if (this.#isRefusing) return;
    this.#isRefusing = true;
    while (this.#refused.length > 0) {
      for (const [socket, refusal] of this.#refused.splice(0, REFUSED_AT_ONCE))
        if (!socket.destroyed) socket.end(refusal).destroySoon();
      await letIn();
    }
    this.#isRefusing = false;
  }

  #read(socket: Socket): void {
    this.#pieces.set(
      socket,
      readInPieces(socket, {
        mayRead: () => this.#mayRead(socket),
        last: () => this.#asked.get(socket),
        turns: this.#turns,
      }),
    );
  }

  /** Not while a request that is whole is answered. */
  #mayRead(socket: Socket): boolean {
    if (this.#asked.get(socket)?.complete !== true) return true;
    this.#keep(socket, this.#pieces.get(socket)?.size() ?? 0);
    return false;
  }

  /** Notes how many bytes wait on this connection; it ends where that is too much beside those of the others. */
  #keep(socket: Socket, bytes: number): void {
    this.#behindBytes += bytes - (this.#behind.get(socket) ?? 0);
    if (bytes === 0) this.#behind.delete(socket);
    else this.#behind.set(socket, bytes);
    if (this.#behindBytes > MOST_BEHIND_BYTES) socket.destroy();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    this.#asked.set(socket, request);
    // Without a body, nothing more is owed; nobody reads its end.
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) this.#admit(socket);
    else request.once('end', () => this.#admit(socket));
    response.once('close', () => {
      // Who was refused before he had sent all owes the rest.
      if (request.complete) {
        this.#admit(socket);
        if (!socket.destroyed) this.#idle.add(socket);
      }
      this.#answered(request);
    });
  }

  /** What came behind it is read on. */
  #answered(request: IncomingMessage): void {
    const { socket } = request;
    if (this.#asked.get(socket) === request) this.#asked.delete(socket);
    this.#keep(socket, 0);
    this.#pieces.get(socket)?.readOn();
  }

  /** Closes the oldest silent one of the source that has the most, else the one that has been idle for longest. */
  #makeRoom(): boolean {
    let most: Set<Socket> | undefined;
    for (const those of this.#silent.values()) if (those.size > (most?.size ?? 0)) most = those;
    const [out] = most ?? this.#idle;
    out?.destroy();
    return out !== undefined;
  }
}

/** A server that listens to nobody yet. */
export const createFleetServer = (): Server =>
  createServer({ headersTimeout: HEAD_MS, connectionsCheckingInterval: LOOK_MS, keepAliveTimeout: KEEP_MS });
