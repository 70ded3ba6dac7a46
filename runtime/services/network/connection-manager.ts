/**
 * Keeps the node on a network: cable, Wi-Fi, or its own setup network, in that order (specification 3.5). A loop of
 * rounds, one after the other, so that the radio never gets two commands at once. An order (new credentials, forget,
 * stop) ends the current round, and the next one reads the settings again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { defined } from '../../base/defined.ts';
import type { Language } from '../../base/language.ts';
import type { Ipv4Settings, NetworkState, RadioBinding, SeenNetwork, WifiCredentials } from '../../bindings/network.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { Bell } from './bell.ts';
import { FixedAddress } from './fixed-address.ts';
import { HereSlip } from './here-slip.ts';
import { radioFaultOf } from './join-faults.ts';
import { Lan } from './lan.ts';
import type { Portal } from './portal.ts';
import { inWords, type Reason, type SetupTrouble } from './reason.ts';
import { SetupNetwork } from './setup-network.ts';
import { TIMINGS, type Timings } from './timings.ts';
import type { Trying } from './trying.ts';
import { forgetNetwork, isSame, proveWifi, type StoredWifi, storeWifi } from './wifi-credentials.ts';
import { meantBy, refusalBy } from './wifi-key.ts';

/** Address settings that a cable gets in succession, at most: fixed, DHCP, and fixed again once DHCP told the network. */
const CABLE_ROUNDS = 4;
const OFFLINE: NetworkState = { mode: 'offline', mac: '' };

const nothingStored = (reason: Reason, language: Language): string =>
  inWords({ key: 'nothingStored', values: { reason: inWords(reason, language) } }, language);

/** The loop. `start` begins it, `stop` ends it; other methods store settings and give orders. */
export class Connection {
  readonly #node: Node;
  readonly #radio: RadioBinding;
  readonly #timings: Timings;
  readonly #setup: SetupNetwork;
  /** The hosts that respond on the network of the node. */
  readonly lan: Lan;
  readonly #here: HereSlip;
  /** The fixed address of this boot. */
  readonly #fixed: FixedAddress;
  /** Rung when the network state may have changed, or when there is an order. */
  readonly #news = new Bell();
  #turn = new AbortController();
  #live: Promise<void> | undefined;
  #stopped = false;
  /** Join again, even if the node is on a network of that name. */
  #anew = false;
  /** Setup was closed for one attempt to join. */
  #onceMore = false;
  #trouble: SetupTrouble | undefined;
  /** New credentials are stored; the order waits until the response has been sent. */
  #pending: NodeJS.Timeout | undefined;
  #joining: StoredWifi | undefined;
  #attempts = { join: 0, open_setup: 0 };
  #trying: Trying | undefined;

  /** `ipv4`: the settings of this boot; undefined is DHCP. */
  constructor(node: Node, radio: RadioBinding, ipv4: Ipv4Settings | undefined, timings: Partial<Timings> = {}) {
    this.#node = node;
    this.#radio = radio;
    this.#fixed = new FixedAddress(ipv4);
    this.#timings = { ...TIMINGS, ...timings };
    this.#setup = new SetupNetwork(node, radio, this.#fixed);
    this.lan = new Lan(radio);
    this.#here = new HereSlip(node, radio, this.#fixed, this.lan);
  }

  start(): void {
    const ring = () => this.#news.ring();
    const watches = [this.#radio.watch(ring), this.#node.bindings.links.watch(ring)];
    this.#live = this.#run()
      .catch((error: unknown) => this.#node.log.error({ error: String(error) }, 'network given up'))
      .finally(() => {
        for (const unwatch of watches) unwatch();
      });
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

  /** The fixed address of this boot, and what became of it. */
  get fixed(): Pick<FixedAddress, 'settings' | 'fault'> {
    return this.#fixed;
  }

  /** The current attempt; undefined while the node is on a network or its setup network is open. */
  get trying(): Trying | undefined {
    return this.#trying;
  }

  /**
   * Stores credentials, and joins a second after that, so that the response is still sent over the current network.
   * Resolves with them: their name is that of the network that was meant. Rejects with `save_failed`, and stores nothing,
   * if they cannot be stored or no join is possible; with `invalid_provision` if the network is in range and cannot be
   * joined with these. The detail is in `language`.
   */
  async provision(given: WifiCredentials, language: Language): Promise<WifiCredentials> {
    // A radio that looks for networks leaves its channel: whoever asked would not get the response.
    await this.#setup.searched();
    await this.#radio.usable().catch((error: unknown) => {
      this.#node.log.warn({ error: String(error) }, 'no join is possible');
      throw new ApiError('save_failed', nothingStored({ key: radioFaultOf(error) }, language));
    });
    const seen = await this.#setup.known();
    const wifi = { ...given, ssid: meantBy(given.ssid, seen) };
    const refusal = refusalBy(seen, wifi);
    if (refusal !== undefined) throw new ApiError('invalid_provision', nothingStored(refusal, language));
    await storeWifi(this.#node.settings, wifi);
    // The same request twice: starting again would interrupt the join that is in progress.
    if (this.#joining !== undefined && isSame(this.#joining, wifi) && this.#joining.band === wifi.band) return wifi;
    clearTimeout(this.#pending);
    this.#pending = setTimeout(() => this.#order(), this.#timings.answerMs).unref();
    return wifi;
  }

  /** The networks in range, strongest first; those of before where it cannot look now. Never rejects. */
  nearby(): Promise<readonly SeenNetwork[]> {
    return this.#setup.known();
  }

  /** Removes the stored credentials and the fixed address, and leaves their network. Rejects with `persist_failed`. */
  async forget(): Promise<void> {
    await forgetNetwork(this.#node.settings);
    this.#fixed.drop();
    void this.#wire();
    this.#order();
  }

  /** Prints the notice that is due, if one is. To call when a printer was connected. */
  printSlip(): void {
    void this.#setup.print();
    void this.#here.print();
  }

  #order(): void {
    clearTimeout(this.#pending);
    this.#pending = undefined;
    this.#anew = true;
    this.#attempts = { join: 0, open_setup: 0 };
    this.#onceMore = false;
    this.#trouble = undefined;
    this.#setup.done();
    this.#fixed.reset();
    this.#turn.abort();
    this.#news.ring();
  }

  async #run(): Promise<void> {
    await this.#radio.started(this.#turn.signal);
    await this.#wire();
    if (this.#node.settings.read('wifi') === undefined) await this.#isLost(({ mode }) => mode === 'ethernet');
    while (!this.#stopped) {
      // This round uses the new credentials anyway: a later order would interrupt the join with them.
      if (this.#pending !== undefined) this.#order();
      this.#turn = new AbortController();
      await this.#take(this.#node.settings.read('wifi'));
    }
  }

  async #take(wifi: StoredWifi | undefined): Promise<void> {
    if (await this.#isWired()) {
      // Only one interface at a time, as a static address must not be on two.
      await this.#attempt('Wi-Fi not left', () => this.#radio.leave());
      if (await this.#isCableReady()) return this.#stayOnCable();
      const kept = wifi === undefined ? this.#fixed.standAlone() : undefined;
      if (kept !== undefined) await this.#attempt('cable not set up', () => this.#radio.wire(kept));
    }
    if (wifi !== undefined && (await this.#join(wifi))) {
      this.#setup.done();
      if (!(await this.#isAddressInForce())) return;
      return this.#stay(({ mode, ssid }) => mode === 'station' && ssid === wifi.ssid);
    }
    if (this.#over || (await this.#isWired())) return;
    await this.#openSetup(wifi);
  }

  /** Waits while the cable stays in. What it is plugged into next may be another network. */
  async #stayOnCable(): Promise<void> {
    const { plugged } = await this.#read();
    this.#fixed.startSecondProbe(this.#timings.againMs, () => this.#news.ring());
    await this.#stay((state) => state.mode === 'ethernet' && state.plugged === plugged && !this.#fixed.isDue);
    if (this.#over) return;
    const now = await this.#read();
    const isIn = now.mode === 'ethernet';
    if (isIn && now.plugged === plugged) {
      if (this.#fixed.takeSecondProbe()) await this.#wire();
      return;
    }
    this.#fixed.reset();
    if (!isIn) return;
    // Out for a moment, which the network manager does not notice: others may have the address now (RFC 5227, 2.1).
    if (this.#fixed.settings === undefined) await this.#attempt('DHCP not asked again', () => this.#radio.renew());
    else await this.#wire();
  }

  /** Gives the cable the address in force; false if it has none then. */
  async #isCableReady(): Promise<boolean> {
    for (let round = 0; round < CABLE_ROUNDS && !(await this.#isAddressInForce()); round++) {
      if (!(await this.#wire())) break;
      if (await this.#isLost(({ mode }) => mode === 'ethernet', this.#timings.leaseMs)) return false;
    }
    return this.#isWired();
  }

  async #isAddressInForce(): Promise<boolean> {
    const { ipv4 } = await this.#read();
    if (ipv4 === undefined) return false;
    this.#fixed.learn(ipv4);
    return this.#fixed.isOn(ipv4);
  }

  /** Tells the cable what is in force: DHCP, if another host has the fixed address. Resolves with false if that failed. */
  async #wire(): Promise<boolean> {
    const wire = () => this.#radio.wire(this.#fixed.inForce);
    return this.#attempt('cable not set up', () =>
      wire().catch((error: unknown) => {
        if (!this.#fixed.refused(error)) throw error;
        return wire();
      }),
    );
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
      await this.#radio.join({ ssid, password, band }, this.#fixed.inForce);
    } catch (error) {
      if (this.#fixed.refused(error)) return this.#tryJoin(wifi);
      if (!this.#over) this.#trouble = { ssid, fault: radioFaultOf(error) };
      this.#failed(error);
      log.warn({ ssid, attempt, error: String(error) }, 'not joined');
      return false;
    } finally {
      this.#joining = undefined;
    }
    this.#trouble = undefined;
    log.info({ ssid, attempt }, 'joined');
    if (!wifi.proven) this.#here.expected();
    if (!wifi.proven) await this.#attempt('not noted as proven', () => proveWifi(settings, wifi));
    return true;
  }

  /** Whether the node is connected as configured: after a restart of the node alone, the connection is kept. */
  #isOn(wifi: StoredWifi, { mode, ssid, ipv4 }: NetworkState): boolean {
    if (mode !== 'station' || ssid !== wifi.ssid || ipv4 === undefined) return false;
    // On a cable the machine's administrator may have set an address; Wi-Fi is the node's alone.
    return this.#fixed.isOn(ipv4) && (ipv4.method === 'dhcp' || this.#fixed.inForce !== undefined);
  }

  /** Waits while the node is on that network. */
  async #stay(isOn: (state: NetworkState) => boolean): Promise<void> {
    this.#arrived();
    void this.#here.print();
    const left = new AbortController();
    let isOther = false;
    const attended = this.#fixed.attend(this.#radio, this.#timings, left.signal).then((changed) => {
      isOther = changed;
      if (changed) this.#news.ring();
      else if (!left.signal.aborted) void this.#here.print();
    });
    while (!this.#over && !isOther) {
      await this.#news.wait();
      if (await this.#isLost(isOn)) break;
      // The router may have assigned another address meanwhile.
      void this.#here.print();
    }
    left.abort();
    await attended;
    // Without DHCP there is no use in asking for it for minutes.
    this.#onceMore = isOther;
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
    const isAlone = this.#fixed.isAlone(await this.#read());
    const mayWork = wifi?.proven === true || this.#fixed.fault !== undefined;
    const isOpen = (state: NetworkState) => (isAlone ? this.#fixed.isAlone(state) : state.mode === 'setup');
    const left = new AbortController();
    const attended =
      isAlone && this.#fixed.attend(this.#radio, this.#timings, left.signal).then(() => this.#news.ring());
    while (!this.#over) {
      await this.#news.wait(mayWork ? Math.max(1, quietMs - this.#setup.quietMs) : undefined);
      if (await this.#isLost(isOpen)) break;
      if (mayWork && this.#setup.quietMs >= quietMs) {
        this.#onceMore = true;
        this.#fixed.reset();
        await this.#wire();
        break;
      }
    }
    left.abort();
    await attended;
    await this.#setup.close();
  }

  /** True if `isOn` is false for `settleMs`, or if there is an order. */
  async #isLost(isOn: (state: NetworkState) => boolean, settleMs = this.#timings.settleMs): Promise<boolean> {
    const until = performance.now() + settleMs;
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
    this.#trying = { to, attempt, ...defined({ ssid, lastFault }) };
    return attempt;
  }

  #failed(error: unknown): void {
    if (this.#trying !== undefined) this.#trying = { ...this.#trying, lastFault: radioFaultOf(error) };
  }

  #arrived(): void {
    this.#attempts = { join: 0, open_setup: 0 };
    this.#trying = undefined;
  }

  async #isWired(): Promise<boolean> {
    const state = await this.#read();
    return state.mode === 'ethernet' && !this.#fixed.isAlone(state);
  }

  #read(): Promise<NetworkState> {
    return this.#radio.read().catch(() => OFFLINE);
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#turn.signal }).catch(() => {});
  }

  /** False, and a line in the log, if it failed. */
  async #attempt(failure: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, failure);
      return false;
    }
  }
}
