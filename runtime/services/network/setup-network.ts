/** Setup mode: the node's own Wi-Fi network, its portal, and the printed notice that says how to join it. */
import type { Language } from '../../base/language.ts';
import type { RadioBinding, SeenNetwork } from '../../bindings/network.ts';
import type { Node } from '../../kernel/node.ts';
import { type FixedAddress, faultWords } from './fixed-address.ts';
import type { Portal } from './portal.ts';
import { portalPage } from './portal-page.ts';
import { type SetupTrouble, troubleWords } from './reason.ts';
import { ensureSetupKey, makeKey } from './setup-key.ts';
import { slipLines } from './slip.ts';
import { pageUrl } from './url.ts';

/** Age from which the list of networks is scanned again when the page is requested. */
const STALE_MS = 30_000;

/** The setup network of a node; opened and closed by the connection. */
export class SetupNetwork {
  readonly #node: Node;
  readonly #radio: RadioBinding;
  readonly #fixed: FixedAddress;
  /** Passphrase of a node that has none stored. */
  readonly #newKey = makeKey();
  /** Lines of the notice; undefined while the network is closed. */
  #slip: readonly object[] | undefined;
  #slipDue = true;
  #portal: Portal | undefined;
  #touchedAt = 0;
  #networks: readonly SeenNetwork[] = [];
  #scannedAt = Number.NEGATIVE_INFINITY;
  #scanning: Promise<void> | undefined;

  constructor(node: Node, radio: RadioBinding, fixed: FixedAddress) {
    this.#node = node;
    this.#radio = radio;
    this.#fixed = fixed;
  }

  /** The portal; undefined while the network is closed. */
  get portal(): Portal | undefined {
    return this.#portal;
  }

  /** Time since the last request to the portal, in milliseconds. */
  get quietMs(): number {
    return performance.now() - this.#touchedAt;
  }

  /**
   * Opens the network and prints the notice, if it is due. `trouble` is on both. Rejects with a RadioError.
   */
  async open(trouble: SetupTrouble | undefined): Promise<void> {
    const { deviceId, image, settings } = this.#node;
    const ssid = `tillnode-${deviceId}`;
    const key = await ensureSetupKey(settings, this.#newKey);
    // Many radios cannot scan while they are an access point.
    await this.#scan();
    const { address } = await this.#radio.openSetup({ ssid, password: key });
    this.#touchedAt = performance.now();
    const url = pageUrl(this.#node, address);
    const because = (language: Language) =>
      [trouble && troubleWords(trouble, language), faultWords(this.#fixed, language)].flatMap((words) => words ?? []);
    this.#slip = slipLines({ ssid, key, url, because }, image.language);
    this.#portal = {
      address,
      touch: () => {
        this.#touchedAt = performance.now();
      },
      page: (language) => {
        void this.#scan();
        return portalPage({
          language,
          node: ssid,
          url,
          hostUrl: pageUrl(this.#node, `node-${deviceId}.local`),
          networks: this.#networks,
          trouble,
          fixed: settings.read('ipv4')?.address,
          fault: faultWords(this.#fixed, language),
        });
      },
    };
    void this.print();
  }

  /** Closes the network; does nothing if it is closed. Never rejects. */
  async close(): Promise<void> {
    if (this.#slip === undefined) return;
    this.#slip = undefined;
    this.#portal = undefined;
    await this.#radio
      .leave()
      .catch((error: unknown) => this.#node.log.warn({ error: String(error) }, 'setup not closed'));
  }

  /** Prints the notice if it is due: once while setup is needed, however often the network is closed for an attempt. */
  async print(): Promise<void> {
    const lines = this.#slip;
    if (lines === undefined || !this.#slipDue) return;
    this.#slipDue = false;
    // The key must not be readable in the diagnostic ring.
    this.#slipDue = !(await this.#node.unrecorded(() => this.#node.hooks.notice.promise(lines)));
  }

  /** Resolves when the radio does not look for networks, at once if it does not now; never rejects. */
  async searched(): Promise<void> {
    await this.#scanning;
  }

  /** The networks in range: searched for, unless the setup network is open, which the radio would leave for that. */
  async known(): Promise<readonly SeenNetwork[]> {
    if (this.#portal === undefined) await this.#scan();
    return this.#networks;
  }

  /** Setup is no longer needed: the next time, a notice is due again. */
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
