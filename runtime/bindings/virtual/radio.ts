/** A radio in range of networks that a test or the twin sets. */
import { createTurns } from '../../base/turns.ts';
import {
  type Band,
  type Ipv4Settings,
  type NetworkState,
  type RadioBinding,
  RadioError,
  type SeenNetwork,
  type WifiCredentials,
  type WifiSecurity,
} from '../network.ts';

/** A Wi-Fi network in range of the virtual radio. */
export interface VirtualNetwork {
  readonly ssid: string;
  /** '' for an open network. */
  readonly password: string;
  readonly band: Band;
  readonly signalDbm: number;
  /** Default: open without a password, else WPA2. */
  readonly security?: WifiSecurity;
  /** Whether it has a DHCP server; default true. */
  readonly dhcp?: boolean;
}

type Credentials = Pick<WifiCredentials, 'ssid' | 'password'>;
/** State of one of the two interfaces, radio and Ethernet. */
type Link = Omit<NetworkState, 'mac'>;

const MAC = '02:00:00:00:00:01';
/** The addresses that the DHCP server of every virtual network assigns. */
export const LEASE = { address: '192.168.1.20', netmask: '255.255.255.0', gateway: '192.168.1.1', dns: '192.168.1.1' };
const OFFLINE: Link = { mode: 'offline' };

/** A RadioBinding in memory: joins the networks in `networks`, with their password only. */
export class VirtualRadio implements RadioBinding {
  readonly ofMachine: boolean = false;
  /** Addresses of other hosts, on the cable and on every network: they answer ARP, and nobody else can have them. */
  readonly hosts = new Set<string>();
  /** What DHCP assigns; undefined while there is none. */
  lease: Ipv4Settings | undefined = LEASE;
  /** While set, `usable` and every call that changes something reject with it. */
  fault: RadioError | undefined;
  readonly #setupAddress: string;
  readonly #watchers = new Set<() => void>();
  #networks: readonly VirtualNetwork[];
  #setup: Credentials | undefined;
  #wifi: Link = OFFLINE;
  #cable = false;
  #plugged = 0;
  #wired: Ipv4Settings | undefined;
  readonly #inTurn = createTurns();

  /** The address on the access point is a loopback address, so that a test reaches the setup page. */
  constructor(networks: readonly VirtualNetwork[] = [], setupAddress = '127.0.0.1') {
    this.#networks = networks;
    this.#setupAddress = setupAddress;
  }

  /** Sets the networks in range. If the joined network is not among them, the radio goes offline. */
  set networks(networks: readonly VirtualNetwork[]) {
    this.#networks = networks;
    const { mode, ssid, band } = this.#wifi;
    const isThere = networks.some((each) => each.ssid === ssid && each.band === band);
    if (mode === 'station' && !isThere) this.#become(OFFLINE);
  }

  get networks(): readonly VirtualNetwork[] {
    return this.#networks;
  }

  /** Connects or disconnects the Ethernet cable. */
  set cable(plugged: boolean) {
    if (plugged && !this.#cable) this.#plugged += 1;
    this.#cable = plugged;
    this.#changed();
  }

  /** Number of `watch` calls that have not been ended. */
  get watchers(): number {
    return this.#watchers.size;
  }

  /** Simulates a phone that joins the setup network; rejects if SSID or password are wrong. */
  async phoneJoins({ ssid, password }: Credentials): Promise<void> {
    if (this.#setup?.ssid !== ssid) throw new RadioError('no_network');
    if (this.#setup.password !== password) throw new RadioError('wrong_password');
  }

  async read(): Promise<NetworkState> {
    return { ...((this.#cable ? this.#wire() : undefined) ?? this.#wifi), mac: MAC };
  }

  async started(): Promise<void> {}

  async usable(): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
  }

  async scan(): Promise<readonly SeenNetwork[]> {
    const seen = this.#networks.map(
      ({ ssid, band, signalDbm, password, security }): SeenNetwork => ({
        ssid,
        band,
        // Percent as NetworkManager computes it: 100 from -40 dBm up, 0 at -100 dBm.
        signal: Math.round(Math.min(1, Math.max(0, (signalDbm + 100) / 60)) * 100),
        security: security ?? (password === '' ? 'open' : 'personal'),
      }),
    );
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
      const addresses = this.#addressed(ipv4);
      if (addresses === undefined) throw new RadioError('no_address');
      this.#become({ mode: 'station', ssid, band: network.band, signalDbm: network.signalDbm, ipv4: addresses });
    });
  }

  wire(ipv4: Ipv4Settings | undefined): Promise<void> {
    return this.#change(() => {
      this.#wired = undefined;
      this.#changed();
      if (this.#cable) this.#addressed(ipv4);
      this.#wired = ipv4;
      this.#changed();
    });
  }

  renew(): Promise<void> {
    return this.#change(() => this.#changed());
  }

  leave(): Promise<void> {
    return this.#change(() => this.#leave());
  }

  async answers(address: string): Promise<boolean> {
    return this.hosts.has(address);
  }

  async neighbours(): Promise<readonly string[]> {
    return [...this.hosts];
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** The interface with the cable; without an address it is not a way to the network. */
  #wire(): Link | undefined {
    const taken = this.#wired !== undefined && this.hosts.has(this.#wired.address);
    const ipv4 = this.#addressed(taken ? undefined : this.#wired);
    return ipv4 && { mode: 'ethernet', ipv4, plugged: this.#plugged };
  }

  /** What an interface gets: these settings, or a lease. Throws if another host has the address. */
  #addressed(ipv4: Ipv4Settings | undefined): NetworkState['ipv4'] {
    if (ipv4 === undefined) return this.lease && { method: 'dhcp', ...this.lease };
    if (this.hosts.has(ipv4.address)) throw new RadioError('address_taken');
    return { method: 'static', ...ipv4 };
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
