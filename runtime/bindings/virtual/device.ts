/**
 * The device's end of the virtual bus. A virtual device simulates a device with state: it has descriptors, answers
 * control requests, accepts OUT transfers as fast as it can, and sends on its IN pipes when it has data.
 */
import { defined } from '../../base/defined.ts';
import type { UsbSetup } from '../usb.ts';

/** A pipe of a virtual device, as its endpoint descriptor states it (USB 2.0, 9.6.6). */
export interface VirtualPipe {
  readonly address: number;
  readonly type: 'bulk' | 'interrupt';
  readonly maxPacketSize: number;
}

/** An interface of a virtual device, as its descriptor states it (USB 2.0, 9.6.5). */
export interface VirtualInterface {
  readonly class: number;
  readonly subclass: number;
  readonly protocol: number;
  readonly pipes: readonly VirtualPipe[];
  /** Default: its index in the list. */
  readonly number?: number;
  /** Default: 0. */
  readonly alternate?: number;
  /** Class-specific descriptors (HID, for example), placed behind the interface descriptor. */
  readonly extra?: Uint8Array;
}

/** String descriptors; a device without one has index 0 for it. */
export interface VirtualStrings {
  readonly make?: string;
  readonly model?: string;
  readonly serial?: string;
}

/** What the descriptors of a virtual device are built from. */
export interface VirtualDescription extends VirtualStrings {
  readonly vendorId: number;
  readonly productId: number;
  /** bDeviceClass; default 0: the interfaces state the class. */
  readonly class?: number;
  readonly selfPowered?: boolean;
  readonly interfaces: readonly VirtualInterface[];
}

const u16 = (value: number): [number, number] => [value & 0xff, (value >> 8) & 0xff];

/** Where the device descriptor holds idVendor and iManufacturer (USB 2.0, 9.6.1). */
const ID_VENDOR = 8;
const I_MANUFACTURER = 14;
const stringIndexes = ({ make, model, serial }: VirtualStrings) => [make ? 1 : 0, model ? 2 : 0, serial ? 3 : 0];

/** The device descriptor, then the configuration descriptor with all interfaces (USB 2.0, 9.6), as sysfs has them. */
export const describe = (device: VirtualDescription): Uint8Array => {
  const body: number[] = [];
  device.interfaces.forEach((it, order) => {
    const kind = [it.class, it.subclass, it.protocol];
    body.push(9, 4, it.number ?? order, it.alternate ?? 0, it.pipes.length, ...kind, 0, ...(it.extra ?? []));
    for (const pipe of it.pipes) {
      const interval = pipe.type === 'interrupt' ? 10 : 0;
      body.push(7, 5, pipe.address, pipe.type === 'bulk' ? 2 : 3, ...u16(pipe.maxPacketSize), interval);
    }
  });
  const ids = [...u16(device.vendorId), ...u16(device.productId), ...u16(0x0100)];
  const interfaces = new Set(device.interfaces.map((it, order) => it.number ?? order)).size;
  const attributes = device.selfPowered === false ? 0x80 : 0xc0;
  return Uint8Array.from([
    ...[18, 1, ...u16(0x0200), device.class ?? 0, 0, 0, 64, ...ids, ...stringIndexes(device), 1],
    ...[9, 2, ...u16(9 + body.length), interfaces, 1, 0, attributes, 50, ...body],
  ]);
};

/** Simulated faults of a device. They are conditions of the device, so they apply to every program that uses it. */
export interface VirtualFaults {
  /** Answers every transfer and request with NAK: nothing is accepted or sent. */
  nak: boolean;
  /** Stalls every request and transfer. */
  stall: boolean;
  /** How fast it accepts OUT data, in bytes per second; 0: without limit. */
  bytesPerSecond: number;
  /** Accepts at most this many bytes at a time. */
  maxAccept: number;
  /** Disconnects after it has accepted this many bytes since it was plugged in. */
  disconnectAfter: number;
  /** This process may not open it. */
  denied: boolean;
  /** Another program holds its interfaces. */
  heldElsewhere: boolean;
}

const HEALTHY: VirtualFaults = {
  nak: false,
  stall: false,
  bytesPerSecond: 0,
  maxAccept: Number.POSITIVE_INFINITY,
  disconnectAfter: Number.POSITIVE_INFINITY,
  denied: false,
  heldElsewhere: false,
};

/** The port of the bus that a device is plugged into. */
export interface UpstreamPort {
  /** This pipe, or every pipe, can accept data again or has data to send. */
  ready(pipe?: number): void;
  /** The device disconnects itself. */
  leave(): void;
}

/** A value that an action takes: what it is of, its default says. */
export type VirtualArgument = string | number | boolean;

/** Something that a hand can do with a virtual device: insert a coin, press a key. */
export interface VirtualAction {
  /** `name` has its words in `words`; a value of another type than the default is refused. */
  readonly argument?: { readonly name: string; readonly default: VirtualArgument };
  /** Does it. Throws a RangeError that says why where the device cannot do it with this argument. */
  act(argument?: VirtualArgument): void;
}

/** Actions by their names: lower-case letters, digits and hyphens. */
export type VirtualActions = Readonly<Record<string, VirtualAction>>;

/** The words for the actions and arguments of a device, by their names: in English, and in other languages by their code. */
export type VirtualWords = {
  readonly en: Readonly<Record<string, string>>;
} & Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Number of packets that a device queues for a host that does not read; later ones are lost. */
const QUEUE_PACKETS = 1024;
const SLICE_MS = 10;

/** Base class of virtual devices: implement `control` and `receive`, call `send`, `ready` and `leave`. */
export abstract class VirtualDevice {
  readonly descriptors: Uint8Array;
  /** What the bench of the twin can do with it, as buttons of its page and by POST /twin/action. */
  readonly actions: VirtualActions = {};
  readonly words: VirtualWords = { en: {} };
  #strings: VirtualStrings;
  #faults = HEALTHY;
  #port: UpstreamPort | undefined;
  #taken = 0;
  #nextByteAt = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #outbox = new Map<number, Uint8Array[]>();

  /** Takes a description, or raw descriptors for a device whose descriptors are wrong on purpose. */
  constructor(description: VirtualDescription | { readonly raw: Uint8Array; readonly strings?: VirtualStrings }) {
    this.descriptors = 'raw' in description ? description.raw : describe(description);
    this.#strings = 'raw' in description ? (description.strings ?? {}) : description;
  }

  get strings(): VirtualStrings {
    return this.#strings;
  }

  /** Changes ids and strings; absent strings are kept. Only while the device is not plugged in. */
  relabel({ vendorId, productId, make, model, serial }: Omit<VirtualDescription, 'interfaces'>): void {
    const { strings } = this;
    this.#strings = {
      ...strings,
      ...defined({ make, model, serial }),
    };
    this.descriptors.set([...u16(vendorId), ...u16(productId)], ID_VENDOR);
    this.descriptors.set(stringIndexes(this.#strings), I_MANUFACTURER);
  }

  get faults(): Readonly<VirtualFaults> {
    return this.#faults;
  }

  /** Sets or clears faults. */
  misbehave(changes: Partial<VirtualFaults>): void {
    this.#faults = { ...this.#faults, ...changes };
    this.ready();
  }

  /** Handles a class or vendor request. Returns its data stage (empty for OUT), 'stall', or undefined: no response. */
  protected abstract control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' | undefined;

  /** Handles OUT data. Returns how many bytes it accepts; 0 is a NAK: call `ready(pipe)` when it can accept more. */
  protected abstract receive(pipe: number, bytes: Uint8Array): number;

  /** Queues one message for the host. False: the queue is full or the device unplugged, and the message is lost. */
  protected send(pipe: number, message: Uint8Array): boolean {
    const queue = this.#outbox.get(pipe) ?? [];
    this.#outbox.set(pipe, queue);
    const size = this.#packetSize(pipe);
    if (!this.#port || queue.length + message.length / size >= QUEUE_PACKETS) return false;
    for (let at = 0; at < message.length; at += size) queue.push(message.slice(at, at + size));
    // On a bulk pipe a short packet ends the message; on an interrupt pipe the report descriptor states its length.
    if (message.length === 0 || (message.length % size === 0 && this.#isBulk(pipe))) queue.push(new Uint8Array());
    this.ready(pipe);
    return true;
  }

  /** Tells the bus that this pipe, or every pipe, can accept data again or has data to send. */
  protected ready(pipe?: number): void {
    this.#port?.ready(pipe);
  }

  /** Disconnects, as a device does that loses power. */
  protected leave(): void {
    this.#port?.leave();
  }

  /**
   * Called when the device is plugged in. Override it to reset the device's state. Throws if it is plugged in already.
   */
  attach(port: UpstreamPort): void {
    if (this.#port) throw new Error('the device is plugged in already');
    this.#port = port;
    this.#taken = 0;
    this.#nextByteAt = 0;
  }

  /** Called when the device was disconnected: discards queued messages and stops the timer. */
  detach(): void {
    this.#port = undefined;
    this.#outbox.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Called by the bus with bytes for an OUT pipe. Returns how many were accepted. */
  offer(pipe: number, bytes: Uint8Array): number | 'stall' {
    const { nak, stall, bytesPerSecond, maxAccept, disconnectAfter } = this.#faults;
    if (stall) return 'stall';
    if (nak) return 0;
    if (this.#taken >= disconnectAfter) {
      queueMicrotask(() => this.leave());
      return 0;
    }
    let room = Math.min(bytes.length, maxAccept, disconnectAfter - this.#taken);
    if (bytesPerSecond > 0) room = Math.min(room, this.#sliceDue(bytesPerSecond));
    if (room === 0) return 0;
    const taken = this.receive(pipe, bytes.subarray(0, room));
    this.#taken += taken;
    this.#nextByteAt += bytesPerSecond > 0 ? (taken * 1000) / bytesPerSecond : 0;
    if (this.#taken >= disconnectAfter) queueMicrotask(() => this.leave());
    return taken;
  }

  /**
   * Called by the bus to read an IN pipe; undefined is a NAK. A transfer ends with `length` bytes or a short packet
   * (USB 2.0, 5.8.3).
   */
  collect(pipe: number, length: number): Uint8Array | 'stall' | 'overflow' | undefined {
    if (this.#faults.stall) return 'stall';
    const queue = this.#outbox.get(pipe);
    if (!queue || this.#faults.nak) return undefined;
    const size = this.#packetSize(pipe);
    let bytes = 0;
    const last = queue.findIndex((packet) => {
      bytes += packet.length;
      return packet.length < size || bytes >= length;
    });
    if (last < 0) return undefined;
    const packets = queue.splice(0, last + 1);
    return bytes > length ? 'overflow' : Buffer.concat(packets);
  }

  /** Called by the bus with a control request. GET_DESCRIPTOR is handled here, all others by `control`. */
  request(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' | undefined {
    if (this.#faults.stall) return 'stall';
    if (this.#faults.nak) return undefined;
    return setup.requestType === 0x80 && setup.request === 6
      ? this.#descriptor(setup.value)
      : this.control(setup, data);
  }

  /** GET_DESCRIPTOR of the device (1), the configuration (2) or a string (3). */
  #descriptor(value: number): Uint8Array | 'stall' {
    if (value >> 8 === 1) return this.descriptors.subarray(0, 18);
    if (value >> 8 === 2) return this.descriptors.subarray(18);
    if (value >> 8 !== 3) return 'stall';
    const { make, model, serial } = this.strings;
    const text = ['\u0409', make, model, serial][value & 0xff];
    return text ? Buffer.concat([Uint8Array.of(2 + text.length * 2, 3), Buffer.from(text, 'utf16le')]) : 'stall';
  }

  /** Number of bytes to accept now at this rate, for the next 10 ms. If 0, a timer calls `ready` later. */
  #sliceDue(bytesPerSecond: number): number {
    const now = performance.now();
    if (now >= this.#nextByteAt) {
      this.#nextByteAt = Math.max(this.#nextByteAt, now - SLICE_MS);
      return Math.max(1, Math.floor((bytesPerSecond * SLICE_MS) / 1000));
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.ready();
    }, this.#nextByteAt - now);
    return 0;
  }

  /** Offset of the pipe's endpoint descriptor, or -1. Searched in the raw bytes, as they may be wrong on purpose. */
  #endpoint(pipe: number): number {
    const raw = this.descriptors;
    for (let at = 0; at + 6 < raw.length && raw[at]! > 0; at += raw[at]!) {
      if (raw[at + 1] === 5 && raw[at + 2] === pipe) return at;
    }
    return -1;
  }

  #packetSize(pipe: number): number {
    const at = this.#endpoint(pipe);
    return at < 0 ? 64 : Math.max(1, this.descriptors[at + 4]! | (this.descriptors[at + 5]! << 8));
  }

  #isBulk(pipe: number): boolean {
    const at = this.#endpoint(pipe);
    return at >= 0 && this.descriptors[at + 3] === 2;
  }
}
