/** The network of the machine: its radio, its cable and their addresses. */

/** A Wi-Fi band, in GHz. */
export type Band = '2.4' | '5';

/** A Wi-Fi network to join. */
export interface WifiCredentials {
  /** 1 to 32 bytes. */
  readonly ssid: string;
  /** '' for an open network, else a WPA passphrase of 8 to 63 characters, or the key itself in 64 hexadecimal digits. */
  readonly password: string;
  readonly band: Band | 'auto';
}

/** IPv4 settings in dotted form. */
export interface Ipv4Settings {
  readonly address: string;
  readonly netmask: string;
  readonly gateway?: string;
  readonly dns?: string;
}

/** The current network connection of the machine. */
export interface NetworkState {
  /** `setup`: the access point of `openSetup`. A wired interface with an address takes precedence over Wi-Fi. */
  readonly mode: 'setup' | 'station' | 'ethernet' | 'offline';
  readonly ssid?: string;
  readonly band?: Band;
  readonly signalDbm?: number;
  /** Addresses of the interface that carries the node's traffic; undefined while there is no address. */
  readonly ipv4?: Ipv4Settings & {
    /** `dhcp` also if the address was not set by NetworkManager. */
    readonly method: 'dhcp' | 'static';
  };
  /** Lower case with colons; '' if there is no interface. */
  readonly mac: string;
  /** How often a cable was plugged into a wired interface since the machine started. It differs after one that was out for less time than the network manager notices. */
  readonly plugged?: number;
}

/**
 * `owe`: encrypted without a password (Opportunistic Wireless Encryption, RFC 8110; "Enhanced Open"); `personal`: a password, for
 * WPA or WPA2; `wpa3`: a password for WPA3 alone; `transition`: for both; `enterprise`: a name and a password, or a
 * certificate (IEEE 802.1X).
 */
export type WifiSecurity = 'open' | 'owe' | 'wep' | 'personal' | 'transition' | 'wpa3' | 'enterprise';

/** A Wi-Fi network found by a scan. */
export interface SeenNetwork {
  readonly ssid: string;
  readonly band: Band;
  /** Signal strength in percent. */
  readonly signal: number;
  readonly security: WifiSecurity;
}

/**
 * `unmanaged`: NetworkManager is missing, does not run, or may not be used. `address_taken`: another host has the static
 * address.
 */
export type RadioFault =
  | 'unmanaged'
  | 'no_radio'
  | 'no_network'
  | 'wrong_password'
  | 'no_address'
  | 'address_taken'
  | 'timeout'
  | 'failed';

/** The only error a radio call rejects with. `detail` never holds a password. */
export class RadioError extends Error {
  readonly fault: RadioFault;
  constructor(fault: RadioFault, detail?: string) {
    super(detail ? `${fault}: ${detail}` : fault);
    this.name = 'RadioError';
    this.fault = fault;
  }
}

/**
 * The machine's network, controlled through its network manager. Every implementation guarantees:
 * - every call has a deadline of its own; calls that change something run one after the other;
 * - nothing is stored on the machine: a connection lasts until the machine or its network manager restarts;
 * - no password appears on a command line, in an error or in a log.
 */
export interface RadioBinding {
  /** True: the real network of the machine, which only a node started with `--appliance` may change. */
  readonly ofMachine: boolean;
  /** Reads the state, changes nothing. Without a network manager: what the operating system's kernel tells. */
  read(): Promise<NetworkState>;
  /**
   * Resolves when the network manager runs, as a node may be up before it; without one at once, after a minute if it still
   * does not run, and when the signal is aborted. Never rejects.
   */
  started(signal: AbortSignal): Promise<void>;
  /** Resolves if `join` can be called now. Rejects if there is no radio, or no network manager to control it. */
  usable(): Promise<void>;
  /** The networks in range, strongest first, one entry per SSID, band and security, without hidden ones. */
  scan(): Promise<readonly SeenNetwork[]>;
  /** Opens a WPA2 access point with DHCP, whose DNS resolves every name to the node. Resolves with its address. */
  openSetup(network: { readonly ssid: string; readonly password: string }): Promise<{ readonly address: string }>;
  /**
   * Leaves the current network and joins another; resolves when it has an address, from DHCP if `ipv4` is absent. After
   * a rejection it is on no network that `join` or `openSetup` made, and the next call starts clean. After success it
   * reconnects by itself when the network was lost. A static address is probed before it is used (RFC 5227, 2.1):
   * `address_taken` if another host has it.
   */
  join(credentials: WifiCredentials, ipv4?: Ipv4Settings): Promise<void>;
  /**
   * Sets a static address for the wired interface, if the machine has one: at once, or when a cable is connected. It is
   * probed as by `join`; after a rejection the interface does not have it. Undefined restores the machine's own
   * settings, which are DHCP unless its administrator changed them; it resolves before DHCP has assigned an address.
   */
  wire(ipv4: Ipv4Settings | undefined): Promise<void>;
  /**
   * Asks DHCP on the wired interface again: the cable was out for so short a time that the network manager keeps the
   * lease of a network that may not be there any more.
   */
  renew(): Promise<void>;
  /** Leaves the network that `join` or `openSetup` made. */
  leave(): Promise<void>;
  /** Whether a host on the link responds to ARP (RFC 826) for this address, or did so recently. */
  answers(address: string): Promise<boolean>;
  /**
   * The IPv4 addresses of hosts on the links of which ARP has told lately, whoever asked; `ask` is asked for first, and
   * given a second to respond. Never rejects.
   */
  neighbours(ask?: readonly string[]): Promise<readonly string[]>;
  /** Calls `changed` when the network state may have changed. Returns a function that ends this. */
  watch(changed: () => void): () => void;
}

/** A network interface that is up. */
export interface NetworkLink {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly {
    readonly family: 4 | 6;
    readonly address: string;
    /** Length of the network prefix in bits. */
    readonly prefix: number;
    /** The zone of an IPv6 link-local address. */
    readonly scope?: number;
  }[];
}

/** The network interfaces of the machine. */
export interface LinksBinding {
  /** The interfaces that are up, without loopback. */
  list(): readonly NetworkLink[];
  /** Calls `changed` when an interface or address was added or removed. Returns a function that ends this. */
  watch(changed: () => void): () => void;
}
