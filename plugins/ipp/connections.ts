/** The connections of the listener: a client that comes finds a place, however many others hold. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Claim, whoGivesWay } from '../../runtime/http/connection.ts';
import { LoopTurns } from '../../runtime/http/loop-turns.ts';
import { addressOf } from '../../runtime/http/peer.ts';
import { readInPieces } from '../../runtime/http/pieces.ts';

/** Connections at once. */
const CONNECTIONS = 64;
/** An answer that is not read for so long ends its connection. */
const UNREAD_MS = 20_000;

type Connection = Claim & { last: Claim['last']; served: Claim['served'] };

/** Counts the connections of a server. Where all places are taken, one gives way as at the API: of the client that has most. */
export class Connections {
  /** Oldest first. */
  readonly #open = new Map<Socket, Connection>();
  readonly #turns = new LoopTurns();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#accept(socket));
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.last = connection.served = { request, response };
  }

  #accept(socket: Socket): void {
    const address = addressOf(socket);
    if (this.#open.size >= CONNECTIONS) {
      const out = whoGivesWay([...this.#open.values()], address);
      const [given] = [...this.#open].find(([, each]) => each === out) ?? [];
      if (given === undefined) {
        socket.resetAndDestroy();
        return;
      }
      this.#open.delete(given);
      given.resetAndDestroy();
    }
    const connection: Connection = { address, last: undefined, served: undefined };
    this.#open.set(socket, connection);
    readInPieces(socket, { mayRead: () => true, last: () => connection.last?.request, turns: this.#turns });
    socket.once('close', () => this.#open.delete(socket));
  }
}

/** The answer has been given to the connection: one that nobody reads ends it. */
export function expectReader({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.writableFinished) return;
  const unread = setTimeout(() => socket.destroy(), UNREAD_MS).unref();
  for (const emitter of [response, socket]) emitter.once('close', () => clearTimeout(unread));
}
