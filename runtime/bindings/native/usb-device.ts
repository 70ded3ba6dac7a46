import type { Device } from 'usb';
import { createTurns } from '../../base/turns.ts';
import {
  type TransferOptions,
  type UsbDevice,
  UsbError,
  type UsbFault,
  type UsbIdentity,
  type UsbInterface,
  type UsbPipe,
  type UsbSetup,
} from '../usb.ts';
import { attempt, completed, type Libusb, loadLibusb, submit, usbFaultOf } from './libusb.ts';
import type { SysfsDevice } from './sysfs.ts';
import { UsbCall } from './usb-call.ts';

/** How a transfer ended. `actual` is exact, also when it was cancelled. */
interface Completion {
  readonly actual: number;
  readonly fault?: UsbFault | undefined;
  /** The error message of libusb. */
  readonly detail?: string;
}

/** Longer data is split into transfers of this size, so that a cancel is quick. A multiple of every packet size. */
const TRANSFER_BYTES = 16_384;
/** A new device may be opened later: udevd first sets the permissions of its device node and informs libusb. */
const OPEN_PATIENCE_MS = 3000;
const OPEN_RETRY_MS = 50;
/** The last transfers of a device that is unplugged fail with I/O errors before its hub reports the disconnect. */
const DEPARTURE_MS = 500;
const CONTROL_PIPE = { address: 0, type: 'control' } as const;
const SETUP_BYTES = 8;

/** A device on the machine's USB bus, driven through libusb. */
export class NativeUsbDevice implements UsbDevice {
  readonly identity: UsbIdentity;
  /** Path of the device's node below /dev/bus/usb. */
  readonly node: string;
  readonly #found: SysfsDevice;
  readonly #lost: () => void;
  #open: { readonly handle: Device; readonly libusb: Libusb } | undefined;
  #gone = false;
  #depart = (): void => {};
  readonly #departed = new Promise<void>((resolve) => {
    this.#depart = resolve;
  });
  readonly #claims = new Map<number, UsbInterface>();
  readonly #calls = new Set<UsbCall>();
  /** The last transfer asked for on each pipe: the next one waits for it. */
  readonly #tails = new Map<number, Promise<void>>();
  /** Runs open, claim and close one after the other. */
  readonly #inOrder = createTurns();

  /** `lost` is called when a transfer fails because the device is gone, perhaps before the bus has noticed. */
  constructor(identity: UsbIdentity, found: SysfsDevice, lost: () => void) {
    this.identity = identity;
    this.#found = found;
    this.#lost = lost;
    this.node = [found.bus, found.address].map((number) => String(number).padStart(3, '0')).join('/');
  }

  /** The device is disconnected. libusb may report this before the device disappears from sysfs. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Whether this is the device that sysfs lists: after replugging it has another address. */
  is({ port, bus, address }: SysfsDevice): boolean {
    return port === this.#found.port && bus === this.#found.bus && address === this.#found.address;
  }

  open(): Promise<void> {
    return this.#inOrder(async () => {
      const libusb = await loadLibusb().catch((error) => {
        throw new UsbError('io', 0, String(error));
      });
      const giveUpAt = performance.now() + OPEN_PATIENCE_MS;
      while (!this.#open) {
        if (this.#gone) throw new UsbError('disconnected');
        const refusal = this.#tryOpen(libusb);
        if (!refusal) return;
        if (refusal.fault !== 'access' || performance.now() >= giveUpAt) throw refusal;
        await new Promise((resolve) => setTimeout(resolve, OPEN_RETRY_MS));
      }
    });
  }

  claim(interfaceNumber: number, alternate = 0): Promise<void> {
    return this.#inOrder(async () => {
      const { handle, libusb } = this.#opened();
      const wanted = this.identity.interfaces.find(
        (each) => each.number === interfaceNumber && each.alternate === alternate,
      );
      if (!wanted) throw new UsbError('io', 0, `no interface ${interfaceNumber} alternate ${alternate}`);
      // The Interface class of the addon uses the index in its list as the interface number: not used here.
      try {
        handle.__claimInterface(interfaceNumber);
      } catch (error) {
        throw this.#errorOf(libusb, error);
      }
      this.#claims.set(interfaceNumber, wanted);
      if (alternate === 0) return;
      const error = await completed((done) => handle.__setInterface(interfaceNumber, alternate, done));
      if (error) throw this.#errorOf(libusb, error);
    });
  }

  controlIn(setup: UsbSetup, length: number, options: TransferOptions): Promise<Uint8Array> {
    return this.#control(setup, new Uint8Array(length), options);
  }

  async controlOut(setup: UsbSetup, data: Uint8Array, options: TransferOptions): Promise<void> {
    await this.#control(setup, data, options);
  }

  transferOut(pipe: UsbPipe, data: Uint8Array, options: TransferOptions): Promise<void> {
    return this.#inTurn(pipe.address, options, async (call) => {
      this.#requireClaimed(pipe, 'out');
      let sent = 0;
      do {
        const { actual, fault, detail } = await this.#transfer(pipe, data.subarray(sent, sent + TRANSFER_BYTES), call);
        sent += actual;
        if (fault) throw new UsbError(fault, sent, detail);
      } while (sent < data.length);
    });
  }

  transferIn(pipe: UsbPipe, length: number, options: TransferOptions): Promise<Uint8Array> {
    return this.#inTurn(pipe.address, options, async (call) => {
      this.#requireClaimed(pipe, 'in');
      const buffer = new Uint8Array(length);
      const { actual, fault, detail } = await this.#transfer(pipe, buffer, call);
      // Full packets that arrived before the deadline are returned: the device does not send them again.
      const partial = actual > 0 && (fault === 'timeout' || fault === 'cancelled');
      if (fault && !partial) throw new UsbError(fault, actual, detail);
      return buffer.subarray(0, actual);
    });
  }

  close(): Promise<void> {
    this.#endCalls('cancelled');
    return this.#inOrder(async () => {
      if (!this.#open) return;
      const { handle } = this.#open;
      // From here on no transfer starts: libusb cannot close a device with pending transfers.
      this.#open = undefined;
      this.#endCalls('cancelled');
      await Promise.all(this.#tails.values());
      this.#tails.clear();
      for (const number of this.#claims.keys()) await completed((done) => handle.__releaseInterface(number, done));
      this.#claims.clear();
      attempt(() => handle.close());
    });
  }

  /** Called by the bus when the device is disconnected: pending and later transfers reject with `disconnected`. */
  unplugged(): void {
    this.#gone = true;
    this.#depart();
    this.#endCalls('disconnected');
    void this.close();
  }

  #tryOpen(libusb: Libusb): UsbError | undefined {
    const { bus, address } = this.#found;
    try {
      const handle = libusb.getDeviceList().find((each) => each.busNumber === bus && each.deviceAddress === address);
      if (!handle) return new UsbError('access', 0, 'not in the device list of libusb, which udevd informs');
      handle.open(false);
      // A claim then detaches the driver in one step; releasing attaches it again, on a thread of libusb.
      handle.__setAutoDetachKernelDriver(1);
      this.#open = { handle, libusb };
      return undefined;
    } catch (error) {
      return this.#errorOf(libusb, error);
    }
  }

  #opened(): { readonly handle: Device; readonly libusb: Libusb } {
    if (this.#gone) throw new UsbError('disconnected');
    if (!this.#open) throw new UsbError('io', 0, 'the device is not open');
    return this.#open;
  }

  #requireClaimed(pipe: UsbPipe, direction: UsbPipe['direction']): void {
    const claimed = [...this.#claims.values()].some(({ pipes }) => pipes.some((own) => own.address === pipe.address));
    if (!claimed || pipe.direction !== direction || pipe.type === 'isochronous')
      throw new UsbError('io', 0, `no claimed ${direction} pipe ${pipe.address}`);
  }

  /** A control transfer: eight bytes of setup, then the data (USB 2.0, 9.3). Resolves with the data stage. */
  #control(setup: UsbSetup, data: Uint8Array, options: TransferOptions): Promise<Uint8Array> {
    return this.#inTurn(CONTROL_PIPE.address, options, async (call) => {
      const buffer = Buffer.alloc(SETUP_BYTES + data.length);
      buffer.writeUInt8(setup.requestType, 0);
      buffer.writeUInt8(setup.request, 1);
      buffer.writeUInt16LE(setup.value, 2);
      buffer.writeUInt16LE(setup.index, 4);
      buffer.writeUInt16LE(data.length, 6);
      buffer.set(data, SETUP_BYTES);
      const { actual, fault, detail } = await this.#transfer(CONTROL_PIPE, buffer, call);
      if (fault) throw new UsbError(fault, actual, detail);
      return buffer.subarray(SETUP_BYTES, SETUP_BYTES + actual);
    });
  }

  /** Runs after every earlier transfer on the pipe has ended; the deadline and the signal also apply to the waiting. */
  async #inTurn<T>(address: number, options: TransferOptions, run: (call: UsbCall) => Promise<T>): Promise<T> {
    this.#opened();
    const call = new UsbCall(options);
    this.#calls.add(call);
    try {
      return await new Promise<T>((resolve, reject) => {
        call.onEnd = (fault) => reject(new UsbError(fault));
        const turn = async () => {
          if (call.fault) return;
          const outcome = run(call);
          resolve(outcome);
          await outcome.catch((error: UsbError) => this.#clearHalt(address, error.fault));
        };
        this.#tails.set(address, (this.#tails.get(address) ?? Promise.resolve()).then(turn));
      });
    } finally {
      call.dispose();
      this.#calls.delete(call);
    }
  }

  /** A stalled pipe stays halted until CLEAR_FEATURE (USB 2.0, 9.4.5); the control pipe does not (8.5.3.4). */
  async #clearHalt(address: number, fault: UsbFault): Promise<void> {
    const { handle } = this.#open ?? {};
    if (handle && fault === 'stall' && address !== CONTROL_PIPE.address)
      await completed((done) => handle.__clearHalt(address, done));
  }

  async #transfer(pipe: Pick<UsbPipe, 'address' | 'type'>, data: Uint8Array, call: UsbCall): Promise<Completion> {
    if (call.fault) return { actual: 0, fault: call.fault };
    const { handle, libusb } = this.#opened();
    const { actual, error } = await submit(libusb, handle, pipe, data, call);
    if (!error) return { actual };
    const found = this.#faultOf(libusb, error);
    if (found === 'io' && !call.fault) await this.#mayDepart(call);
    // A transfer that was cancelled ended for its call's reason.
    return { actual, fault: this.#gone ? 'disconnected' : (call.fault ?? found), detail: error.message };
  }

  /** After an I/O error: waits up to 500 ms for the bus to report a disconnect. */
  async #mayDepart(call: UsbCall): Promise<void> {
    this.#lost();
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DEPARTURE_MS);
      call.onEnd = () => resolve();
    });
    await Promise.race([this.#departed, over]);
    clearTimeout(timer);
  }

  #errorOf(libusb: Libusb, error: unknown): UsbError {
    const cause = error as Error;
    return new UsbError(this.#faultOf(libusb, cause), 0, cause.message);
  }

  #faultOf(libusb: Libusb, error: Error): UsbFault {
    const fault = usbFaultOf(libusb, error);
    if (fault === 'disconnected' && !this.#gone) {
      this.unplugged();
      this.#lost();
    }
    return this.#gone ? 'disconnected' : fault;
  }

  #endCalls(fault: UsbFault): void {
    for (const call of this.#calls) call.end(fault);
  }
}
