/** A virtual device with a serial line over USB (CDC-ACM: Communications Class 1.2, PSTN Subclass 1.2). */
import type { UsbSetup } from '../usb.ts';
import { VirtualDevice, type VirtualStrings } from './device.ts';

const COMMUNICATIONS = 0x02;
const DATA = 0x0a;
const BULK_IN = 0x81;
const BULK_OUT = 0x02;
const NOTIFICATION = 0x83;
const TO_INTERFACE = 0x21;
const SET_LINE_CODING = 0x20;
const SET_CONTROL_LINE_STATE = 0x22;
/** Header, ACM and union functional descriptors: interface 0 controls interface 1 (Communications Class 1.2, 5.2.3). */
const FUNCTIONAL = Uint8Array.of(5, 0x24, 0x00, 0x20, 0x01, 4, 0x24, 0x02, 0x02, 5, 0x24, 0x06, 0, 1);

/** What a virtual serial device is: its ids, its strings and the properties of its line. */
export interface VirtualAcmDescription extends VirtualStrings {
  readonly vendorId: number;
  readonly productId: number;
  /** Packet size of both bulk pipes, in bytes; 64 if not given. */
  readonly maxPacketSize?: number;
  /** Stalls SET_LINE_CODING and SET_CONTROL_LINE_STATE, and sends without waiting for DTR. */
  readonly hasNoLine?: boolean;
}

/** A device with one CDC-ACM function: extend it for a serial scanner, display or scale. */
export abstract class VirtualAcmDevice extends VirtualDevice {
  readonly #hasNoLine: boolean;
  #lineCoding = '';
  #hostIsThere = false;

  constructor({ maxPacketSize = 64, hasNoLine = false, ...names }: VirtualAcmDescription) {
    super({
      ...names,
      class: COMMUNICATIONS,
      interfaces: [
        {
          ...{ class: COMMUNICATIONS, subclass: 0x02, protocol: 0x01, extra: FUNCTIONAL },
          pipes: [{ address: NOTIFICATION, type: 'interrupt', maxPacketSize: 8 }],
        },
        {
          ...{ class: DATA, subclass: 0, protocol: 0 },
          pipes: [
            { address: BULK_IN, type: 'bulk', maxPacketSize },
            { address: BULK_OUT, type: 'bulk', maxPacketSize },
          ],
        },
      ],
    });
    this.#hasNoLine = hasNoLine;
  }

  /** The 7 bytes of the last SET_LINE_CODING in hexadecimal; '' before it. */
  get lineCoding(): string {
    return this.#lineCoding;
  }

  /** Whether the host has raised DTR. */
  get hostIsThere(): boolean {
    return this.#hostIsThere;
  }

  /** Sends text (UTF-8) or bytes to the host. Does nothing before the host has raised DTR. */
  write(data: string | Uint8Array): void {
    if (this.#hostIsThere || this.#hasNoLine) this.send(BULK_IN, Buffer.from(data as string));
  }

  override detach(): void {
    this.#hostIsThere = false;
    super.detach();
  }

  /** Called when the host raises DTR. */
  protected hostCame(): void {}

  /** Called with bytes from the host. Returns how many were accepted; by default all, and they are ignored. */
  protected receive(_pipe: number, bytes: Uint8Array): number {
    return bytes.length;
  }

  protected control({ requestType, request, value, index }: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    if (this.#hasNoLine || requestType !== TO_INTERFACE || index !== 0) return 'stall';
    if (request === SET_LINE_CODING && data.length === 7) this.#lineCoding = Buffer.from(data).toString('hex');
    else if (request === SET_CONTROL_LINE_STATE) {
      this.#hostIsThere = (value & 1) === 1;
      if (this.#hostIsThere) this.hostCame();
    } else return 'stall';
    return new Uint8Array(0);
  }
}
