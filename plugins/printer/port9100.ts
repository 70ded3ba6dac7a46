/**
 * Raw ESC/POS on TCP 9100. Bytes pass through unchanged but for what could open the till
 * (codecs/escpos-stream.ts); DLE EOT is answered on the socket that asked; one connection prints at a time, the
 * others wait with back-pressure.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Kernel } from '../../runtime/kernel/kernel.ts';
import type { Printer } from './printer.ts';
import { RawConnection } from './raw-connection.ts';

const MAX_CONNECTIONS = 256;
/** A silent peer is probed after this, every second, and given up after ten probes (libuv). */
const PROBE_AFTER_MS = 5000;

export interface RawCounters {
  connections: number;
  bytes: number;
  pulsesDropped: number;
  realtimeDropped: number;
  refused: number;
}

export class Port9100 {
  readonly counters: RawCounters = { connections: 0, bytes: 0, pulsesDropped: 0, realtimeDropped: 0, refused: 0 };
  readonly #kernel: Kernel;
  readonly #printer: () => Printer | undefined;
  readonly #open = new Set<Socket>();
  #server: Server | undefined;

  constructor(kernel: Kernel, printer: () => Printer | undefined) {
    this.#kernel = kernel;
    this.#printer = printer;
  }

  /** Resolves with HOST:PORT once it listens. */
  async listen(host: string, port: number): Promise<string> {
    const probes = { keepAlive: true, keepAliveInitialDelay: PROBE_AFTER_MS };
    const server = createServer({ allowHalfOpen: true, noDelay: true, ...probes }, (socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#server = server;
    const { address, port: taken } = server.address() as AddressInfo;
    return `${address.includes(':') ? `[${address}]` : address}:${taken}`;
  }

  /** Takes no more connections; those that are open go on. */
  stopListening(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /**
   * Cuts every connection: what was sent and not printed will not be. Those with nothing unsent get `graceMs` to end in
   * order, so that no client takes a job that was printed for one that was not; the others are reset by their own failure.
   */
  hangUp(graceMs = 0): void {
    const open = [...this.#open];
    const cut = () => open.forEach((socket) => void socket.resetAndDestroy());
    if (graceMs === 0) cut();
    else setTimeout(cut, graceMs).unref();
  }

  #accept(socket: Socket): void {
    this.counters.connections += 1;
    const printer = this.#printer();
    // Nothing would come out, and what is not taken is not lost silently.
    if (printer === undefined || this.#open.size >= MAX_CONNECTIONS) {
      socket.resetAndDestroy();
      return;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    new RawConnection(socket, printer, this.#kernel, this.counters);
  }
}
