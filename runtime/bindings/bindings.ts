/**
 * The interface between the node and the machine that it runs on. There is a native and a virtual implementation, which
 * pass the same conformance suites (test/bindings); code above this file does not know which one it uses.
 */

/**
 * A USB pipe as its endpoint descriptor states it (USB 2.0, 9.6.6). "Endpoint" is the API's word; here it is a pipe.
 */
export interface UsbPipe {
  /** bEndpointAddress: bit 7 set is IN (device to host). */
  readonly address: number;
  readonly direction: 'in' | 'out';
  readonly type: 'control' | 'isochronous' | 'bulk' | 'interrupt';
  readonly maxPacketSize: number;
}

/** One alternate setting of an interface (USB 2.0, 9.6.5). */
export interface UsbInterface {
  readonly number: number;
  readonly alternate: number;
  readonly class: number;
  readonly subclass: number;
  readonly protocol: number;
  readonly pipes: readonly UsbPipe[];
  /** Raw class-specific descriptors that follow the interface descriptor (HID, for example). */
  readonly extra: Uint8Array;
}

/**
 * A USB device as its descriptors describe it, without opening it. Strings are untrusted, at most 126 characters, valid
 * Unicode.
 */
export interface UsbIdentity {
  /** Four lower-case hexadecimal digits. */
  readonly vendorId: string;
  readonly productId: string;
  readonly make: string;
  readonly model: string;
  readonly serial?: string;
  /** Port path as Linux writes it: bus-port[.port...]. */
  readonly port: string;
  readonly class: number;
  readonly interfaces: readonly UsbInterface[];
  /** bmAttributes bit 6 of the active configuration. */
  readonly selfPowered: boolean;
  /** bMaxPower of the active configuration, in milliamperes. */
  readonly maxPowerMa?: number;
  /** The device descriptor and the active configuration, byte by byte (USB 2.0, 9.6); they hold no string. */
  readonly descriptors?: Uint8Array;
  /** Why the descriptors could not be parsed; absent if they are valid. */
  readonly malformed?: string;
}

/** Limits of one transfer. */
export interface TransferOptions {
  /** The transfer is cancelled after this time. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Why a transfer failed. `stall`: the device refused it (STALL); `busy`: another program or driver holds the interface.
 */
export type UsbFault = 'timeout' | 'cancelled' | 'stall' | 'disconnected' | 'busy' | 'access' | 'io';

/** The only error a USB call rejects with. `bytesTransferred` is exact: 0 means that nothing left the host. */
export class UsbError extends Error {
  readonly fault: UsbFault;
  readonly bytesTransferred: number;
  constructor(fault: UsbFault, bytesTransferred = 0, detail?: string) {
    super(detail ? `${fault}: ${detail}` : fault);
    this.name = 'UsbError';
    this.fault = fault;
    this.bytesTransferred = bytesTransferred;
  }
}

/** bmRequestType, bRequest, wValue and wIndex of a control request (USB 2.0, 9.3). */
export interface UsbSetup {
  readonly requestType: number;
  readonly request: number;
  readonly value: number;
  readonly index: number;
}

/**
 * One connected device. Every implementation guarantees:
 * - every transfer ends by its deadline, by its signal, or at once when the device is disconnected;
 * - a failed OUT transfer reports exactly how many bytes were sent;
 * - `claim` detaches the operating system's driver from the interface; `close` cancels pending transfers, releases all
 *   interfaces and attaches their drivers again; closing twice, or after a disconnect, does nothing;
 * - OUT transfers on one pipe are sent in the order of the calls.
 */
export interface UsbDevice {
  readonly identity: UsbIdentity;
  open(): Promise<void>;
  claim(interfaceNumber: number, alternate?: number): Promise<void>;
  controlIn(setup: UsbSetup, length: number, options: TransferOptions): Promise<Uint8Array>;
  controlOut(setup: UsbSetup, data: Uint8Array, options: TransferOptions): Promise<void>;
  /** Resolves once the last byte was taken by the device. The buffer must not be changed before that. */
  transferOut(pipe: UsbPipe, data: Uint8Array, options: TransferOptions): Promise<void>;
  /** Resolves with what the device sent, up to `length` bytes; an empty array is a zero-length packet. */
  transferIn(pipe: UsbPipe, length: number, options: TransferOptions): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Gets the devices of a bus. A port has one device: its disconnect is reported before the connect of the next. */
export interface UsbListener {
  connect(device: UsbDevice): void;
  /** After this every pending and later transfer of the device rejects with `disconnected`. */
  disconnect(device: UsbDevice): void;
}

/** The USB bus of the machine. */
export interface UsbBinding {
  /** `no_bus`: the machine has no USB bus; `no_access`: this process has no permission for its devices. */
  readonly state: 'ok' | 'no_bus' | 'no_access';
  /** Reports the devices that are present as connected, then every change. Does not reject if there is no bus. */
  start(listener: UsbListener): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Durable named blobs; names are [a-z0-9.-]{1,64}. Every implementation guarantees:
 * - `write` resolves when the new content survives a power cut; if it rejects, the old content is kept;
 * - `read` resolves with undefined for a name that was never written;
 * - a name never has partial content.
 */
export interface StorageBinding {
  read(name: string): Promise<Uint8Array | undefined>;
  write(name: string, content: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Adds bytes to the end, durably; a crash may leave a part of them. Where it rejects, the end is as it was, as far as the
   * file system lets it.
   */
  append(name: string, content: Uint8Array): Promise<void>;
  /** As `append`, but for a power cut: it resolves when the content survives the process, as long as `machineRun` is the same. */
  note(name: string, content: Uint8Array): Promise<void>;
  /** Another text after each start of the machine; undefined where that is not known. */
  readonly machineRun: string | undefined;
  /** Writes synchronously, before all queued writes: for a process that is about to end. Throws if it fails. */
  writeNow(name: string, content: Uint8Array): void;
}

/** Parameters of a camera. Sizes in pixels, before rotation. */
export interface VideoRequest {
  /** The camera as the USB bus shows it. */
  readonly device: UsbIdentity;
  readonly width: number;
  readonly height: number;
  /** JPEG quality from 1 (smallest file) to 100; null: as the camera compresses. */
  readonly quality: number | null;
  /** Degrees clockwise. */
  readonly rotate: 0 | 90 | 180 | 270;
}

/** `no_program`: ffmpeg is missing. `ended`: the camera or the program that reads it stopped. `closed`: by `close`. */
export type VideoFault = 'no_program' | 'no_device' | 'timeout' | 'ended' | 'closed';

/** The only error a video call rejects with. */
export class VideoError extends Error {
  readonly fault: VideoFault;
  constructor(fault: VideoFault, detail?: string) {
    super(detail ? `${fault}: ${detail}` : fault);
    this.name = 'VideoError';
    this.fault = fault;
  }
}

/**
 * A camera that is running. Every implementation guarantees:
 * - `next` resolves with the first complete JPEG that arrives after the call, the same for all pending calls; pictures
 *   without a pending call are dropped. It rejects at its deadline, and at once when the camera stops or is closed;
 * - `close` resolves when the camera is released; closing twice does nothing. Both end in bounded time.
 */
export interface VideoPictures {
  next(options: { readonly timeoutMs: number }): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Cameras, used through the operating system's driver: their USB interfaces are not claimed. */
export interface VideoBinding {
  /** Starts a camera. Rejects with a VideoError; a missing program may be reported by the first `next` instead. */
  open(request: VideoRequest): Promise<VideoPictures>;
}

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
  /** Of the interface that carries the node's traffic; undefined while there is no address. */
  readonly ipv4?: Ipv4Settings & {
    /** `dhcp` also if the address was not set by NetworkManager. */
    readonly method: 'dhcp' | 'static';
  };
  /** Lower case with colons; '' if there is no interface. */
  readonly mac: string;
  /** Of a wired interface: how often a cable was plugged in since the machine started. It differs after one that was out for less time than the network manager notices. */
  readonly plugged?: number;
}

/**
 * `personal`: a password, for WPA or WPA2; `wpa3`: a password for WPA3 alone; `transition`: for both; `enterprise`: a name and a password, or a certificate (IEEE 802.1X).
 */
export type WifiSecurity = 'open' | 'wep' | 'personal' | 'transition' | 'wpa3' | 'enterprise';

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
  /** The networks in range, strongest first, one entry per SSID and band, without hidden ones. */
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
    /** Of an IPv6 link-local address. */
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

/** Gets the presses of buttons. */
export interface ButtonListener {
  /** `at`: monotonic ms, from the time stamp of the operating system's kernel if it gives one. */
  press(name: string, at: number): void;
  release(name: string, at: number): void;
}

/** Buttons on the box, by name: `b` is the one the specification calls B. */
export interface ButtonsBinding {
  /** True: real buttons, to which only a node started with `--appliance` listens. */
  readonly ofMachine: boolean;
  /** Starts to report. Does not reject if there is no button. */
  start(listener: ButtonListener): Promise<void>;
  /** Ends reporting. May be called before `start` and more than once. */
  stop(): Promise<void>;
}

/** A part of a blink pattern. */
export interface BlinkPhase {
  readonly lit: boolean;
  readonly ms: number;
}

/** The LED of the box that says how it is. If the box has none, both calls do nothing. Neither rejects. */
export interface LedBinding {
  /** True: a real LED, which only a node started with `--appliance` uses. */
  readonly ofMachine: boolean;
  /** Shows these phases, again and again until the next call; a single one is steady. Resolves when the first is shown. */
  show(phases: readonly BlinkPhase[]): Promise<void>;
  /** Leaves the LED to what the operating system showed with it. */
  release(): Promise<void>;
}

/** A boot slot: two for installed images, one for the image of the package. */
export type BootSlot = 'a' | 'b' | 'factory';

/**
 * Why this run was started. `crash`: the previous run ended by itself; `watchdog`: it made no progress and was killed;
 * `rollback`: the previous image did not work; `revert`: the factory image was requested.
 */
export type BootReason =
  | 'power_on'
  | 'restart'
  | 'update'
  | 'rollback'
  | 'revert'
  | 'crash'
  | 'watchdog'
  | 'out_of_memory';

/** A file of an image, and its position (bytes) in the data that was written. */
export interface SlotFile {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Writes an image into the boot slot that is not running. If it is discarded or fails, that slot is empty. */
export interface SlotWriter {
  /** Appends. Rejects if the disk is full. The buffer must not be changed before it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Reads written bytes back from the disk. */
  read(position: number, length: number): Promise<Uint8Array>;
  /**
   * Stores these files as the content of the slot, durably, after checking each digest again; then makes the slot the
   * one to boot next, on trial. Until that last step the boot state is unchanged.
   */
  commit(image: { readonly version: string; readonly files: readonly SlotFile[] }): Promise<void>;
  /** Deletes what was written. Does nothing after `commit` or when called again. */
  discard(): Promise<void>;
}

/** The boot slots on the disk, managed by the launcher. */
export interface BootSlots {
  /** Opens a writer. Rejects while another one is open. */
  begin(): Promise<SlotWriter>;
  /**
   * Makes the factory image the one that the next start boots, until an image is installed. The running image goes on
   * and the slots keep their content. Durable when it resolves; rejects if it cannot be stored.
   */
  revert(): Promise<void>;
  /** Versions that were rolled back: not to be installed again automatically. */
  readonly failed: readonly string[];
}

/** The two systems (kernel and root) on a disk, of which one runs (runtime/disk). */
export interface SystemSlots {
  /** The one that runs. */
  readonly slot: 'a' | 'b';
  /** Whether the one that runs is on trial: until it is good, the other one is the way back, and must stay. */
  onTrial(): boolean;
  /** Opens a writer for the system that does not run, which can no longer be started then. Rejects while another is open. */
  begin(options: { readonly anyVariant: boolean }): Promise<SlotWriter>;
  /** Starts the machine anew, with the system that was installed; it returns to this one if that is no good. */
  restart(): Promise<void>;
  /** Versions that were tried and were no good: not to be installed again automatically. */
  readonly failed: readonly string[];
}

/** The connection to the launcher, which started this run and starts the next. */
export interface BootBinding {
  /** The boot slot of the running image. */
  readonly slot: BootSlot;
  readonly reason: BootReason;
  /** The image is new, and has not been found good yet. */
  readonly onTrial?: true;
  /** How the previous run ended, if the launcher observed it. */
  readonly previous?: { readonly uptimeSeconds: number; readonly detail: string };
  /** The image that was booted before, if this is a newer factory image that came with an update of the package. */
  readonly superseded?: { readonly slot: BootSlot; readonly version: string };
  /** Absent if the image was started without a launcher: it cannot be updated then. */
  readonly slots?: BootSlots;
  /** Present on a disk that was made of an image of ours. */
  readonly system?: SystemSlots;
  /**
   * To call when all rooms have started. `works` is then called at once and every 2 seconds. The first true marks the
   * image as good. Without one within 60 seconds of the start, or later for 15 seconds, the launcher kills the image
   * and starts it again or rolls it back. Does nothing without a launcher.
   */
  markGood(works: () => Promise<boolean>): void;
  /** Stops the node in order and starts the image that is to be booted next. Returns at once. */
  restart(): void;
}

/** The process and machine the node runs in. */
export interface HostBinding {
  /** Bytes that the process may still allocate before it must refuse work; read before a large buffer is made. */
  memoryLeft(): number;
}

/** All parts of the machine. */
export interface Bindings {
  readonly usb: UsbBinding;
  readonly storage: StorageBinding;
  readonly host: HostBinding;
  readonly boot: BootBinding;
  readonly links: LinksBinding;
  /** Absent if this machine cannot have cameras. */
  readonly video?: VideoBinding;
  readonly radio?: RadioBinding;
  readonly buttons?: ButtonsBinding;
  readonly led?: LedBinding;
}
