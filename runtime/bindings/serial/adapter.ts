/** What drives one kind of serial adapter: the requests that set its line, and what its packets mean. */
import type { LineSettings } from '../../../codecs/serial-line.ts';
import type { UsbDevice, UsbIdentity, UsbPipe } from '../usb.ts';

/** Two bulk pipes, and the interfaces to claim. */
export interface AdapterPipes {
  readonly interfaces: readonly number[];
  readonly in: UsbPipe;
  readonly out: UsbPipe;
}

/** Bytes of the line out of one packet. `broken`: some arrived with wrong parity, framing, or too fast. */
export interface LineBytes {
  readonly bytes: Uint8Array;
  readonly broken: boolean;
}

/** One kind of adapter. */
export interface Adapter {
  readonly name: string;
  /** The pipes of its first line, where this device is one. */
  pipes(identity: UsbIdentity): AdapterPipes | undefined;
  /**
   * Sets the line of a claimed device, and raises DTR and RTS. `last`: the character at which a chip that gathers bytes
   * sends what it has. Rejects with a UsbError.
   */
  set(device: UsbDevice, pipes: AdapterPipes, line: LineSettings, last?: string): Promise<void>;
  /** For adapters that put something of their own into each packet. */
  unpack?(packet: Uint8Array): LineBytes;
}

/** Time limit of one request. */
export const REQUEST_MS = 1000;
/** bInterfaceClass of chips without a class of their own. */
export const VENDOR_CLASS = 0xff;

/** For chips without a class of their own: the bulk pipes of the first vendor-specific interface, where the ids are known. */
export function vendorPipes(ids: ReadonlySet<string>, { vendorId, productId, interfaces }: UsbIdentity) {
  if (!ids.has(`${vendorId}:${productId}`)) return undefined;
  for (const { number, alternate, class: code, pipes } of interfaces) {
    if (alternate !== 0 || code !== VENDOR_CLASS) continue;
    const bulk = (way: UsbPipe['direction']) =>
      pipes.find(({ type, direction }) => type === 'bulk' && direction === way);
    const [from, to] = [bulk('in'), bulk('out')];
    if (from !== undefined && to !== undefined) return { interfaces: [number], in: from, out: to };
  }
  return undefined;
}

/** Requests of one type, by their numbers, without data or with it. */
export const requestsTo =
  (device: UsbDevice, requestType: number, index: number) =>
  (request: number, value: number, data = new Uint8Array(0), at = index): Promise<void> =>
    device.controlOut({ requestType, request, value, index: at }, data, { timeoutMs: REQUEST_MS });

/** The place of a parity in the tables of the chips, which count none, odd, even. */
export const PARITY = { none: 0, odd: 1, even: 2 } as const;
