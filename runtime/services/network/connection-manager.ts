/**
 * Keeps the node on a network: cable, Wi-Fi, or its own setup network, in that order (specification 3.5). A loop of
 * rounds, one after the other, so that the radio never gets two commands at once. An order (new credentials, forget,
 * stop) ends the current round, and the next one reads the settings again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Ipv4Settings, NetworkState, RadioBinding, RadioFault } from '../../bindings/bindings.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { AddressSlip } from './address-slip.ts';
import { Bell } from './bell.ts';
import { attendGateway } from './gateway.ts';
import { faultOf, reasonOf } from './join-faults.ts';
import type { Portal } from './portal.ts';
import { SetupNetwork, type Trouble } from './setup-network.ts';
import { TIMINGS, type Timings } from './timings.ts';
import { forgetWifi, isSame, proveWifi, type StoredWifi, storeWifi } from './wifi-credentials.ts';

const OFFLINE: NetworkState = { mode: 'offline', mac: '' };

/** What the node attempts while it is not on a network and its setup network is not open. */
export interface Trying {
  readonly to: 'join' | 'open_setup';
  /** The network to join. */
  readonly ssid?: string;
  /** Number of attempts in succession without success, from 1. */
  readonly attempt: number;
  /** Fault of the last attempt that ended. */
  readonly lastFault?: RadioFault;
}

/** The loop. `start` begins it, `stop` ends it; other methods store settings and give orders. */
export class Connection {
  readonly #node: Node;
  readonly #radio: RadioBinding;
  readonly #timings: Timings;
  readonly #ipv4: Ipv4Settings | undefined;
  readonly #setup: SetupNetwork;
  readonly #addressSlip: AddressSlip;
  /** Rung when the network state may have changed, or when there is an order. */
  readonly #news = new Bell();
  #turn = new AbortController();
  #live: Promise<void> | undefined;
  #stopped = false;
  /** Join again, even if the node is on a network of that name. */
  #anew = false;
  /** Setup was closed for one attempt to join. */
  #onceMore = false;
  #trouble: Trouble | undefined;
  /** New credentials are stored; the order waits until the response has been sent. */
  #pending: NodeJS.Timeout | undefined;
  #joining: StoredWifi | undefined;
  #attempts = { join: 0, open_setup: 0 };
  #trying: Trying | undefined;

  /** `ipv4`: the settings of this boot; undefined is DHCP. */
  constructor(node: Node, radio: RadioBinding, ipv4: Ipv4Settings | undefined, timings: Partial<Timings> = {}) {
    this.#node = node;
    this.#radio = radio;
    this.#ipv4 = ipv4;
    this.#timings = { ...TIMINGS, ...timings };
    this.#setup = new SetupNetwork(node, radio);
    this.#addressSlip = new AddressSlip(node, radio);
  }

  start(): void {
    const unwatch = this.#radio.watch(() => this.#news.ring());
    this.#live = this.#run()
      .catch((error: unknown) => this.#node.log.error({ error: String(error) }, 'network given up'))
      .finally(unwatch);
  }

  /** Closes the setup network. A Wi-Fi connection stays for the next start; it ends when the machine restarts. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#order();
    // A join in progress cannot be aborted, and is not waited for.
    await Promise.race([this.#live, delay(this.#timings.stopMs, undefined, { ref: false })]);
  }

  /** The portal on the setup network; undefined while that is closed. */
  get portal(): Portal | undefined {
    return this.#setup.portal;
  }

  /** The current attempt; undefined while the node is on a network or its setup network is open. */
  get trying(): Trying | undefined {
    return this.#trying;
  }

  /**
   * Stores credentials, and joins a second after that, so that the response is still sent over the current network.
   * Rejects with `save_failed`, and stores nothing, if they cannot be stored or no join is possible.
   */
  async provision(wifi: Omit<StoredWifi, 'proven'>): Promise<void> {
    // A radio that looks for networks leaves its channel: whoever asked would not get the response.
    await this.#setup.searched();
    await this.#radio.usable().catch((error: unknown) => {
      this.#node.log.warn({ error: String(error) }, 'no join is possible');
      throw new ApiError('save_failed', `nothing is stored: ${reasonOf(error)}`);
    });
    await storeWifi(this.#node.settings, wifi);
    // The same request twice: starting again would interrupt the join that is in progress.
    if (this.#joining !== undefined && isSame(this.#joining, wifi) && this.#joining.band === wifi.band) return;
    clearTimeout(this.#pending);
    this.#pending = setTimeout(() => this.#order(), this.#timings.answerMs).unref();
  }

  /** Removes the stored credentials and leaves their network. Rejects with `persist_failed`. */
  async forget(): Promise<void> {
    await forgetWifi(this.#node.settings);
    this.#order();
  }

  /** Prints the notice that is due, if one is. To call when a printer was connected. */
  printSlip(): void {
    void this.#setup.print();
    void this.#addressSlip.print();
  }

  #order(): void {
    clearTimeout(this.#pending);
    this.#pending = undefined;
    this.#anew = true;
    this.#attempts = { join: 0, open_setup: 0 };
    this.#onceMore = false;
    this.#trouble = undefined;
    this.#setup.done();
    this.#turn.abort();
    this.#news.ring();
  }

  async #run(): Promise<void> {
    const { settings } = this.#node;
    await this.#attempt('cable not set up', () => this.#radio.wire(this.#ipv4));
    if (settings.read('wifi') === undefined) await this.#isLost(({ mode }) => mode === 'ethernet');
    while (!this.#stopped) {
      // This round uses the new credentials anyway: a later order would interrupt the join with them.
      if (this.#pending !== undefined) this.#order();
      this.#turn = new AbortController();
      await this.#take(settings.read('wifi'));
    }
  }

  async #take(wifi: StoredWifi | undefined): Promise<void> {
    if (await this.#isWired()) {
      // Only one interface at a time, as a static address must not be on two.
      await this.#attempt('Wi-Fi not left', () => this.#radio.leave());
      void this.#addressSlip.print();
      return this.#stay(({ mode }) => mode === 'ethernet');
    }
    if (wifi !== undefined && (await this.#join(wifi))) {
      this.#setup.done();
      return this.#stay(({ mode, ssid }) => mode === 'station' && ssid === wifi.ssid);
    }
    if (this.#over || (await this.#isWired())) return;
    await this.#openSetup(wifi);
  }

  get #over(): boolean {
    return this.#stopped || this.#turn.signal.aborted;
  }

  /** True when the node has joined; false after about `healMs`, after an order, or if a cable is connected. */
  async #join(wifi: StoredWifi): Promise<boolean> {
    const { healMs, backOffMs } = this.#timings;
    if (!this.#anew && this.#isOn(wifi, await this.#read())) return true;
    this.#anew = false;
    const deadline = performance.now() + (this.#onceMore ? 0 : healMs);
    this.#onceMore = false;
    for (let attempt = 0; ; attempt++) {
      const began = performance.now();
      if (await this.#tryJoin(wifi)) return !this.#over;
      const pause = backOffMs[Math.min(attempt, backOffMs.length - 1)] ?? 0;
      // Attempts are not cut short: the loop ends as close to the deadline as whole attempts allow.
      if (performance.now() + pause + (performance.now() - began) / 2 >= deadline) return false;
      await this.#pause(pause);
      if (this.#over || (await this.#isWired())) return false;
    }
  }

  async #tryJoin(wifi: StoredWifi): Promise<boolean> {
    const { log, settings } = this.#node;
    const { ssid, password, band } = wifi;
    const attempt = this.#begin('join', ssid);
    this.#joining = wifi;
    try {
      await this.#radio.join({ ssid, password, band }, this.#ipv4);
    } catch (error) {
      if (!this.#over) this.#trouble = { ssid, reason: reasonOf(error) };
      this.#failed(error);
      log.warn({ ssid, attempt, error: String(error) }, 'not joined');
      return false;
    } finally {
      this.#joining = undefined;
    }
    this.#trouble = undefined;
    log.info({ ssid, attempt }, 'joined');
    if (!wifi.proven) await this.#attempt('not noted as proven', () => proveWifi(settings, wifi));
    return true;
  }

  /** Whether the node is connected as configured: after a restart of the node alone, the connection is kept. */
  #isOn(wifi: StoredWifi, { mode, ssid, ipv4 }: NetworkState): boolean {
    if (mode !== 'station' || ssid !== wifi.ssid || ipv4 === undefined) return false;
    return this.#ipv4 === undefined ? ipv4.method === 'dhcp' : ipv4.address === this.#ipv4.address;
  }

  /** Waits while the node is on that network. */
  async #stay(isOn: (state: NetworkState) => boolean): Promise<void> {
    this.#arrived();
    const left = new AbortController();
    void this.#attempt('no address by DHCP', () =>
      attendGateway(this.#radio, this.#ipv4?.gateway, this.#timings, left.signal),
    );
    while (!this.#over) {
      await this.#news.wait();
      if (await this.#isLost(isOn)) break;
    }
    left.abort();
  }

  async #openSetup(wifi: StoredWifi | undefined): Promise<void> {
    const { quietMs, reopenMs } = this.#timings;
    const attempt = this.#begin('open_setup');
    try {
      await this.#setup.open(this.#trouble);
    } catch (error) {
      this.#failed(error);
      this.#node.log.warn({ attempt, error: String(error) }, 'setup not opened');
      // Setup is needed; stored credentials get one attempt before it is tried again.
      this.#onceMore = true;
      return this.#pause(reopenMs[Math.min(attempt, reopenMs.length) - 1] ?? 0);
    }
    this.#node.log.info({ attempt }, 'setup open');
    this.#arrived();
    while (!this.#over) {
      await this.#news.wait(wifi?.proven ? Math.max(1, quietMs - this.#setup.quietMs) : undefined);
      if (await this.#isLost(({ mode }) => mode === 'setup')) break;
      if (wifi?.proven && this.#setup.quietMs >= quietMs) {
        this.#onceMore = true;
        break;
      }
    }
    await this.#setup.close();
  }

  /** True if `isOn` is false for `settleMs`, or if there is an order. */
  async #isLost(isOn: (state: NetworkState) => boolean): Promise<boolean> {
    const until = performance.now() + this.#timings.settleMs;
    while (!this.#over) {
      // On a busy machine one read may take longer than `settleMs`: then there is still a second one.
      const isLast = performance.now() >= until;
      if (isOn(await this.#read())) return false;
      if (isLast) return true;
      await this.#news.wait(Math.max(0, until - performance.now()));
    }
    return true;
  }

  /** Counts an attempt and returns its number. */
  #begin(to: Trying['to'], ssid?: string): number {
    this.#attempts[to] += 1;
    const attempt = this.#attempts[to];
    const lastFault = this.#trying?.lastFault;
    this.#trying = { to, attempt, ...(ssid !== undefined && { ssid }), ...(lastFault !== undefined && { lastFault }) };
    return attempt;
  }

  #failed(error: unknown): void {
    if (this.#trying !== undefined) this.#trying = { ...this.#trying, lastFault: faultOf(error) };
  }

  #arrived(): void {
    this.#attempts = { join: 0, open_setup: 0 };
    this.#trying = undefined;
  }

  async #isWired(): Promise<boolean> {
    return (await this.#read()).mode === 'ethernet';
  }

  #read(): Promise<NetworkState> {
    return this.#radio.read().catch(() => OFFLINE);
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#turn.signal }).catch(() => {});
  }

  async #attempt(failure: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, failure);
    }
  }
}
