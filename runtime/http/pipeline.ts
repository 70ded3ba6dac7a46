/**
 * Pipelined requests (RFC 9112, 9.3.2): the next one of a connection begins when the response before it has left, so a client
 * that does not read has one response made for it and no more. Those that wait are bounded in number and in memory.
 */
import type { ServerResponse } from 'node:http';
import { Shares } from '../kernel/shares.ts';
import type { Connection, Exchange } from './connection.ts';
import { LoopTurns } from './loop-turns.ts';

/** Requests that may wait on one connection. */
const MAX_WAITING = 256;
/** Memory of the requests that wait, on all connections and on those of one address. */
const WAITING_BYTES = 8 * 1024 * 1024;
const WAITING_BYTES_OF_ONE_ADDRESS = WAITING_BYTES / 2;
/** Memory of a request and its response, without the text of the header. */
const REQUEST_BYTES = 3072;

/** A request, and what serves it. */
export interface Turn extends Exchange {
  serve(): Promise<void>;
}

interface Waiting extends Turn {
  giveBack(): void;
}

const sizeOf = ({ request: { url = '', rawHeaders } }: Exchange): number =>
  rawHeaders.reduce((sum, { length }) => sum + length, REQUEST_BYTES + url.length);

/** The requests of all connections. */
export class Pipeline {
  readonly #shares = new Shares(WAITING_BYTES, WAITING_BYTES_OF_ONE_ADDRESS);
  /** By connection; no entry while none is served. */
  readonly #waiting = new Map<Connection, Waiting[]>();
  /** One of the requests that came behind others begins in each iteration of the event loop. */
  readonly #turns = new LoopTurns(1);
  /**
   * Serves a request now, or when those before it are answered. Where too many wait, its connection is destroyed. `begins`: what it waits for
   * where it is the first one.
   */
  begin(connection: Connection, turn: Turn, begins: () => Promise<void> | undefined): void {
    const waiting = this.#waiting.get(connection);
    if (waiting === undefined) {
      void this.#serve(connection, turn, begins());
      return;
    }
    const giveBack = waiting.length < MAX_WAITING ? this.#shares.take(connection.address, sizeOf(turn)) : undefined;
    if (giveBack === undefined) connection.socket.destroy();
    else waiting.push({ ...turn, giveBack });
  }

  /** Whether a request of the connection is being answered that is here to its last byte. */
  isAnswering(connection: Connection): boolean {
    return this.#waiting.has(connection) && connection.served?.request.complete === true;
  }

  /** Whether another request waits behind the one that is being answered. */
  isFollowed(connection: Connection): boolean {
    const waiting = this.#waiting.get(connection);
    return waiting !== undefined && (waiting.length > 0 || connection.pieces?.hasMore() === true);
  }

  /** Connections of which a request is served. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The connection was closed: what waits on it is not served. */
  close(connection: Connection): void {
    drop(this.#waiting.get(connection));
  }

  async #serve(connection: Connection, first: Turn, begins: Promise<void> | undefined): Promise<void> {
    const waiting: Waiting[] = [];
    this.#waiting.set(connection, waiting);
    try {
      for (let turn: Turn | undefined = first; turn !== undefined; ) {
        connection.served = turn;
        if (turn === first && begins !== undefined) await begins;
        if (connection.socket.destroyed) break;
        // What was not read while the one before was answered may have its body. The first one comes from a parser at work.
        if (turn !== first) connection.pieces?.readOn();
        await turn.serve();
        if (!turn.response.writableFinished) await left(connection, turn);
        if (isLast(turn.response)) break;
        const next = waiting.shift();
        next?.giveBack();
        turn = next;
        if (turn !== undefined) await this.#turns.next();
        if (connection.socket.destroyed) break;
      }
    } finally {
      this.#waiting.delete(connection);
      // The socket of a connection that ends here is closed later, when nothing is known any more of those that wait.
      drop(waiting);
    }
    if (connection.pieces?.hasMore() === true) await this.#turns.next();
    connection.pieces?.readOn();
  }
}

/** Gives back the memory of requests that are not served. */
function drop(waiting: Waiting[] | undefined): void {
  for (const { giveBack } of waiting?.splice(0) ?? []) giveBack();
}

/** Whether nothing is served behind this response (RFC 9112, 9.6). */
const isLast = (response: ServerResponse): boolean =>
  !response.shouldKeepAlive || response.getHeader('connection') === 'close';

/** Resolves when the operating system has the whole response, or the connection is closed. */
async function left({ socket }: Connection, { response }: Exchange): Promise<void> {
  if (socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('close', done);
      socket.off('close', done);
      resolve();
    };
    response.once('close', done);
    socket.once('close', done);
  });
}
