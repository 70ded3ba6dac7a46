/**
 * Controls the machine's network through NetworkManager (1.36 or later) and its client nmcli. The machine needs:
 * - the packages network-manager, wpasupplicant and dnsmasq-base (DHCP and DNS server of the setup network);
 * - if the node does not run as root, a polkit rule (on a disk image, a policy of the bus) that permits its user
 *   `org.freedesktop.NetworkManager.network-control`, `.wifi.scan`, `.wifi.share.protected`, `.settings.modify.system`
 *   and `.enable-disable-wifi`;
 * - /etc/NetworkManager/dnsmasq-shared.d/tillnode.conf with `address=/#/192.0.2.1` and `local=/#/`: on the setup network
 *   every name resolves to the node, and has no other records. The file belongs to the package; this code does not write
 *   it, but reads which address the node has there, as an update of the image alone does not change the file.
 *
 * Without NetworkManager `read` uses the Linux kernel's information, and every other call fails with `unmanaged`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createTurns } from '../../base/turns.ts';
import {
  type Ipv4Settings,
  type RadioBinding,
  RadioError,
  type RadioFault,
  type SeenNetwork,
  type WifiCredentials,
} from '../network.ts';
import { busSignals } from './bus-signals.ts';
import { ConnectionProfiles } from './connection-profiles.ts';
import { kernelState } from './kernel-network.ts';
import { askFor, neighbourAnswers, neighbours } from './neighbour.ts';
import {
  ACTIVATED,
  type Ask,
  cidrOf,
  type ManagedDevice,
  managedDevices,
  managedState,
  SETUP_CONNECTION,
} from './network-state.ts';
import { NOT_INSTALLED, nmcli, rowsOf } from './nmcli.ts';
import { NAMES_FILE, setupAddress } from './setup-address.ts';
import { sharedWatch } from './shared-watch.ts';
import { FIELDS, seenNetworks } from './wifi-list.ts';

/**
 * Channels of the setup network, in turn: those of 2.4 GHz that do not overlap and that every country lets an access point use.
 * NetworkManager would choose by the name, for every fourth node channel 13, and never another: where the country is not
 * known the kernel refuses an access point there (world regulatory domain, regdb), and setup would never open.
 */
const SETUP_CHANNELS = ['1', '6', '11'] as const;
const WIFI_CONNECTION = 'tillnode-wifi';
const WIRED_CONNECTION = 'tillnode-wired';
const WIFI_CONNECTIONS = [SETUP_CONNECTION, WIFI_CONNECTION];
/**
 * How long a static address is probed before it is used: three ARP probes (RFC 5227, 2.1.1), in a third of the time that
 * the document suggests for all links. If another host has the address, the connection is not established.
 */
const PROBE_MS = '3000';
/** A device, or all of them, in another state, one more or less, and NetworkManager itself that starts or ends (nm-dbus-interface). */
const CHANGES = [
  "type='signal',sender='org.freedesktop.NetworkManager',interface='org.freedesktop.NetworkManager'",
  "type='signal',sender='org.freedesktop.NetworkManager',interface='org.freedesktop.NetworkManager.Device',member='StateChanged'",
  "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.NetworkManager'",
];
const UNMANAGED = 10;
const UNAVAILABLE = 20;

/** Time limits and intervals, for tests. */
export interface RadioOptions {
  /** Limit of one nmcli command; a machine that is still starting is slow. */
  readonly askMs?: number;
  /** Limit of a scan. */
  readonly scanMs?: number;
  /** Limit of joining a network. */
  readonly activateSeconds?: number;
  /** Limit of DHCP, within `activateSeconds`. */
  readonly dhcpSeconds?: number;
  /** Limit of opening the access point; NetworkManager gives wpa_supplicant 25 seconds of it. */
  readonly setupSeconds?: number;
  /** Limit for NetworkManager to run, from the start of the node. */
  readonly startMs?: number;
  /** Limit for the radio to become ready after it was switched on. */
  readonly readyMs?: number;
  /** Interval at which the state of the radio is polled while it is switched, or NetworkManager starts. */
  readonly lookMs?: number;
  /** The file that states the address of the setup network. */
  readonly namesFile?: string;
  /** Delay before NetworkManager is listened to again after its bus was lost. */
  readonly rewatchMs?: number;
}

type Patience = Required<RadioOptions>;
const PATIENCE: Patience = {
  askMs: 30_000,
  scanMs: 10_000,
  activateSeconds: 90,
  dhcpSeconds: 30,
  setupSeconds: 45,
  startMs: 60_000,
  readyMs: 15_000,
  lookMs: 500,
  rewatchMs: 5000,
  namesFile: NAMES_FILE,
};
/** Faults that the network causes, not the radio or NetworkManager. */
const FAULTS_OF_THE_NETWORK: readonly RadioFault[] = ['wrong_password', 'no_network', 'no_address'];

/** The network of this machine, through NetworkManager. It changes nothing before the first call that does so. */
export function createRadio(options: RadioOptions = {}): RadioBinding {
  return new NetworkManagerRadio(options);
}

class NetworkManagerRadio implements RadioBinding {
  readonly ofMachine = true;
  readonly #patience: Patience;
  readonly #inTurn = createTurns();
  readonly #profiles: ConnectionProfiles;
  /** Number of successive failures that the radio caused, not the network. */
  #failures = 0;

  constructor(options: RadioOptions) {
    this.#patience = { ...PATIENCE, ...options };
    this.#profiles = new ConnectionProfiles(this.#patience.askMs);
    this.watch = sharedWatch(busSignals(CHANGES, this.#patience.rewatchMs));
  }

  async read() {
    const managed = await managedState(this.#ask).catch(() => undefined);
    return managed ?? kernelState();
  }

  async started(signal: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + this.#patience.startMs;
    while (!signal.aborted && performance.now() < giveUpAt) {
      const isHere = await this.#ask('-t', '-f', 'RUNNING', 'general').then(
        (text) => text.trim() !== 'not running',
        // Before D-Bus runs it cannot ask, either.
        ({ fault, message }: RadioError) => fault !== 'unmanaged' || message.endsWith(NOT_INSTALLED),
      );
      if (isHere) return;
      await delay(this.#patience.lookMs, undefined, { signal }).catch(() => {});
    }
  }

  async usable(): Promise<void> {
    await this.#radio();
  }

  async scan(): Promise<readonly SeenNetwork[]> {
    const { name } = await this.#radio();
    // A radio that is an access point may not be able to scan: the result of the previous scan is used then.
    return this.#list(name, 'yes').catch(() => this.#list(name, 'no'));
  }

  openSetup({ ssid, password }: { readonly ssid: string; readonly password: string }) {
    return this.#inTurn(async () => {
      const { name } = await this.#readyRadio();
      const channel = SETUP_CHANNELS[this.#failures % SETUP_CHANNELS.length] ?? SETUP_CHANNELS[0];
      const radio = ['802-11-wireless.mode', 'ap', '802-11-wireless.band', 'bg', '802-11-wireless.channel', channel];
      const own = [...radio, 'connection.autoconnect', 'no'];
      const address = await setupAddress(this.#patience.namesFile);
      const addresses = ['ipv4.method', 'shared', 'ipv4.addresses', `${address}/24`, 'ipv6.method', 'disabled'];
      // Some radios fail as an access point if protected management frames (IEEE 802.11w) are enabled.
      const cipher = ['proto', 'rsn', 'pairwise', 'ccmp', 'group', 'ccmp', 'pmf', 'disable'];
      const security = cipher.map((word, index) => (index % 2 === 0 ? `802-11-wireless-security.${word}` : word));
      const settings = [...own, ...security, ...addresses];
      await this.#connect(SETUP_CONNECTION, name, { ssid, password }, settings, this.#patience.setupSeconds);
      return { address };
    });
  }

  join({ ssid, password, band }: WifiCredentials, ipv4?: Ipv4Settings): Promise<void> {
    return this.#inTurn(async () => {
      const { name } = await this.#readyRadio();
      // Also finds a network with a hidden SSID. Autoconnect is enabled only after joining, so that NetworkManager
      // reconnects to a lost network: now it would connect as soon as it has the password, and `up` would interrupt
      // that.
      const own = [
        '802-11-wireless.hidden',
        'yes',
        'connection.autoconnect',
        'no',
        'connection.autoconnect-retries',
        '0',
        // Off: a radio that sleeps between beacons answers late and misses multicast, which mDNS and beacons are.
        '802-11-wireless.powersave',
        '2',
      ];
      const bands = { auto: [], '2.4': ['802-11-wireless.band', 'bg'], '5': ['802-11-wireless.band', 'a'] };
      const settings = [...own, ...bands[band], ...this.#addresses(ipv4)];
      const uuid = await this.#connect(
        WIFI_CONNECTION,
        name,
        { ssid, password },
        settings,
        this.#patience.activateSeconds,
      ).catch(async (error: unknown) => {
        if (await this.#refusesKey(error, name, ssid)) throw new RadioError('wrong_password');
        throw refusalOf(error, ipv4);
      });
      const comesBack = ['connection.autoconnect', 'yes'];
      // A failure is ignored: the network is joined, and the node itself joins again if it is lost.
      await this.#ask('connection', 'modify', '--temporary', 'uuid', uuid, ...comesBack).catch(() => {});
    });
  }

  wire(ipv4: Ipv4Settings | undefined): Promise<void> {
    return this.#inTurn(async () => {
      await this.#profiles.remove([WIRED_CONNECTION]);
      const wired = (await this.#devices()).filter(({ type, state }) => type === 'ethernet' && state > UNMANAGED);
      const device = wired.find(({ state }) => state === ACTIVATED) ?? wired[0];
      if (ipv4 === undefined || device === undefined) return;
      const uuid = await this.#profiles.add('ethernet', WIRED_CONNECTION, device.name, [
        // If another host has the address when a cable is connected, the machine's own settings are next.
        ...['connection.autoconnect-priority', '100', 'connection.autoconnect-retries', '1'],
        ...this.#addresses(ipv4),
      ]);
      // Without a cable nothing is activated now: NetworkManager does that when one is connected.
      if (device.state <= UNAVAILABLE) return;
      await this.#profiles.up(uuid, this.#patience.activateSeconds).catch(async (error: unknown) => {
        await this.#profiles.remove([WIRED_CONNECTION]).catch(() => {});
        throw refusalOf(error, ipv4);
      });
    });
  }

  renew(): Promise<void> {
    return this.#inTurn(async () => {
      const wired = (await this.#devices()).find(({ type, state }) => type === 'ethernet' && state === ACTIVATED);
      if (wired === undefined) return;
      const seconds = this.#patience.activateSeconds;
      const timeoutMs = seconds * 1000 + this.#patience.askMs;
      await nmcli(['--wait', String(seconds), 'device', 'connect', wired.name], { timeoutMs });
    });
  }

  leave(): Promise<void> {
    return this.#inTurn(() => this.#profiles.remove(WIFI_CONNECTIONS));
  }

  answers(address: string): Promise<boolean> {
    return neighbourAnswers(address);
  }

  async neighbours(ask: readonly string[] = []): Promise<readonly string[]> {
    if (ask.length > 0) await askFor(ask);
    return neighbours();
  }

  readonly watch: RadioBinding['watch'];

  readonly #ask: Ask = (...args) => nmcli(args, { timeoutMs: this.#patience.askMs });

  #devices(): Promise<ManagedDevice[]> {
    return managedDevices(this.#ask);
  }

  async #radio(): Promise<ManagedDevice> {
    const radios = (await this.#devices()).filter(({ type }) => type === 'wifi');
    const radio = radios.find(({ state }) => state > UNMANAGED);
    if (radio !== undefined) return radio;
    if (radios.length > 0) throw new RadioError('unmanaged', 'NetworkManager does not manage the radio');
    throw new RadioError('no_radio');
  }

  /**
   * The radio, switched on and without a connection of the node. After wpa_supplicant hung or was restarted,
   * NetworkManager may be unable to start anything on the radio; switching Wi-Fi off and on repairs that. It is done
   * after every second failure in succession.
   */
  async #readyRadio(): Promise<ManagedDevice> {
    const radio = await this.#radio();
    await this.#profiles.remove(WIFI_CONNECTIONS);
    const stuck = this.#failures > 0 && this.#failures % 2 === 0;
    if (!stuck && radio.state > UNAVAILABLE) return radio;
    try {
      if (stuck) {
        await this.#ask('radio', 'wifi', 'off').catch(() => {});
        await this.#radioWhere(({ state }) => state <= UNAVAILABLE).catch(() => {});
      }
    } finally {
      // "Off" survives a restart of the machine: if the node ends before this line, the next run switches it on here.
      await this.#ask('radio', 'wifi', 'on');
    }
    return this.#radioWhere(({ state }) => state > UNAVAILABLE).catch((error) => {
      this.#failures += 1;
      throw error;
    });
  }

  /** Polls until `isSo` is true and resolves with the radio: nmcli(1) can wait only for connections. */
  async #radioWhere(isSo: (radio: ManagedDevice) => boolean): Promise<ManagedDevice> {
    const giveUpAt = performance.now() + this.#patience.readyMs;
    for (;;) {
      const radio = await this.#radio();
      if (isSo(radio)) return radio;
      if (performance.now() >= giveUpAt) throw new RadioError('unmanaged', 'the radio did not become ready');
      await delay(this.#patience.lookMs);
    }
  }

  /**
   * Whether an error that says there is no such network means that one with WPA3 refused the key: wpa_supplicant tries
   * the exchange (SAE, IEEE 802.11, 12.4) until NetworkManager takes the network for gone, although it is in the list.
   */
  async #refusesKey(error: unknown, device: string, ssid: string): Promise<boolean> {
    if (!(error instanceof RadioError) || error.fault !== 'no_network') return false;
    const seen = await this.#list(device, 'no').catch(() => []);
    return seen.some((each) => each.ssid === ssid && (each.security === 'wpa3' || each.security === 'transition'));
  }

  /** How a network agrees on keys (key-mgmt of nm-settings(5)); undefined if it has none. */
  async #keyManagement(device: string, ssid: string, password: string): Promise<'wpa-psk' | 'owe' | undefined> {
    if (password !== '') return 'wpa-psk';
    // To NetworkManager an open network and one that encrypts without a password are not the same.
    for (const rescan of ['no', 'yes'] as const) {
      const seen = await this.#list(device, rescan).catch(() => []);
      const named = seen.filter((each) => each.ssid === ssid);
      if (named.length > 0) return named.some(({ security }) => security === 'owe') ? 'owe' : undefined;
    }
    return undefined;
  }

  async #list(device: string, rescan: 'yes' | 'no'): Promise<readonly SeenNetwork[]> {
    const args = ['-t', '-f', FIELDS, 'device', 'wifi', 'list', 'ifname', device, '--rescan', rescan];
    return seenNetworks(rowsOf(await nmcli(args, { timeoutMs: this.#patience.scanMs })));
  }

  #addresses(ipv4: Ipv4Settings | undefined): string[] {
    if (ipv4 === undefined) {
      return ['ipv4.method', 'auto', 'ipv4.may-fail', 'no', 'ipv4.dhcp-timeout', String(this.#patience.dhcpSeconds)];
    }
    const { gateway = '', dns = '' } = ipv4;
    const own = ['ipv4.method', 'manual', 'ipv4.addresses', cidrOf(ipv4), 'ipv4.gateway', gateway, 'ipv4.dns', dns];
    return [...own, 'ipv4.dad-timeout', PROBE_MS, 'ipv4.may-fail', 'no'];
  }

  /** Creates and activates a Wi-Fi connection; resolves with its UUID. If it fails, the connection is deleted. */
  async #connect(
    connection: string,
    device: string,
    { ssid, password }: { readonly ssid: string; readonly password: string },
    settings: readonly string[],
    seconds: number,
  ): Promise<string> {
    try {
      const keys = await this.#keyManagement(device, ssid, password);
      const secured = keys === undefined ? [] : ['802-11-wireless-security.key-mgmt', keys];
      const uuid = await this.#profiles.add('wifi', connection, device, [...secured, ...settings], ssid);
      if (password !== '') await this.#profiles.setPassword(uuid, ssid, password);
      await this.#profiles.up(uuid, seconds);
      this.#failures = 0;
      return uuid;
    } catch (error) {
      const ofTheNetwork = error instanceof RadioError && FAULTS_OF_THE_NETWORK.includes(error.fault);
      this.#failures = ofTheNetwork ? 0 : this.#failures + 1;
      await this.#profiles.remove([connection]).catch(() => {});
      // Fails if the device is disconnected already.
      await this.#ask('device', 'disconnect', device).catch(() => {});
      throw error;
    }
  }
}

/** NetworkManager says the same of a network without DHCP and of a static address that another host has. */
const refusalOf = (error: unknown, ipv4: Ipv4Settings | undefined): unknown =>
  ipv4 !== undefined && error instanceof RadioError && error.fault === 'no_address'
    ? new RadioError('address_taken', ipv4.address)
    : error;
