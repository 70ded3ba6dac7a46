/** The host's end of the virtual bus. */
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
import type { VirtualDevice } from './device.ts';

/** One pending transfer. It ends once: by completion, deadline, signal, close or disconnect. */
class Transfer<T> {
  readonly promise: Promise<T>;
  bytes = 0;
  #settle: { resolve: (value: T) => void; reject: (error: UsbError) => void } | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #ended: (transfer: Transfer<T>) => void;
  readonly #cancel = (): void => this.fail('cancelled');

  constructor(options: TransferOptions, ended: (transfer: Transfer<T>) => void) {
    this.promise = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#ended = ended;
    this.#signal = options.signal;
    this.#timer = setTimeout(() => this.fail('timeout'), options.timeoutMs);
    this.#signal?.addEventListener('abort', this.#cancel, { once: true });
  }

  complete(value: T): void {
    this.#end()?.resolve(value);
  }

  fail(fault: UsbFault, detail?: string): void {
    this.#end()?.reject(new UsbError(fault, this.bytes, detail));
  }

  #end(): { resolve: (value: T) => void; reject: (error: UsbError) => void } | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#cancel);
    if (settle) this.#ended(this);
    return settle;
  }
}

interface Pending {
  readonly out?: Uint8Array | undefined;
  readonly length: number;
  readonly transfer: Transfer<Uint8Array>;
}

const EMPTY = new Uint8Array();

/** One virtual device as the node sees it: implements `UsbDevice` for a `VirtualDevice`. */
export class VirtualUsbDevice implements UsbDevice {
  readonly identity: UsbIdentity;
  readonly #device: VirtualDevice;
  readonly #claims = new Map<number, UsbInterface>();
  /** Pending transfers by pipe address, in the order of the calls. */
  readonly #queues = new Map<number, Pending[]>();
  readonly #requests = new Set<Transfer<Uint8Array>>();
  readonly #scheduled = new Set<number>();
  #opened = false;
  #unplugged = false;

  constructor(device: VirtualDevice, identity: UsbIdentity) {
    this.#device = device;
    this.identity = identity;
  }

  /** Numbers of the interfaces that are claimed. */
  get claimed(): readonly number[] {
    return [...this.#claims.keys()];
  }

  async open(): Promise<void> {
    if (this.#unplugged) throw new UsbError('disconnected');
    if (this.#device.faults.denied) throw new UsbError('access', 0, 'this process may not open the device');
    this.#opened = true;
  }

  async claim(interfaceNumber: number, alternate = 0): Promise<void> {
    this.#requireOpen();
    const wanted = this.identity.interfaces.find((it) => it.number === interfaceNumber && it.alternate === alternate);
    if (!wanted) throw new UsbError('io', 0, `no interface ${interfaceNumber} alternate ${alternate}`);
    if (this.#device.faults.heldElsewhere)
      throw new UsbError('busy', 0, `interface ${interfaceNumber} is held elsewhere`);
    this.#claims.set(interfaceNumber, wanted);
  }

  async controlIn(setup: UsbSetup, length: number, options: TransferOptions): Promise<Uint8Array> {
    const answer = await this.#control(setup, EMPTY, options);
    return answer.slice(0, length);
  }

  async controlOut(setup: UsbSetup, data: Uint8Array, options: TransferOptions): Promise<void> {
    await this.#control(setup, data, options);
  }

  async transferOut(pipe: UsbPipe, data: Uint8Array, options: TransferOptions): Promise<void> {
    await this.#enqueue(pipe, 'out', { out: data, length: data.length }, options);
  }

  async transferIn(pipe: UsbPipe, length: number, options: TransferOptions): Promise<Uint8Array> {
    return this.#enqueue(pipe, 'in', { length }, options);
  }

  async close(): Promise<void> {
    this.#opened = false;
    this.#claims.clear();
    this.#endAll('cancelled');
  }

  /** Called by the bus when the device is disconnected: pending and later transfers reject with `disconnected`. */
  unplugged(): void {
    this.#unplugged = true;
    this.#claims.clear();
    this.#endAll('disconnected');
  }

  /** Called by the bus when the device can accept data or has data to send, on one pipe or on all. */
  ready(address?: number): void {
    for (const each of address === undefined ? this.#queues.keys() : [address]) this.#schedule(each);
  }

  #requireOpen(): void {
    if (this.#unplugged) throw new UsbError('disconnected');
    if (!this.#opened) throw new UsbError('io', 0, 'the device is not open');
  }

  #holds({ address }: UsbPipe): boolean {
    for (const { pipes } of this.#claims.values()) {
      for (const own of pipes) if (own.address === address) return true;
    }
    return false;
  }

  #control(setup: UsbSetup, data: Uint8Array, options: TransferOptions): Promise<Uint8Array> {
    this.#requireOpen();
    if (options.signal?.aborted) throw new UsbError('cancelled');
    const transfer: Transfer<Uint8Array> = new Transfer(options, (ended) => this.#requests.delete(ended));
    this.#requests.add(transfer);
    setImmediate(() => {
      if (!this.#requests.has(transfer)) return;
      const answer = this.#device.request(setup, data);
      if (answer === 'stall') transfer.fail('stall');
      else if (answer) transfer.complete(answer);
    });
    return transfer.promise;
  }

  #enqueue(
    pipe: UsbPipe,
    direction: 'in' | 'out',
    { out, length }: Omit<Pending, 'transfer'>,
    options: TransferOptions,
  ): Promise<Uint8Array> {
    this.#requireOpen();
    if (!this.#holds(pipe) || pipe.direction !== direction)
      throw new UsbError('io', 0, `no claimed ${direction} pipe ${pipe.address}`);
    if (options.signal?.aborted) throw new UsbError('cancelled');
    const queue = this.#queues.get(pipe.address) ?? [];
    this.#queues.set(pipe.address, queue);
    const transfer: Transfer<Uint8Array> = new Transfer(options, (ended) => {
      const at = queue.findIndex((each) => each.transfer === ended);
      if (at >= 0) queue.splice(at, 1);
      if (at === 0 && queue.length > 0) this.#schedule(pipe.address);
    });
    queue.push({ out, length, transfer });
    this.#schedule(pipe.address);
    return transfer.promise;
  }

  /** Data is transferred in a later iteration of the event loop, as on a real bus, never inside the caller's. */
  #schedule(address: number): void {
    if (this.#scheduled.has(address)) return;
    this.#scheduled.add(address);
    setImmediate(() => {
      this.#scheduled.delete(address);
      const first = this.#queues.get(address)?.[0];
      if (first?.out) this.#pushOut(address, first.out, first.transfer);
      else if (first) this.#pullIn(address, first);
    });
  }

  #pushOut(address: number, data: Uint8Array, transfer: Transfer<Uint8Array>): void {
    while (transfer.bytes < data.length) {
      const taken = this.#device.offer(address, transfer.bytes === 0 ? data : data.subarray(transfer.bytes));
      if (taken === 'stall') transfer.fail('stall');
      if (taken === 'stall' || taken === 0) return;
      transfer.bytes += taken;
    }
    transfer.complete(EMPTY);
  }

  #pullIn(address: number, { length, transfer }: Pending): void {
    const answer = this.#device.collect(address, length);
    if (answer === 'stall') transfer.fail('stall');
    else if (answer === 'overflow') transfer.fail('io', `the device sent more than ${length} bytes`);
    else if (answer) transfer.complete(answer);
  }

  #endAll(fault: UsbFault): void {
    const pending = [...this.#queues.values()].flat().map((each) => each.transfer);
    for (const transfer of [...pending, ...this.#requests]) transfer.fail(fault);
  }
}
