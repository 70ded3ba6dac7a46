/** A device on the virtual bus as the public record has it: its descriptors, strings and answers, byte by byte. */
import { PictureSplitter } from '../../codecs/mjpeg.ts';
import type { SerialAssignment } from '../../plugins/serial/contract.ts';
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { type UpstreamPort, VirtualDevice, type VirtualStrings } from '../../runtime/bindings/virtual/device.ts';
import type { PictureSource } from '../../runtime/bindings/virtual/video.ts';
import { stringsOf } from './strings.ts';

/** What is known of a device. Bytes are hexadecimal. */
export interface FieldRecord {
  /** Device descriptor, then the first configuration. */
  readonly descriptors: string;
  readonly strings?: VirtualStrings;
  /** In place of `strings`: the string descriptors by their index, 0 being the list of languages. */
  readonly stringDescriptors?: Readonly<Record<string, string>>;
  /** By interface. */
  readonly reportDescriptors?: Readonly<Record<string, string>>;
  /** The text of the IEEE 1284 device id, or its answer as it came; without either the request is stalled. */
  readonly deviceId?: string;
  readonly deviceIdRaw?: string;
  /** Input reports, in their order. */
  readonly reports?: readonly string[];
  /** The pipe of these reports; 81 hex if not given. */
  readonly reportPipe?: number;
  /** How often it disconnects and connects again before it stays. */
  readonly reconnects?: number;
  /** By the bytes that come to its OUT pipe: the packet that it sends on the pipe of its reports, or several. */
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  /** Set where its OUT pipe takes nothing. */
  readonly takesNothing?: true;
  /** What the operator says hangs on a serial adapter. */
  readonly assigned?: SerialAssignment;
  /** What a camera sends, again and again; the pictures in it are taken out as the driver of a real one does. */
  readonly picture?: string;
}

/** Bytes of hexadecimal digits; blanks do not matter. */
export const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));

const GET_DEVICE_ID = 0x00;
const GET_DESCRIPTOR = 0x06;
const REPORT_DESCRIPTOR = 0x22;

/** A request of the host that carries no data towards it. */
export interface Requested {
  readonly setup: UsbSetup;
  readonly data: Uint8Array;
}

/** The device. It accepts every request that a host makes of it, and stalls those that it has no answer for. */
export class FieldDevice extends VirtualDevice implements PictureSource {
  /** OUT requests, in their order. */
  readonly requested: Requested[] = [];
  readonly received: Uint8Array[] = [];
  readonly #record: FieldRecord;
  #waiting: { readonly pipe: number; readonly bytes: Uint8Array }[] = [];
  #attached = false;

  constructor(record: FieldRecord) {
    const raw = hex(record.descriptors);
    const descriptors = Object.entries(record.stringDescriptors ?? {}).map(
      ([index, each]) => [index, hex(each)] as const,
    );
    super({ raw, strings: record.strings ?? stringsOf(raw, Object.fromEntries(descriptors)) });
    this.#record = record;
  }

  override attach(port: UpstreamPort): void {
    super.attach(port);
    this.#attached = true;
  }

  override detach(): void {
    this.#attached = false;
    this.#waiting = [];
    super.detach();
  }

  /** Sends an input report on a pipe, behind those that wait. */
  report(bytes: Uint8Array, pipe = 0x81): void {
    if (!this.#attached) return;
    this.#waiting.push({ pipe, bytes });
    this.#fill();
  }

  override collect(pipe: number, length: number): ReturnType<VirtualDevice['collect']> {
    const taken = super.collect(pipe, length);
    if (taken instanceof Uint8Array) this.#fill();
    return taken;
  }

  picture(): Uint8Array | undefined {
    return this.#record.picture === undefined ? undefined : new PictureSplitter().push(hex(this.#record.picture))[0];
  }

  protected override control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    const { requestType, request, value, index } = setup;
    if (!(requestType & 0x80)) {
      this.requested.push({ setup, data });
      return new Uint8Array(0);
    }
    if (requestType === 0x81 && request === GET_DESCRIPTOR && value >> 8 === REPORT_DESCRIPTOR) {
      const described = this.#record.reportDescriptors?.[index];
      return described === undefined ? 'stall' : hex(described);
    }
    return requestType === 0xa1 && request === GET_DEVICE_ID ? this.#deviceId() : 'stall';
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    if (this.#record.takesNothing) return 0;
    this.received.push(Uint8Array.from(bytes));
    const answer = this.#record.answers?.[Buffer.from(bytes).toString('hex')];
    for (const packet of [answer ?? []].flat()) this.report(hex(packet), this.#record.reportPipe);
    return bytes.length;
  }

  #deviceId(): Uint8Array | 'stall' {
    const { deviceId, deviceIdRaw } = this.#record;
    if (deviceIdRaw !== undefined) return hex(deviceIdRaw);
    if (deviceId === undefined) return 'stall';
    const length = deviceId.length + 2;
    return Uint8Array.from([length >> 8, length & 0xff, ...Buffer.from(deviceId, 'latin1')]);
  }

  #fill(): void {
    while (this.#waiting[0] !== undefined && this.send(this.#waiting[0].pipe, this.#waiting[0].bytes))
      this.#waiting.shift();
  }
}
