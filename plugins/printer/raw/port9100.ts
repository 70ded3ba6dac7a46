/**
 * Raw ESC/POS on TCP port 9100, while a printer is bound. Bytes pass unchanged, except commands that could open the drawer
 * (codecs/escpos-stream.ts). connection.ts answers DLE EOT on the socket that sent it. One connection prints at a time; the others
 * wait with back-pressure.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { addressOf } from '../../../runtime/http/peer.ts';
import { OptionError } from '../../../runtime/kernel/errors.ts';
import type { Node, RunOptions } from '../../../runtime/kernel/node.ts';
import { RawConnection, type RawCounters } from './connection.ts';

/** One connection prints and 128 wait; of these, 32 of one address. */
const MAX_CONNECTIONS = 129;
const MAX_OF_ONE = 33;
/** TCP keep-alive: milliseconds before the first probe; then one a second, and the connection ends after ten (libuv). */
const PROBE_AFTER_MS = 5000;
/** Milliseconds between two attempts to listen on a port that another program uses. */
const RETRY_MS = 2000;
const LAST_PORT = 65_535;

/**
 * The port of the n-th printer endpoint; 0 for any free one. Throws an OptionError where there is none, or it is the port
 * of the HTTP front.
 */
function portOf({ port, ports: { raw = 0 } }: RunOptions, endpoint: string, n: number): number {
  if (raw === 0) return 0;
  const own = raw + n;
  if (own > LAST_PORT)
    throw new OptionError(
      `--raw-port ${raw}: each printer has the port after that of the one before, and ${endpoint} has none after ${LAST_PORT}`,
    );
  if (own === port)
    throw new OptionError(`--raw-port ${raw} gives the endpoint ${endpoint} port ${own}, which is that of --port`);
  return own;
}

/** The TCP port of one printer endpoint. */
export class Port9100 {
  readonly #node: Node;
  /** Name of the port among the listeners of the node: `raw`, and `raw:ENDPOINT` for the endpoints after the first. */
  readonly #name: string;
  readonly #endpoint: string;
  readonly #counters: RawCounters;
  readonly #open = new Set<RawConnection>();
  /** The port number. It stays the same also where any free port was asked for. */
  #port: number;
  #server: Server | undefined;
  #retry: NodeJS.Timeout | undefined;

  /**
   * `n`: index of the printer endpoint. Its port is `--raw-port` + n, or any free one where `--raw-port` is 0. Throws an
   * OptionError where the options leave it no port.
   */
  constructor(node: Node, endpoint: string, n: number, counters: RawCounters) {
    this.#node = node;
    this.#endpoint = endpoint;
    this.#name = n === 0 ? 'raw' : `raw:${endpoint}`;
    this.#counters = counters;
    this.#port = portOf(node.run, endpoint, n);
  }

  /** The port number while it accepts connections, else undefined. */
  get number(): number | undefined {
    return this.#node.listening.get(this.#name) === undefined ? undefined : this.#port;
  }

  /** Chooses the port and tests it: listens and closes again until `listen`. Rejects where another program uses it. */
  async reserve(): Promise<void> {
    const { listening, run } = this.#node;
    const server = createServer();
    const { port, text } = await listening.start(server, run.host, this.#port);
    server.close();
    this.#port = port;
    listening.reserved.set(this.#name, text);
  }

  /** Undoes `reserve`: `listen` does nothing until the port is reserved again. */
  giveUp(): void {
    this.#node.listening.reserved.delete(this.#name);
    this.stopListening();
    this.hangUp('write_failed');
  }

  /** Accepts connections, if the port is reserved; where another program uses it now, as soon as it is free. */
  async listen(): Promise<void> {
    const address = this.#node.listening.reserved.get(this.#name);
    if (address === undefined || this.#server !== undefined) return;
    const probes = { keepAlive: true, keepAliveInitialDelay: PROBE_AFTER_MS };
    const server = createServer({ allowHalfOpen: true, noDelay: true, ...probes }, (socket) => this.#accept(socket));
    this.#server = server;
    try {
      server.listen(this.#port, this.#node.run.host);
      // A server that is closed before it listens emits `close` alone.
      await Promise.race([once(server, 'listening'), once(server, 'close')]);
    } catch (error) {
      this.#node.log.warn({ address, error: String(error) }, `port ${this.#port} cannot be opened, and is tried again`);
      if (this.#server !== server) return;
      this.#server = undefined;
      this.#retry = setTimeout(() => void this.listen(), RETRY_MS);
      return;
    }
    server.on('error', (error) => this.#node.log.warn({ error: String(error) }, `no connection on port ${this.#port}`));
    // `stopListening` may have been called meanwhile.
    if (this.#server === server) this.#node.listening.set(this.#name, address);
    else server.close();
  }

  /** Accepts no more connections; open ones continue. */
  stopListening(): void {
    clearTimeout(this.#retry);
    this.#server?.close();
    this.#server = undefined;
    this.#node.listening.delete(this.#name);
  }

  /**
   * Resets every connection; bytes that are not printed yet are lost. With `graceMs`, connections get this many milliseconds
   * to end in order, so that no client takes a printed job for a failed one. `why`: a code of the error table.
   */
  hangUp(why: string, graceMs = 0): void {
    const cut = (connections: readonly RawConnection[]) => {
      for (const connection of connections) connection.cut(why);
    };
    const open = [...this.#open];
    // Some cannot end in order: what the printer still expects of them is stored soon.
    cut(graceMs === 0 ? open : open.filter(({ pausesInCommand }) => pausesInCommand));
    if (graceMs > 0) setTimeout(cut, graceMs, open).unref();
  }

  #accept(socket: Socket): void {
    this.#counters.connections += 1;
    const printer = this.#node.bound('printer', this.#endpoint);
    // A refused connection tells the client that nothing was printed.
    const from = addressOf(socket);
    if (printer === undefined || !this.#hasRoom(from)) {
      this.#counters.refused += 1;
      const refused = { kind: 'port9100', endpoint: this.#endpoint, from } as const;
      this.#node
        .offered('jobs')
        ?.begin(refused)
        .end({ error: printer === undefined ? 'no_printer' : 'no_slots' });
      socket.resetAndDestroy();
      return;
    }
    const connection = new RawConnection(socket, printer, this.#node, this.#endpoint, this.#counters);
    this.#open.add(connection);
    socket.once('close', () => this.#open.delete(connection));
  }

  /**
   * True where one more of this address fits. Where its places or those of all are taken, its own oldest idle connection is
   * closed for it, or the oldest idle one; else the last one that has printed nothing, of the address that has the most.
   */
  #hasRoom(address: string): boolean {
    const open = [...this.#open];
    const own = open.filter(({ from }) => from === address);
    if (own.length >= MAX_OF_ONE) return this.#close(own.find(({ idle }) => idle));
    if (open.length < MAX_CONNECTIONS) return true;
    return this.#close(open.find(({ idle }) => idle) ?? lastOfGreediest(open, own.length + 1));
  }

  /** Closes this connection for another one. False where there is none. */
  #close(connection: RawConnection | undefined): boolean {
    if (connection === undefined) return false;
    this.#open.delete(connection);
    connection.cut('no_slots');
    return true;
  }
}

/** The newest connection that has not printed yet, of the address that has the most; undefined where that is not over `least`. */
function lastOfGreediest(open: readonly RawConnection[], least: number): RawConnection | undefined {
  const byAddress = new Map<string, RawConnection[]>();
  for (const connection of open) {
    const own = byAddress.get(connection.from);
    if (own === undefined) byAddress.set(connection.from, [connection]);
    else own.push(connection);
  }
  const [most = []] = [...byAddress.values()].sort((a, b) => b.length - a.length);
  return most.length > least ? most.findLast(({ served }) => !served) : undefined;
}
