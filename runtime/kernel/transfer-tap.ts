/**
 * Stands between the USB binding and hot-plug, and reports the transfers of every device to `hooks.transfer` while
 * traffic is recorded. Otherwise a transfer costs one more function call, and no bytes are read or copied.
 */
import { defined } from '../base/defined.ts';
import {
  type TransferOptions,
  type UsbDevice,
  UsbError,
  type UsbFault,
  type UsbIdentity,
  type UsbListener,
  type UsbPipe,
  type UsbSetup,
} from '../bindings/usb.ts';
import type { Node } from './node.ts';

type Tapped = Pick<Node, 'hooks' | 'endpoints' | 'recording'>;
/** Where a transfer took place: on a pipe (bEndpointAddress), or on the control pipe with this request. */
type Place = { readonly pipe: number } | { readonly setup: UsbSetup };

const NOTHING = new Uint8Array(0);

/** A listener for the USB binding that passes every device on to `to`, wrapped so that its transfers are reported. */
export class TransferTap implements UsbListener {
  readonly #to: UsbListener;
  readonly #node: Tapped;
  readonly #devices = new Map<UsbDevice, TappedDevice>();

  constructor(to: UsbListener, node: Tapped) {
    this.#to = to;
    this.#node = node;
  }

  connect(device: UsbDevice): void {
    const tapped = new TappedDevice(device, this.#node);
    this.#devices.set(device, tapped);
    this.#to.connect(tapped);
  }

  disconnect(device: UsbDevice): void {
    const tapped = this.#devices.get(device);
    this.#devices.delete(device);
    if (tapped !== undefined) this.#to.disconnect(tapped);
  }
}

class TappedDevice implements UsbDevice {
  readonly identity: UsbIdentity;
  readonly #device: UsbDevice;
  readonly #node: Tapped;

  constructor(device: UsbDevice, node: Tapped) {
    this.identity = device.identity;
    this.#device = device;
    this.#node = node;
  }

  open(): Promise<void> {
    return this.#device.open();
  }

  claim(interfaceNumber: number, alternate?: number): Promise<void> {
    return this.#device.claim(interfaceNumber, alternate);
  }

  controlIn(setup: UsbSetup, length: number, options: TransferOptions): Promise<Uint8Array> {
    const transfer = this.#device.controlIn(setup, length, options);
    return this.#node.recording ? this.#received(transfer, { setup }) : transfer;
  }

  controlOut(setup: UsbSetup, data: Uint8Array, options: TransferOptions): Promise<void> {
    const transfer = this.#device.controlOut(setup, data, options);
    return this.#node.recording ? this.#sent(transfer, { setup }, data) : transfer;
  }

  transferOut(pipe: UsbPipe, data: Uint8Array, options: TransferOptions): Promise<void> {
    const transfer = this.#device.transferOut(pipe, data, options);
    return this.#node.recording ? this.#sent(transfer, { pipe: pipe.address }, data) : transfer;
  }

  /** A read can wait for hours, so whether it is recorded is decided when it ends. */
  transferIn(pipe: UsbPipe, length: number, options: TransferOptions): Promise<Uint8Array> {
    return this.#received(this.#device.transferIn(pipe, length, options), { pipe: pipe.address });
  }

  close(): Promise<void> {
    return this.#device.close();
  }

  async #received(transfer: Promise<Uint8Array>, place: Place): Promise<Uint8Array> {
    try {
      const data = await transfer;
      this.#tell('in', place, data);
      return data;
    } catch (error) {
      this.#tell('in', place, NOTHING, error);
      throw error;
    }
  }

  async #sent(transfer: Promise<void>, place: Place, data: Uint8Array): Promise<void> {
    try {
      await transfer;
      this.#tell('out', place, data);
    } catch (error) {
      this.#tell('out', place, error instanceof UsbError ? data.subarray(0, error.bytesTransferred) : NOTHING, error);
      throw error;
    }
  }

  #tell(direction: 'in' | 'out', place: Place, data: Uint8Array, error?: unknown): void {
    const { hooks, recording } = this.#node;
    if (!recording) return;
    const fault = error === undefined ? undefined : faultOf(error);
    // A read that ends without data is normal for an idle pipe: not reported.
    if (direction === 'in' && (fault === 'timeout' || fault === 'cancelled')) return;
    const { identity } = this;
    const state = this.#node.endpoints().find((each) => each.identity === identity);
    hooks.transfer.call({
      channel: `usb:${identity.port}`,
      direction,
      ...(state !== undefined && { endpoint: state.declaration.id }),
      data,
      device: identity,
      ...place,
      ...defined({ fault }),
    });
  }
}

const faultOf = (error: unknown): UsbFault => (error instanceof UsbError ? error.fault : 'io');
