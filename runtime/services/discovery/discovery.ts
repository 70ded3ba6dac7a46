/** Keeps the responder's data up to date: the node's links, ports, name and compatibility profile. */

import { isDeepStrictEqual } from 'node:util';
import { backoff } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import { isLoopback } from '../../base/loopback.ts';
import { messageOf } from '../../base/thrown.ts';
import { createTurns, NOTHING } from '../../base/turns.ts';
import { servedLinks } from '../../bindings/served-links.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import type { CustomProfile, DiscoveryOffer, DiscoveryStatus, PrinterService } from './contract.ts';
import { type Identity, identitiesOf, type PrinterPort } from './identity.ts';
import { Responder } from './responder.ts';
import type { OpenWire } from './wire.ts';

/** The two configuration keys of this room. */
export interface ProfileConfig {
  readonly profile: string;
  readonly customProfile: CustomProfile;
}

/**
 * Time limit for a switch of profiles. Three probes take less than 1 s; this allows for three names that are in use.
 */
const SWITCH_MS = 5000;
/** Changes within this time are announced together: a new link and its addresses, several listeners at start. */
const TOGETHER_MS = 50;
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

interface DiscoveryParts {
  readonly open: OpenWire;
  readonly services: DiscoveryOffer['services'];
  readonly doubled: DiscoveryOffer['doubled'];
  readonly switchMs?: number;
}

/** Drives one responder from the state of the node. `refresh` starts it. */
export class Discovery {
  readonly #node: Node;
  readonly #services: DiscoveryOffer['services'];
  readonly #switchMs: number;
  readonly #responder: Responder;
  #config: ProfileConfig;
  readonly #inTurn = createTurns();
  #timer: NodeJS.Timeout | undefined;
  #retries = 0;
  #unwatch: () => void = () => {};
  #stopped = false;

  constructor(node: Node, { open, services, doubled, switchMs = SWITCH_MS }: DiscoveryParts) {
    this.#node = node;
    this.#services = services;
    this.#switchMs = switchMs;
    this.#config = { profile: node.config.get('profile'), customProfile: node.config.get('customProfile') };
    this.#responder = new Responder({
      open,
      hostLabel: `node-${node.deviceId}`,
      onHostName: (name) => {
        if (name === undefined) node.listening.delete('mdns');
        else node.listening.set('mdns', name);
      },
      onDouble: ({ address, isThere }) => doubled.call(address, isThere),
    });
    if (!isLoopback(node.run.host)) this.#unwatch = node.bindings.links.watch(() => this.refresh());
  }

  /** To call when links, ports, names or the profile may have changed; updates the responder after `delayMs`. */
  refresh(delayMs = TOGETHER_MS): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#inTurn(() => this.#refresh()).catch((error) => this.#warn(error));
    }, delayMs);
  }

  /**
   * Switches to another profile; resolves when it is announced. If that fails, the old profile is announced again and
   * the call rejects with the ApiError `profile_switch_failed`, or with `profile_rollback_failed` if that fails, too,
   * or if this call itself was the rollback to the configured profile.
   */
  async switchTo(next: ProfileConfig): Promise<void> {
    const previous = this.#config;
    if (isDeepStrictEqual(this.#identities(next), this.#identities(previous))) {
      this.#config = next;
      return;
    }
    const { config } = this.#node;
    const isWayBack =
      config.get('profile') === next.profile && isDeepStrictEqual(config.get('customProfile'), next.customProfile);
    try {
      await this.#become(next);
    } catch (error) {
      this.#warn(error);
      const restored = isWayBack
        ? false
        : await this.#become(previous).then(
            () => true,
            () => false,
          );
      throw new ApiError(restored ? 'profile_switch_failed' : 'profile_rollback_failed');
    }
  }

  /** The block `discovery` of GET /status. */
  status(): DiscoveryStatus {
    const { state, name, instances, since } = this.#responder.standing;
    const [instance] = instances;
    const printers = this.#printers().flatMap(({ endpoint, port }, n) => {
      const found = instances[n];
      return port === undefined || found === undefined ? [] : [{ endpoint, instance: found, port }];
    });
    return {
      state,
      name,
      ...defined({ instance }),
      ...(this.#printers().length > 1 && { printers }),
      since: Math.round(performance.now() - since),
    };
  }

  /** As DiscoveryOffer has it. */
  instanceOf(endpoint: string): string | undefined {
    const n = this.#node.endpoints('printer').findIndex(({ declaration: { id } }) => id === endpoint);
    return this.#responder.standing.instances[n];
  }

  /** Sends goodbye packets and closes the sockets. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#unwatch();
    await this.#inTurn(NOTHING);
    await this.#responder.stop();
  }

  async #refresh(): Promise<void> {
    if (this.#stopped) return;
    const { bindings, run } = this.#node;
    const identities = this.#identities(this.#config);
    const links = identities.every(({ offers }) => offers.length === 0)
      ? []
      : servedLinks(run.host, bindings.links.list());
    const whole = await this.#responder.use(links);
    this.#retries = whole ? 0 : this.#retries + 1;
    if (!whole) this.refresh(backoff(this.#retries, RETRY_MS, LONGEST_RETRY_MS));
    this.#responder.show(...identities).catch((error) => this.#warn(error));
  }

  async #become(config: ProfileConfig): Promise<void> {
    this.#config = config;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no name could be claimed in time')), this.#switchMs);
    });
    try {
      await Promise.race([this.#responder.show(...this.#identities(config)), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #identities(config: ProfileConfig): Identity[] {
    const { settings } = this.#node;
    return identitiesOf({
      ...config,
      deviceId: this.#node.deviceId,
      note: settings.read('name'),
      hostName: this.#responder.standing.name,
      httpPort: this.#portOf('http'),
      printers: this.#printers(),
    });
  }

  /** The printer endpoints of the image; the printer room listens as `raw` for the first, as `raw:ENDPOINT` for others. */
  #printers(): PrinterPort[] {
    return this.#node.endpoints('printer').map(({ declaration: { id } }, n) => {
      const services: PrinterService[] = [];
      this.#services.call(services, id);
      return { endpoint: id, port: this.#portOf(n === 0 ? 'raw' : `raw:${id}`), services };
    });
  }

  #portOf(listener: string): number | undefined {
    const address = this.#node.listening.get(listener);
    return address === undefined ? undefined : Number(address.slice(address.lastIndexOf(':') + 1));
  }

  #warn(error: unknown): void {
    this.#node.log.warn({ error: messageOf(error) }, 'not announced');
  }
}
