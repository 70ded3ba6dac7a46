import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** How often another free port is asked for. */
const ATTEMPTS = 10;

/** Where a server listens. `text`: HOST:PORT, an IPv6 address in brackets. */
export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
  readonly text: string;
}

/** The addresses the node listens on, as HOST:PORT, by name (`http`, `raw`). Calls `changed` after each change. */
export class Listening extends Map<string, string> {
  /**
   * Addresses (HOST:PORT) of listeners that are not open all the time, by name: where each listens while it is open.
   */
  readonly reserved = new Map<string, string>();
  readonly #changed: () => void;
  #waiting: (() => void)[] = [];

  constructor(changed: () => void) {
    super();
    this.#changed = changed;
  }

  override set(name: string, address: string): this {
    const before = this.get(name);
    super.set(name, address);
    if (before !== address) this.#changed();
    for (const look of this.#waiting) look();
    return this;
  }

  /** Resolves as soon as every reserved listener is open; does not while one is closed, as without its device. */
  opened(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (![...this.reserved.keys()].every((name) => this.has(name))) return;
        this.#waiting = this.#waiting.filter((each) => each !== look);
        resolve();
      };
      this.#waiting.push(look);
      look();
    });
  }

  /**
   * Lets a server listen. Where any free port will do (`port` 0), it is none that is reserved: that one has to be free when its
   * listener opens. Rejects if another program uses the port.
   */
  async start(server: Server, host: string, port: number): Promise<ListeningAddress> {
    for (let attempt = 1; ; attempt += 1) {
      server.listen({ host, port });
      await once(server, 'listening');
      const address = addressOf(server);
      if (port !== 0 || attempt === ATTEMPTS || ![...this.reserved.values()].includes(address.text)) return address;
      server.close();
      await once(server, 'close');
    }
  }

  override delete(name: string): boolean {
    const was = super.delete(name);
    if (was) this.#changed();
    return was;
  }
}

function addressOf(server: Server): ListeningAddress {
  const { address: host, port } = server.address() as AddressInfo;
  return { host, port, text: `${host.includes(':') ? `[${host}]` : host}:${port}` };
}
