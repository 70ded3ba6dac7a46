/** Setup mode: the node's own Wi-Fi network, the page on it, and the slip that says how to get there. */
import type { RadioBinding, SeenNetwork } from '../../bindings/bindings.ts';
import { ensureDeviceId } from '../../kernel/device-id.ts';
import type { Node } from '../../kernel/node.ts';
import type { Portal } from './portal.ts';
import { portalPage } from './portal-page.ts';
import { ensureSetupKey } from './setup-key.ts';
import { slipLines } from './slip.ts';

/** The page asks for a new list of networks after this. */
const STALE_MS = 30_000;
const HTTP_PORT = 80;

export interface Trouble {
  readonly ssid: string;
  /** In words, for the page. */
  readonly reason: string;
}

export class SetupNetwork {
  readonly #node: Node;
  readonly #radio: RadioBinding;
  /** What the slip of the open network says; undefined while it is closed. */
  #slip: readonly object[] | undefined;
  #slipDue = true;
  #portal: Portal | undefined;
  #touchedAt = 0;
  #networks: readonly SeenNetwork[] = [];
  #scannedAt = Number.NEGATIVE_INFINITY;
  #scanning: Promise<void> | undefined;

  constructor(node: Node, radio: RadioBinding) {
    this.#node = node;
    this.#radio = radio;
  }

  /** What answers on the network; undefined while it is closed. */
  get portal(): Portal | undefined {
    return this.#portal;
  }

  /** How long nobody has asked the portal for anything. */
  get quietMs(): number {
    return performance.now() - this.#touchedAt;
  }

  /** Rejects with a RadioError. `trouble` is what brought the node back here. */
  async open(trouble: Trouble | undefined): Promise<void> {
    const { settings, run } = this.#node;
    const ssid = `tillnode-${await ensureDeviceId(settings)}`;
    const key = await ensureSetupKey(settings);
    // Many radios cannot look around once they are an access point.
    await this.#scan();
    const { address } = await this.#radio.openSetup({ ssid, password: key });
    this.#touchedAt = performance.now();
    const url = `http://${address}${run.port === HTTP_PORT ? '' : `:${run.port}`}/`;
    this.#slip = slipLines({ ssid, key, url });
    this.#portal = {
      address,
      touch: () => {
        this.#touchedAt = performance.now();
      },
      page: () => {
        void this.#scan();
        return portalPage({ node: ssid, networks: this.#networks, trouble });
      },
    };
    void this.print();
  }

  /** Harmless while it is closed. Never rejects. */
  async close(): Promise<void> {
    if (this.#slip === undefined) return;
    this.#slip = undefined;
    this.#portal = undefined;
    await this.#radio.leave().catch((error: unknown) => this.#node.log.warn({ error: String(error) }, 'setup left'));
  }

  /** One slip for as long as setup is wanted, however often the network is closed for another try; as soon as it can. */
  async print(): Promise<void> {
    const lines = this.#slip;
    if (lines === undefined || !this.#slipDue) return;
    this.#slipDue = false;
    // The key is for whoever stands before the box, not for readers of the diagnostic ring.
    this.#slipDue = !(await this.#node.unrecorded(() => this.#node.hooks.notice.promise(lines)));
  }

  /** Setup is over: the next time it is needed is a new one. */
  done(): void {
    this.#slipDue = true;
  }

  #scan(): Promise<void> {
    if (performance.now() - this.#scannedAt < STALE_MS) return Promise.resolve();
    this.#scanning ??= this.#radio
      .scan()
      .then(
        (networks) => {
          this.#networks = networks;
          this.#scannedAt = performance.now();
        },
        (error: unknown) => this.#node.log.debug({ error: String(error) }, 'no list of networks'),
      )
      .finally(() => {
        this.#scanning = undefined;
      });
    return this.#scanning;
  }
}
