/** The connections of the server: their number, which one is closed for a new one, and responses to protocol errors. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { heapFor } from '../kernel/v8-flags.ts';
import { truncate } from './body.ts';
import { type Connection, type Exchange, FOLLOWED, isAnswering, whoGivesWay } from './connection.ts';
import { rawAnswer } from './envelope.ts';
import { LoopTurns } from './loop-turns.ts';
import { addressOf } from './peer.ts';
import { isInChunks, readInPieces } from './pieces.ts';
import { Pipeline } from './pipeline.ts';
import type { RequestTurns } from './request-turns.ts';

/** Bounds on connections; tests lower them. */
export interface ConnectionLimits {
  /** Connections, without those that are kept. */
  readonly connections: number;
  readonly keptConnections: number;
  /** A connection of which no byte leaves for so long, though some wait, is destroyed. */
  readonly unreadTimeoutMs: number;
  readonly checkIntervalMs: number;
}

/** Connections that are read as fast as bytes come: a till that is alone does not wait for others, and pieces cost a read a tenth more. */
const FEW = 1;
/** Connections whose requests begin as they come: all of them together are short enough for a turn of the loop. */
const SEVERAL = 8;
/** More are no shop's tills and people: memory is spared rather than time. */
const MANY = 32;
/** After a protocol error the client may go on sending for this long before its connection is destroyed. */
const CUT_MS = 1000;
/** A kept place is for one question and its answer. */
const KEPT_MS = 10_000;

const NO_REQUEST = 'not an HTTP request this node understands';

/** Node's error code for a client that closed its side within a message. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

/** Tracks the connections of one server. */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** Open connections, oldest first. */
  readonly #open = new Map<Duplex, Connection>();
  readonly #cut = new WeakSet<Duplex>();
  readonly #pipeline = new Pipeline();
  readonly #begins: RequestTurns;
  readonly #turns = new LoopTurns();

  constructor(server: Server, limits: ConnectionLimits, begins: RequestTurns) {
    this.#limits = limits;
    this.#begins = begins;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuse(error, socket));
    // CONNECT names no path of this node; Node would close the connection without a response.
    server.on('connect', (_request, socket: Duplex) => {
      // Node no longer handles this socket: an `error` event without a listener would end the process.
      socket.on('error', () => {});
      this.#end(socket, () => this.#cutOff(socket, rawAnswer('404 Not Found', 'not_found')));
    });
    const checks = setInterval(() => this.#check(), limits.checkIntervalMs).unref();
    server.once('close', () => clearInterval(checks));
  }

  /** Open connections, and those of them of which a request is served. */
  get size(): { readonly open: number; readonly served: number } {
    return { open: this.#open.size, served: this.#pipeline.size };
  }

  /** Serves a request with `serve`, after those that its connection sent before are answered. */
  begin(request: IncomingMessage, response: ServerResponse, serve: () => Promise<void>): void {
    const connection = this.#open.get(request.socket);
    // Node goes on to parse what it has read after the socket was destroyed.
    if (connection === undefined || connection.socket.destroyed) return;
    // Behind the last request of a connection nothing is served (RFC 9112, 9.6).
    if (connection.last?.response.shouldKeepAlive === false) return;
    connection.last = { request, response };
    if (connection.isKept) response.shouldKeepAlive = false;
    if (isInChunks(request)) this.#readInPieces(connection);
    const begins = () => (this.#open.size > SEVERAL ? this.#begins.begin(connection.address) : undefined);
    this.#pipeline.begin(connection, { request, response, serve }, begins);
  }

  /** Whether the request came on a connection that is kept for reads and what puts a node right. */
  isKept({ socket }: IncomingMessage): boolean {
    return this.#open.get(socket)?.isKept === true;
  }

  #accept(socket: Socket): void {
    const address = addressOf(socket);
    const isKept = this.#makeRoom(address);
    if (isKept === undefined) {
      socket.destroy();
      return;
    }
    const now = performance.now();
    const connection: Connection = {
      socket,
      address,
      isKept,
      openedAt: now,
      last: undefined,
      served: undefined,
      left: 0,
      leftAt: now,
      pieces: undefined,
    };
    this.#open.set(socket, connection);
    this.#fitHeap();
    socket.once('close', () => this.#close(connection));
    if (this.#open.size > FEW) this.#readInPieces(connection);
  }

  #readInPieces(connection: Connection): void {
    connection.pieces ??= readInPieces(connection.socket, {
      mayRead: () => !this.#pipeline.isAnswering(connection),
      last: () => connection.last?.request,
      turns: this.#turns,
    });
  }

  /** Whether a new connection gets a place that is kept; undefined where it gets none. At the limit, one is closed for it. */
  #makeRoom(address: string): boolean | undefined {
    const { connections, keptConnections } = this.#limits;
    if (this.#open.size < connections) return false;
    const open = [...this.#open.values()];
    for (const [isKept, max] of [
      [false, connections],
      [true, keptConnections],
    ] as const) {
      const those = open.filter((each) => each.isKept === isKept);
      if (those.length < max) return isKept;
      const out = whoGivesWay(those, address);
      if (out === undefined) continue;
      out.socket.destroy();
      this.#close(out);
      return isKept;
    }
    return undefined;
  }

  #close(connection: Connection): void {
    if (this.#open.get(connection.socket) !== connection) return;
    this.#open.delete(connection.socket);
    if (this.#open.size === MANY) this.#fitHeap();
    this.#pipeline.close(connection);
  }

  #fitHeap(): void {
    const { size } = this.#open;
    heapFor(size === 0 ? 'none' : size > MANY ? 'many' : 'few');
  }

  /** Destroys connections whose client does not read, and those that have had their time on a kept place; tells of `FOLLOWED`. */
  #check(): void {
    // A node that nobody asks for a while is idle, and no sooner: to change it takes as long as a tenth of a print.
    if (this.#open.size === 0) this.#fitHeap();
    const now = performance.now();
    for (const connection of this.#open.values()) {
      const { socket, isKept, openedAt } = connection;
      const left = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || left !== connection.left) {
        connection.left = left;
        connection.leftAt = now;
      }
      const unread = now - connection.leftAt >= this.#limits.unreadTimeoutMs;
      if (unread || (isKept && now - openedAt >= KEPT_MS)) socket.destroy();
      else if (this.#pipeline.isFollowed(connection)) socket.emit(FOLLOWED);
    }
  }

  /** Handles a protocol error or a timeout of a connection. */
  #refuse({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#cut.has(socket)) return;
    const exchange = this.#open.get(socket)?.last;
    if (code === ENDED_EARLY && exchange?.request.complete === false && socket.writable) {
      // The reader of the body sends the response, which says how much arrived.
      truncate(exchange.request);
      return;
    }
    if (!socket.writable || code === 'ECONNRESET') socket.destroy();
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') this.#end(socket, () => this.#callLate(socket, exchange));
    else this.#end(socket, () => this.#cutOff(socket, rawAnswer('400 Bad Request', 'invalid_body', NO_REQUEST)));
  }

  /** No request follows. Valid ones before what came get their responses, and it none; where there are none, `refuse` is called. */
  #end(socket: Duplex, refuse: () => void): void {
    const exchange = this.#open.get(socket)?.last;
    if (exchange?.response.headersSent === true && !exchange.response.writableFinished) socket.destroy();
    else if (exchange !== undefined && isAnswering(exchange)) exchange.response.shouldKeepAlive = false;
    else refuse();
  }

  /** Responds with a timeout, one iteration of the event loop later: if the node was busy, bytes may wait unread. */
  #callLate(socket: Duplex, exchange: Exchange | undefined): void {
    setImmediate(() => {
      if (!socket.writable || this.#open.get(socket)?.last !== exchange) return;
      this.#cutOff(socket, rawAnswer('400 Bad Request', 'invalid_body', 'the request did not arrive in time'));
    });
  }

  #cutOff(socket: Duplex, answer: string): void {
    this.#cut.add(socket);
    socket.end(answer);
    setTimeout(() => socket.destroy(), CUT_MS).unref();
  }
}
