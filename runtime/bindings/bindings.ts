/**
 * The one seam between the node and the machine under it. Native and virtual implementations stand side by side
 * and pass the same conformance suites (test/bindings); nothing above this file asks which one it got.
 */

/** A USB pipe as its endpoint descriptor states it (USB 2.0, 9.6.6). "Endpoint" is the API's word; here it is a pipe. */
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
  /** Class-specific descriptors that follow the interface descriptor (HID, for example), as they stand. */
  readonly extra: Uint8Array;
}

/** What is known of a device before anything is opened. Strings are untrusted, bounded to 126 characters, well-formed. */
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
  /** Why the descriptors could not be understood, where they could not. */
  readonly malformed?: string;
}

export interface TransferOptions {
  /** Every transfer carries a deadline. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

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
 * One connected device. Promises of an implementer:
 * - every transfer ends by its deadline, by its signal, or at once when the device is unplugged;
 * - a failed OUT transfer says exactly how many bytes went out;
 * - `claim` takes the interface from the kernel's driver, `close` releases everything, ends what is pending and
 *   gives the kernel its driver back; closing twice, or after an unplug, is harmless;
 * - two OUT transfers on one pipe leave in the order they were asked for.
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

/** One device a port: before another is reported there, the one before it is reported as gone. */
export interface UsbListener {
  connect(device: UsbDevice): void;
  /** After this every pending and later transfer of the device rejects with `disconnected`. */
  disconnect(device: UsbDevice): void;
}

export interface UsbBinding {
  /** `ok`, or why nothing can be plugged in: no USB bus in this machine, or a bus this process may not use. */
  readonly state: 'ok' | 'no_bus' | 'no_access';
  /** Reports devices already there as connected, then changes as they come. Never rejects for want of a bus. */
  start(listener: UsbListener): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Durable named blobs. Promises of an implementer:
 * - `write` resolves only when the new content survives a power cut; on rejection the old content still stands;
 * - `read` answers undefined for a name never written; names are [a-z0-9.-]{1,64};
 * - no partial content is ever read back under a name.
 */
export interface StorageBinding {
  read(name: string): Promise<Uint8Array | undefined>;
  write(name: string, content: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
  /** Writes before it returns, past every write that waits: for the last words of a process that ends. Throws. */
  writeNow(name: string, content: Uint8Array): void;
}

/** What a camera is asked for. Sizes in dots, before the picture is turned. */
export interface VideoRequest {
  /** The camera as the USB bus shows it. */
  readonly device: UsbIdentity;
  readonly width: number;
  readonly height: number;
  /** 1 (smallest) to 100; null leaves the compression to the camera. */
  readonly quality: number | null;
  /** Degrees clockwise. */
  readonly rotate: 0 | 90 | 180 | 270;
}

/** `ended`: the camera, or what reads it, gave up. `closed`: by `close`. */
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
 * A camera that is running. Promises of an implementer:
 * - `next` resolves with the first whole JPEG that comes after the call, the same for everybody who waits: pictures
 *   that nobody waits for are dropped; it rejects at its deadline, and at once when the camera ends or is closed;
 * - `close` lets go of the camera before it resolves; closing twice is harmless. Neither ever hangs.
 */
export interface VideoPictures {
  next(options: { readonly timeoutMs: number }): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Cameras as the machine's driver gives them: their USB interfaces are never claimed. */
export interface VideoBinding {
  /** Rejects with a VideoError; a program that is missing may also be told of by the first `next`. */
  open(request: VideoRequest): Promise<VideoPictures>;
}

export type Band = '2.4' | '5';

/** A Wi-Fi network to be part of. */
export interface WifiCredentials {
  /** 1 to 32 bytes. */
  readonly ssid: string;
  /** '' for an open network, else a WPA passphrase of 8 to 63 characters. */
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

/** How the machine is on the network now. */
export interface NetworkState {
  /** `setup`: it is the access point that `openSetup` opened. A cable with an address goes before any radio. */
  readonly mode: 'setup' | 'station' | 'ethernet' | 'offline';
  readonly ssid?: string;
  readonly band?: Band;
  readonly signalDbm?: number;
  /** Of the interface that carries the node's traffic; undefined while there is no address. */
  readonly ipv4?: Ipv4Settings & {
    /** `dhcp` also where somebody other than the network manager gave the address. */
    readonly method: 'dhcp' | 'static';
  };
  /** Lower-case, colons; '' where there is no interface. */
  readonly mac: string;
}

export interface SeenNetwork {
  readonly ssid: string;
  readonly band: Band;
  /** 0 to 100. */
  readonly signal: number;
  readonly secured: boolean;
}

/** `unmanaged`: NetworkManager is missing, does not run, or may not be used. */
export type RadioFault =
  | 'unmanaged'
  | 'no_radio'
  | 'no_network'
  | 'wrong_password'
  | 'no_address'
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
 * The machine's network, as its network manager has it. Promises of an implementer:
 * - every call ends by a deadline of its own; calls that change something run one after the other;
 * - nothing is stored in the machine: a connection lasts until the machine or its network manager starts anew;
 * - no password is ever on a command line, in an error or in a log.
 */
export interface RadioBinding {
  /** It is the machine's own: only a node that was started to own the machine changes it. */
  readonly ofMachine: boolean;
  /** Changes nothing. Works, as far as the kernel tells, without a network manager too. */
  read(): Promise<NetworkState>;
  /** Resolves where a join could be begun now. Rejects where there is no radio, or nobody who can be told to use it. */
  usable(): Promise<void>;
  /** Networks in reach, strongest first, one entry an SSID and band; hidden ones left out. */
  scan(): Promise<readonly SeenNetwork[]>;
  /** Becomes a WPA2 access point of its own with DHCP; every name that its clients look up is the node itself. */
  openSetup(network: { readonly ssid: string; readonly password: string }): Promise<{ readonly address: string }>;
  /**
   * Leaves whatever it was on and joins; resolves once it has an address. Without `ipv4` by DHCP. Rejected, it is on no
   * network that `join` or `openSetup` made, and nothing of the try is in the way of the next one; joined, it comes back
   * by itself after the network was away.
   */
  join(credentials: WifiCredentials, ipv4?: Ipv4Settings): Promise<void>;
  /**
   * A static address for the wired interface, where the machine has one: at once, or when a cable is plugged in.
   * Undefined leaves it to the machine's own settings, which are DHCP unless its administrator says otherwise.
   */
  wire(ipv4: Ipv4Settings | undefined): Promise<void>;
  /** Asks DHCP for a second address, and its gateway, beside the static one in use. Resolves without waiting for it. */
  alsoDhcp(): Promise<void>;
  /** Leaves the network that `join` or `openSetup` made. */
  leave(): Promise<void>;
  /** Whether a neighbour on the link answers for this address (ARP, RFC 826), or did a short while ago. */
  answers(address: string): Promise<boolean>;
  /** Calls `changed` after anything above may be different. Returns what ends it. */
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

/** The machine's interfaces, whoever manages them. */
export interface LinksBinding {
  /** Without loopback. */
  list(): readonly NetworkLink[];
  /** Calls `changed` when an interface or an address came or went. Returns what ends it. */
  watch(changed: () => void): () => void;
}

export interface ButtonListener {
  /** `at` is monotonic, in milliseconds, as the kernel stamped the event where it does. */
  press(name: string, at: number): void;
  release(name: string, at: number): void;
}

/** Buttons on the box, by name: `b` is the one the specification calls B. */
export interface ButtonsBinding {
  /** They are the machine's own: only a node that was started to own the machine listens to them. */
  readonly ofMachine: boolean;
  /** Never rejects for want of a button. */
  start(listener: ButtonListener): Promise<void>;
  /** Nothing is reported after it. Harmless before a start, and twice. */
  stop(): Promise<void>;
}

export type BootSlot = 'a' | 'b' | 'factory';

/**
 * Why this run was started. `crash`: the run before ended by itself; `watchdog`: it made no progress any more;
 * `rollback`: the image before did not come up; `revert`: somebody asked for the factory image.
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

/** A file of an image and where it stands in what was written. */
export interface SlotFile {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** An image on its way into the slot that is not running. What is refused or broken off leaves that slot empty. */
export interface SlotWriter {
  /** Appends. Rejects when the disk takes no more. The buffer must not be changed before it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Reads back, from the disk, what was written. */
  read(position: number, length: number): Promise<Uint8Array>;
  /**
   * Makes these files the slot's content, durably and each with its digest checked once more, then has the slot booted
   * next, on trial. Until the last step everything is as if nothing had been written.
   */
  commit(image: { readonly version: string; readonly files: readonly SlotFile[] }): Promise<void>;
  /** Gives up. Harmless after `commit` and when called twice. */
  discard(): Promise<void>;
}

/** The slots on the disk, looked after by the launcher outside the image. */
export interface BootSlots {
  /** Rejects while another writer is open. */
  begin(): Promise<SlotWriter>;
  /** Has the factory image booted next, and from then on. Durable when it resolves. */
  revert(): Promise<void>;
  /** Versions that were tried and rolled back: not to be taken again unasked. */
  readonly failed: readonly string[];
}

/** What started this run, and starts the next. */
export interface BootBinding {
  /** The slot the running image was taken from. */
  readonly slot: BootSlot;
  readonly reason: BootReason;
  /** Of the run before this one, where its end was seen from outside. */
  readonly previous?: { readonly uptimeSeconds: number; readonly detail: string };
  /** The image that was booted until a newer factory image, which is this one, came with the package. */
  readonly superseded?: { readonly slot: BootSlot; readonly version: string };
  /** Absent where the image was started without its launcher: it cannot be replaced then. */
  readonly slots?: BootSlots;
  /**
   * This image serves and its rooms are up. From now on it is asked whether it works: once it does, the launcher need not
   * fall back, and an image that does no more is started anew.
   */
  markGood(works: () => Promise<boolean>): void;
  /** Stops the node in order and starts what is to be booted next. Returns at once. */
  restart(): void;
}

/** The process and machine the node runs in. */
export interface HostBinding {
  /** Bytes the process may still take before it must refuse work; asked before a large buffer is made. */
  memoryLeft(): number;
}

export interface Bindings {
  readonly usb: UsbBinding;
  readonly storage: StorageBinding;
  readonly host: HostBinding;
  readonly boot: BootBinding;
  readonly links: LinksBinding;
  /** Absent where the machine has no cameras at all. */
  readonly video?: VideoBinding;
  readonly radio?: RadioBinding;
  readonly buttons?: ButtonsBinding;
}
