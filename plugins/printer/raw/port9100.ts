/**
 * Raw ESC/POS on TCP 9100, while a printer is bound. Bytes pass through unchanged but for what could open the till
 * (codecs/escpos-stream.ts); DLE EOT is answered on the socket that asked; one connection prints at a time, the
 * others wait with back-pressure.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Node } from '../../../runtime/kernel/node.ts';
import { RawConnection, type RawCounters } from './connection.ts';

/** One holds the printer, 128 wait for it. */
const MAX_CONNECTIONS = 129;
/** A silent peer is probed after this, every second, and given up after ten probes (libuv). */
const PROBE_AFTER_MS = 5000;
/** Between two tries at a port that another program has taken meanwhile. */
const RETRY_MS = 2000;

export class Port9100 {
  readonly #node: Node;
  /** As what it listens: `raw`, and for the endpoints after the first `raw:ENDPOINT`. */
  readonly #name: string;
  readonly #endpoint: string;
  readonly #counters: RawCounters;
  readonly #open = new Set<RawConnection>();
  /** The number it keeps, also where any free one was asked for. */
  #port: number;
  #server: Server | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** The `n`-th printer of the node (from 0) has the `n`-th port from `--raw-port` on; any free one where that is 0. */
  constructor(node: Node, endpoint: string, n: number, counters: RawCounters) {
    this.#node = node;
    this.#endpoint = endpoint;
    this.#name = n === 0 ? 'raw' : `raw:${endpoint}`;
    this.#counters = counters;
    this.#port = node.run.rawPort === 0 ? 0 : node.run.rawPort + n;
  }

  /** While it takes connections. */
  get number(): number | undefined {
    return this.#node.listening.get(this.#name) === undefined ? undefined : this.#port;
  }

  /** Chooses the number and makes sure of it: listens, and lets go again until `listen`. Rejects where it is taken. */
  async reserve(): Promise<void> {
    const server = createServer();
    server.listen(this.#port, this.#node.run.host);
    await once(server, 'listening');
    const { address, port } = server.address() as AddressInfo;
    server.close();
    this.#port = port;
    this.#node.listening.reserved.set(this.#name, `${address.includes(':') ? `[${address}]` : address}:${port}`);
  }

  /** Not to be opened by any printer until it is reserved again. */
  giveUp(): void {
    this.#node.listening.reserved.delete(this.#name);
    this.stopListening();
    this.hangUp();
  }

  /** Takes connections, if the port is reserved. Where another program has it by now, as soon as it is free. */
  async listen(): Promise<void> {
    const address = this.#node.listening.reserved.get(this.#name);
    if (address === undefined || this.#server !== undefined) return;
    const probes = { keepAlive: true, keepAliveInitialDelay: PROBE_AFTER_MS };
    const server = createServer({ allowHalfOpen: true, noDelay: true, ...probes }, (socket) => this.#accept(socket));
    this.#server = server;
    try {
      server.listen(this.#port, this.#node.run.host);
      await once(server, 'listening');
    } catch (error) {
      this.#node.log.warn({ address, error: String(error) }, 'port 9100 cannot be opened, and is tried again');
      if (this.#server !== server) return;
      this.#server = undefined;
      this.#retry = setTimeout(() => void this.listen(), RETRY_MS);
      return;
    }
    server.on('error', (error) => this.#node.log.warn({ error: String(error) }, 'no connection on port 9100'));
    // It may have been told to stop meanwhile.
    if (this.#server === server) this.#node.listening.set(this.#name, address);
    else server.close();
  }

  /** Takes no more connections; those that are open go on. */
  stopListening(): void {
    clearTimeout(this.#retry);
    this.#server?.close();
    this.#server = undefined;
    this.#node.listening.delete(this.#name);
  }

  /**
   * Cuts every connection: what was sent and not printed will not be. Those with nothing unsent get `graceMs` to end in
   * order, so that no client takes a job that was printed for one that was not; the others are reset by their own failure.
   */
  hangUp(graceMs = 0): void {
    const open = [...this.#open];
    const cut = () => open.forEach((connection) => void connection.cut());
    if (graceMs === 0) cut();
    else setTimeout(cut, graceMs).unref();
  }

  #accept(socket: Socket): void {
    this.#counters.connections += 1;
    const printer = this.#node.bound('printer', this.#endpoint);
    // Nothing would come out, and what is not taken is not lost silently.
    if (printer === undefined || !this.#hasRoom()) {
      this.#counters.refused += 1;
      socket.resetAndDestroy();
      return;
    }
    const connection = new RawConnection(socket, printer, this.#node, this.#counters);
    this.#open.add(connection);
    socket.once('close', () => this.#open.delete(connection));
  }

  /** Who neither prints nor waits to does not keep others out: the one that came first of them goes. */
  #hasRoom(): boolean {
    if (this.#open.size < MAX_CONNECTIONS) return true;
    for (const connection of this.#open) {
      if (!connection.idle) continue;
      this.#open.delete(connection);
      connection.cut();
      return true;
    }
    return false;
  }
}
