/** The connections of the server: how many there are, which one gives way, and what one is told that broke the protocol. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { truncate } from './body.ts';
import { rawAnswer } from './envelope.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** How long a client that broke the protocol may go on sending before its connection is cut. */
const CUT_MS = 1000;

/** Requests that one connection may send before it reads an answer. Who sends more loses it, and they are not begun. */
const MAX_WAITING = 256;

/** The client closed its side inside a message. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

const isAnswering = (exchange: Exchange | undefined): boolean =>
  exchange?.request.complete === true && !exchange.response.writableFinished;

export class Connections {
  readonly #max: number;
  /** Open connections, oldest first, with the request each sent last. */
  readonly #open = new Map<Duplex, Exchange | undefined>();
  readonly #cut = new WeakSet<Duplex>();
  /** Requests that wait for the answer to the one before them, by connection; none where nothing is being answered. */
  readonly #waiting = new WeakMap<Duplex, (() => Promise<void>)[]>();

  constructor(server: Server, max: number) {
    this.#max = max;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuse(error, socket));
    // CONNECT names no path of this node, and Node would hang up without a word.
    server.on('connect', (_request, socket: Duplex) => {
      // Node has let go of it: an error that nobody listens for would end the process.
      socket.on('error', () => {});
      this.#cutOff(socket, rawAnswer('404 Not Found', 'not_found'));
    });
  }

  /**
   * Has a request answered. Those that a connection sends without waiting are answered one a turn of the loop: Node reads
   * a whole segment of them in one go, and the node would do nothing else until the last of them.
   */
  begin(request: IncomingMessage, response: ServerResponse, answer: () => Promise<void>): void {
    const { socket } = request;
    // Node goes on with what it has read.
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

  /** At the limit the oldest connection gives way that nothing is being done for: first one that never asked anything. */
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

  /** The parser gave up on a connection, or its time was up. */
  #refuse({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#cut.has(socket)) return;
    const exchange = this.#open.get(socket);
    if (code === ENDED_EARLY && exchange?.request.complete === false && socket.writable) {
      // Whoever reads this body answers with how much of it came.
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
      // What follows a good request is broken: the good one is answered, then the connection closes.
      exchange.response.shouldKeepAlive = false;
    } else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      this.#callLate(socket, exchange);
    } else {
      this.#cutOff(socket, rawAnswer('400 Bad Request', 'invalid_body', 'not an HTTP request this node understands'));
    }
  }

  /** Where the node itself was late, what came in time is still unread: a turn of the loop reads it. */
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
