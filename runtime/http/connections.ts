/** The connections of the server: their number, which one is closed for a new one, and responses to protocol errors. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { truncate } from './body.ts';
import { rawAnswer } from './envelope.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** After a protocol error the client may go on sending for this long before its connection is destroyed. */
const CUT_MS = 1000;

/**
 * Pipelined requests that may wait on one connection. With more, the connection is closed and they are not processed.
 */
const MAX_WAITING = 256;

/** Node's error code for a client that closed its side within a message. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

const isAnswering = (exchange: Exchange | undefined): boolean =>
  exchange?.request.complete === true && !exchange.response.writableFinished;

/** Tracks the connections of one server, at most `max`. */
export class Connections {
  readonly #max: number;
  /** Open connections, oldest first, with the request each sent last. */
  readonly #open = new Map<Duplex, Exchange | undefined>();
  readonly #cut = new WeakSet<Duplex>();
  /** Pipelined requests that wait for the response before theirs, by connection; no entry while none is processed. */
  readonly #waiting = new WeakMap<Duplex, (() => Promise<void>)[]>();

  constructor(server: Server, max: number) {
    this.#max = max;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuse(error, socket));
    // CONNECT names no path of this node; Node would close the connection without a response.
    server.on('connect', (_request, socket: Duplex) => {
      // Node no longer handles this socket: an `error` event without a listener would end the process.
      socket.on('error', () => {});
      this.#cutOff(socket, rawAnswer('404 Not Found', 'not_found'));
    });
  }

  /**
   * Processes a request with `answer`. Pipelined requests of one connection are processed one per iteration of the
   * event loop: Node parses all that arrive in one segment at once, and other work would wait for the last of them.
   */
  begin(request: IncomingMessage, response: ServerResponse, answer: () => Promise<void>): void {
    const { socket } = request;
    // Node goes on to parse what it has read after the socket was destroyed.
    if (socket.destroyed) return;
    if (this.#open.has(socket)) this.#open.set(socket, { request, response });
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) void this.#answer(socket, answer);
    else if (waiting.length < MAX_WAITING) waiting.push(answer);
    else socket.destroy();
  }

  async #answer(socket: Duplex, first: () => Promise<void>): Promise<void> {
    const waiting: (() => Promise<void>)[] = [];
    this.#waiting.set(socket, waiting);
    try {
      for (let next: (() => Promise<void>) | undefined = first; next !== undefined; next = waiting.shift()) {
        await next();
        if (waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
        if (socket.destroyed) break;
      }
    } finally {
      this.#waiting.delete(socket);
    }
  }

  /** At the limit, closes the oldest idle connection, first one that never sent a request. */
  #accept(socket: Duplex): void {
    if (this.#open.size >= this.#max) {
      const open = [...this.#open];
      const [idle] =
        open.find(([, exchange]) => exchange === undefined) ??
        open.find(([, exchange]) => !isAnswering(exchange)) ??
        [];
      (idle ?? socket).destroy();
      if (idle === undefined) return;
      this.#open.delete(idle);
    }
    this.#open.set(socket, undefined);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Handles a protocol error or a timeout of a connection. */
  #refuse({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#cut.has(socket)) return;
    const exchange = this.#open.get(socket);
    if (code === ENDED_EARLY && exchange?.request.complete === false && socket.writable) {
      // The reader of the body sends the response, which says how much arrived.
      truncate(exchange.request);
      return;
    }
    if (
      !socket.writable ||
      code === 'ECONNRESET' ||
      (exchange?.response.headersSent === true && !exchange.response.writableFinished)
    ) {
      socket.destroy();
    } else if (exchange !== undefined && isAnswering(exchange)) {
      // A valid request is followed by an invalid one: the valid one gets its response, then the connection is closed.
      exchange.response.shouldKeepAlive = false;
    } else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      this.#callLate(socket, exchange);
    } else {
      this.#cutOff(socket, rawAnswer('400 Bad Request', 'invalid_body', 'not an HTTP request this node understands'));
    }
  }

  /** Responds with a timeout, one iteration of the event loop later: if the node was busy, bytes may wait unread. */
  #callLate(socket: Duplex, exchange: Exchange | undefined): void {
    setImmediate(() => {
      if (!socket.writable || this.#open.get(socket) !== exchange) return;
      this.#cutOff(socket, rawAnswer('400 Bad Request', 'invalid_body', 'the request did not arrive in time'));
    });
  }

  #cutOff(socket: Duplex, answer: string): void {
    this.#cut.add(socket);
    socket.end(answer);
    setTimeout(() => socket.destroy(), CUT_MS).unref();
  }
}
