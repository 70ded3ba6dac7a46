/** A scanner on the virtual bus that is a modem to it (CDC-ACM). */
import type { Symbology } from '../../codecs/symbology.ts';
import type { UsbSetup } from '../../runtime/bindings/bindings.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { AIM } from './virtual-aim.ts';

const BULK_IN = 0x81;
const BULK_OUT = 0x02;
const NOTIFICATION = 0x83;
const SET_LINE_CODING = 0x20;
const SET_CONTROL_LINE_STATE = 0x22;
/** Header, ACM and union functional descriptors: interface 0 controls interface 1 (Communications Class 1.2, 5.2.3). */
const FUNCTIONAL = Uint8Array.of(5, 0x24, 0x00, 0x20, 0x01, 4, 0x24, 0x02, 0x02, 5, 0x24, 0x06, 0, 1);

export interface VirtualSerialOptions {
  readonly terminator?: string;
  readonly maxPacketSize?: number;
  /** Stalls the requests of the modem: a device that has no line. */
  readonly hasNoLine?: boolean;
}

export class VirtualSerialScanner extends VirtualDevice {
  readonly #options: VirtualSerialOptions;
  #lineCoding = '';
  #ready = false;

  constructor(options: VirtualSerialOptions = {}) {
    const { maxPacketSize = 64 } = options;
    super({
      ...{ vendorId: 0x1eab, productId: 0x1306, make: 'Newland', model: 'HR3260', class: 0x02 },
      interfaces: [
        {
          ...{ class: 0x02, subclass: 0x02, protocol: 0x01, extra: FUNCTIONAL },
          pipes: [{ address: NOTIFICATION, type: 'interrupt', maxPacketSize: 8 }],
        },
        {
          ...{ class: 0x0a, subclass: 0, protocol: 0 },
          pipes: [
            { address: BULK_IN, type: 'bulk', maxPacketSize },
            { address: BULK_OUT, type: 'bulk', maxPacketSize },
          ],
        },
      ],
    });
    this.#options = options;
  }

  /** As SET_LINE_CODING set it, in hexadecimal. */
  get lineCoding(): string {
    return this.#lineCoding;
  }

  scan(value: string, symbology?: Symbology): void {
    const { terminator = '\r\n' } = this.#options;
    this.write(`${symbology === undefined ? '' : AIM[symbology]}${value}${terminator}`);
  }

  /** Sends any text or bytes, and nothing before the host says that it is there. */
  write(data: string | Uint8Array): void {
    if (this.#ready || this.#options.hasNoLine) this.send(BULK_IN, Buffer.from(data as string));
  }

  override detach(): void {
    this.#ready = false;
    super.detach();
  }

  protected receive(_pipe: number, bytes: Uint8Array): number {
    return bytes.length;
  }

  protected control({ requestType, request, value, index }: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    if (this.#options.hasNoLine || requestType !== 0x21 || index !== 0) return 'stall';
    if (request === SET_LINE_CODING && data.length === 7) this.#lineCoding = Buffer.from(data).toString('hex');
    else if (request === SET_CONTROL_LINE_STATE) this.#ready = (value & 1) === 1;
    else return 'stall';
    return new Uint8Array(0);
  }
}

export const createVirtualDevice = (): VirtualSerialScanner => new VirtualSerialScanner();
