/** A radio among networks that a test, or the twin, puts up and takes away. */

import { createTurns } from '../../kernel/turns.ts';
import {
  type Band,
  type Ipv4Settings,
  type NetworkState,
  type RadioBinding,
  RadioError,
  type SeenNetwork,
  type WifiCredentials,
} from '../bindings.ts';

export interface VirtualNetwork {
  readonly ssid: string;
  /** '' of an open one. */
  readonly password: string;
  readonly band: Band;
  readonly signalDbm: number;
  /** True unless said otherwise. */
  readonly dhcp?: boolean;
}

type Credentials = Pick<WifiCredentials, 'ssid' | 'password'>;
/** Names of interfaces do not matter here: one radio, one cable. */
type Link = Omit<NetworkState, 'mac'>;

const MAC = '02:00:00:00:00:01';
/** The address that every virtual network gives; its gateway is `LEASE.gateway`. */
export const LEASE = { address: '192.168.1.20', netmask: '255.255.255.0', gateway: '192.168.1.1', dns: '192.168.1.1' };
const OFFLINE: Link = { mode: 'offline' };

export class VirtualRadio implements RadioBinding {
  readonly ofMachine: boolean = false;
  /** Addresses of neighbours that answer. */
  readonly neighbours = new Set<string>();
  /** What the next changes fail with. */
  fault: RadioError | undefined;
  readonly #setupAddress: string;
  readonly #watchers = new Set<() => void>();
  #networks: readonly VirtualNetwork[];
  #setup: Credentials | undefined;
  #wifi: Link = OFFLINE;
  #cable = false;
  #wired: Ipv4Settings | undefined;
  readonly #inTurn = createTurns();

  /** The setup network's address is of this computer, so that a virtual phone finds the portal over loopback. */
  constructor(networks: readonly VirtualNetwork[] = [], setupAddress = '127.0.0.1') {
    this.#networks = networks;
    this.#setupAddress = setupAddress;
  }

  /** Puts these networks in reach, and none else: whoever is on one that went is offline. */
  set networks(networks: readonly VirtualNetwork[]) {
    this.#networks = networks;
    const { mode, ssid, band } = this.#wifi;
    const isThere = networks.some((each) => each.ssid === ssid && each.band === band);
    if (mode === 'station' && !isThere) this.#become(OFFLINE);
  }

  get networks(): readonly VirtualNetwork[] {
    return this.#networks;
  }

  set cable(plugged: boolean) {
    this.#cable = plugged;
    this.#changed();
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** A phone that joins the setup network. Rejects as the phone would see it. */
  async phoneJoins({ ssid, password }: Credentials): Promise<void> {
    if (this.#setup?.ssid !== ssid) throw new RadioError('no_network');
    if (this.#setup.password !== password) throw new RadioError('wrong_password');
  }

  async read(): Promise<NetworkState> {
    return { ...(this.#cable ? this.#wire() : this.#wifi), mac: MAC };
  }

  async usable(): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
  }

  async scan(): Promise<readonly SeenNetwork[]> {
    const seen = this.#networks.map(({ ssid, band, signalDbm, password }) => ({
      ssid,
      band,
      // As NetworkManager counts: -40 dBm and better is everything, -100 dBm nothing.
      signal: Math.round(Math.min(1, Math.max(0, (signalDbm + 100) / 60)) * 100),
      secured: password !== '',
    }));
    return seen.sort((a, b) => b.signal - a.signal);
  }

  openSetup(network: Credentials): Promise<{ readonly address: string }> {
    return this.#change(() => {
      this.#setup = network;
      const ipv4 = { method: 'static', address: this.#setupAddress, netmask: '255.255.255.0' } as const;
      this.#become({ mode: 'setup', ssid: network.ssid, band: '2.4', ipv4 });
      return { address: this.#setupAddress };
    });
  }

  join({ ssid, password, band }: WifiCredentials, ipv4?: Ipv4Settings): Promise<void> {
    return this.#change(() => {
      this.#leave();
      const named = this.#networks.filter((each) => each.ssid === ssid && (band === 'auto' || each.band === band));
      const [network] = named.sort((a, b) => b.signalDbm - a.signalDbm);
      if (network === undefined) throw new RadioError('no_network');
      if (network.password !== password) throw new RadioError('wrong_password');
      if (ipv4 === undefined && network.dhcp === false) throw new RadioError('no_address');
      const { signalDbm } = network;
      this.#become({ mode: 'station', ssid, band: network.band, signalDbm, ipv4: addressed(ipv4) });
    });
  }

  wire(ipv4: Ipv4Settings | undefined): Promise<void> {
    return this.#change(() => {
      this.#wired = ipv4;
      this.#changed();
    });
  }

  alsoDhcp(): Promise<void> {
    return this.#change(() => {
      const { ipv4 } = this.#cable ? this.#wire() : this.#wifi;
      if (ipv4?.method !== 'static' || this.#setup !== undefined) throw new RadioError('failed');
      this.#changed();
    });
  }

  leave(): Promise<void> {
    return this.#change(() => this.#leave());
  }

  async answers(address: string): Promise<boolean> {
    return this.neighbours.has(address);
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  #wire(): Link {
    return { mode: 'ethernet', ipv4: addressed(this.#wired) };
  }

  #leave(): void {
    this.#setup = undefined;
    if (this.#wifi.mode !== 'offline') this.#become(OFFLINE);
  }

  #become(link: Link): void {
    this.#wifi = link;
    this.#changed();
  }

  #changed(): void {
    for (const changed of this.#watchers) changed();
  }

  #change<T>(work: () => T): Promise<T> {
    return this.#inTurn(async () => {
      if (this.fault !== undefined) throw this.fault;
      return work();
    });
  }
}

const addressed = (ipv4: Ipv4Settings | undefined) =>
  ipv4 === undefined ? ({ method: 'dhcp', ...LEASE } as const) : ({ method: 'static', ...ipv4 } as const);
