/** The USB devices of the machine. */

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
