/** The connections of the server: silent ones give way, by the address that they come from. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { sourceOf } from '../sign-in/attempts.ts';

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

/** Which connections are open, which owe a request, and which are closed where there is no room for others. */
export class Sockets {
  /** Connections from which no whole request has come, by their source, the oldest first. */
  readonly #silent = new Map<string, Set<Socket>>();
  /** Connections whose requests are answered, the longest idle first. */
  readonly #idle = new Set<Socket>();
  readonly #most: number;
  #count = 0;

  /** `most`: connections in all. */
  constructor(server: Server, most = MOST) {
    this.#most = most;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('request', (request, response) => this.#begin(request, response));
  }

  /** The rest of its request is waited for, and its connection gives way to no other meanwhile. */
  readonly admit = ({ socket }: IncomingMessage): void => this.#admit(socket);

  #admit(socket: Socket): void {
    const source = sourceOf(socket.remoteAddress ?? '');
    this.#silent.get(source)?.delete(socket);
    if (this.#silent.get(source)?.size === 0) this.#silent.delete(source);
    this.#idle.delete(socket);
  }

  #accept(socket: Socket): void {
    if (this.#count >= this.#most && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const source = sourceOf(socket.remoteAddress ?? '');
    const those = this.#silent.get(source) ?? new Set();
    this.#silent.set(source, those.add(socket));
    this.#count += 1;
    socket.once('close', () => {
      this.#count -= 1;
      this.#idle.delete(socket);
      those.delete(socket);
      if (those.size === 0 && this.#silent.get(source) === those) this.#silent.delete(source);
    });
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    // Without a body, nothing more is owed; nobody reads its end.
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) this.#admit(socket);
    else request.once('end', () => this.#admit(socket));
    response.once('close', () => {
      // Who was refused before he had sent all owes the rest.
      if (!request.complete) return;
      this.#admit(socket);
      if (!socket.destroyed) this.#idle.add(socket);
    });
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
