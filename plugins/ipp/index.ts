/**
 * The IPP room: an IPP Everywhere and AirPrint printer in front of each printer endpoint, on a port of its own. It has no device:
 * what it prints goes through the job of the printer room.
 */

import { messageOf } from '../../runtime/base/thrown.ts';
import { createTurns } from '../../runtime/base/turns.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import type { PrinterService } from '../../runtime/services/discovery/contract.ts';
import { Ipp, IppStatus } from './contract.ts';
import { DocumentMemory } from './memory.ts';
import { Printers } from './printers.ts';
import { type IppServer, listen } from './server.ts';

/** Name of the port among the listeners of the node. */
const LISTENER = 'ipp';
/** Memory for documents of all printers, in bytes. */
const MEMORY = 12 * 1024 * 1024;
/** Milliseconds between two attempts to listen on a port that another program uses. */
const RETRY_MS = 5000;

/** The room in a node that has a port for it. */
class Room {
  readonly #node: Node;
  readonly #inTurn = createTurns();
  #server: IppServer | undefined;
  #printers: Printers | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** True once the log says that the port is in use. */
  #told = false;
  #ended = false;

  constructor(node: Node) {
    this.#node = node;
  }

  /** Listens, or stops, as the configuration says. Never rejects. */
  settle(): Promise<void> {
    return this.#inTurn(() => this.#settle());
  }

  async stop(): Promise<void> {
    this.#ended = true;
    this.#printers?.stop();
    await this.settle();
  }

  wake(): void {
    this.#printers?.wake();
  }

  /** A printer came or went. */
  changed(): void {
    this.wake();
    if (this.#server !== undefined) this.#node.hooks.presence.call();
  }

  /** How the printer of an endpoint is found, while it answers and takes jobs. */
  services(endpoint: string): PrinterService[] {
    const txt = this.#printers?.txtOf(endpoint);
    return this.#server === undefined || txt === undefined
      ? []
      : [{ type: '_ipp._tcp', subtypes: ['_universal', '_print'], port: this.#server.port, txt }];
  }

  status(): object {
    const printers = this.#printers?.status() ?? [];
    return { ...(this.#server !== undefined && { port: this.#server.port }), printers };
  }

  get #isWanted(): boolean {
    const { config, run } = this.#node;
    // A variant may have no port for IPP.
    return (
      run.ports[LISTENER] !== undefined &&
      !this.#ended &&
      config.get('ipp').enabled &&
      config.get('apiMode') !== 'strict'
    );
  }

  async #settle(): Promise<void> {
    clearTimeout(this.#retry);
    const { listening, run } = this.#node;
    if (!this.#isWanted) {
      const server = this.#server;
      this.#server = undefined;
      listening.delete(LISTENER);
      listening.reserved.delete(LISTENER);
      await server?.close();
    } else if (this.#server === undefined) {
      this.#printers ??= new Printers(this.#node, new DocumentMemory(MEMORY));
      const printers = this.#printers;
      try {
        const find = (path: string, host: string) => printers.find(path, host);
        this.#server = await listen(this.#node, run.ports[LISTENER] ?? 0, find);
        this.#told = false;
        listening.reserved.set(LISTENER, this.#server.text);
        listening.set(LISTENER, this.#server.text);
      } catch (error) {
        if (!this.#told)
          this.#node.log.warn({ error: messageOf(error) }, 'the port of IPP cannot be opened, and is tried again');
        this.#told = true;
        this.#retry = setTimeout(() => void this.settle(), RETRY_MS).unref();
      }
    }
  }
}

export default definePlugin({
  name: 'ipp',
  api: 2,
  requires: ['printer'],
  config: [
    {
      key: 'ipp',
      schema: Ipp,
      default: { enabled: false },
      defaultIn: ({ variant }) => ({ enabled: variant === 'twin' }),
    },
  ],
  status: IppStatus,
  room(node) {
    const room = new Room(node);
    const { hooks } = node;
    hooks.start.tapPromise('ipp', () => room.settle());
    hooks.configured.tap('ipp', ({ key }) => {
      if (key === 'ipp' || key === 'apiMode') void room.settle();
    });
    hooks.attach.tap('ipp', () => room.changed());
    hooks.detach.tap('ipp', () => room.changed());
    node
      .offered('discovery')
      ?.services.tap('ipp', (services, endpoint) => void services.push(...room.services(endpoint)));
    hooks.event.tap('ipp', ({ type }) => {
      if (type === 'printer_status') room.wake();
    });
    hooks.status.tap('ipp', (draft) => {
      draft['ipp'] = room.status();
    });
    // Before the printer room, which prints these jobs, releases its printers.
    hooks.stop.tapPromise({ name: 'ipp', stage: 10 }, () => room.stop());
  },
});
