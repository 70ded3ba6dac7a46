/** Serial adapters on the virtual bus as their chips are: vendor-specific, each with its own requests. */
import type { UsbSetup } from '../../../runtime/bindings/usb.ts';
import { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';

const VENDOR = { class: 0xff, subclass: 0, protocol: 0 };
export const CHIPS = {
  ftdi: { vendorId: 0x0403, productId: 0x6001, in: 0x81, out: 0x02, size: 64 },
  cp210x: { vendorId: 0x10c4, productId: 0xea60, in: 0x82, out: 0x01, size: 64 },
  ch340: { vendorId: 0x1a86, productId: 0x7523, in: 0x82, out: 0x02, size: 32 },
  pl2303: { vendorId: 0x067b, productId: 0x2303, in: 0x83, out: 0x02, size: 64 },
} as const;
export type Chip = keyof typeof CHIPS;

/** An adapter with a Toledo scale on it, in kilograms. */
export class ChipWithScale extends VirtualDevice {
  /** Requests as `type request value index data`, in hexadecimal. */
  readonly requests: string[] = [];
  readonly heard: string[] = [];
  /** What is on it, as it says it. */
  weight = '04.876';
  /** What the line makes of it once. */
  spoilt: string | undefined;
  /** Second status byte of FTDI: bits 1 to 4 are errors of the line. */
  lineStatus = 0;
  readonly #chip: (typeof CHIPS)[Chip];
  readonly #isFtdi: boolean;

  constructor(chip: Chip, serial?: string) {
    const { vendorId, productId, in: from, out, size } = CHIPS[chip];
    super({
      ...{ vendorId, productId, ...(serial !== undefined && { serial }) },
      interfaces: [
        {
          ...VENDOR,
          pipes: [
            { address: from, type: 'bulk', maxPacketSize: size },
            { address: out, type: 'bulk', maxPacketSize: size },
          ],
        },
      ],
    });
    this.#chip = CHIPS[chip];
    this.#isFtdi = chip === 'ftdi';
  }

  protected override control({ requestType, request, value, index }: UsbSetup, data: Uint8Array): Uint8Array {
    const numbers = [requestType, request, value, index].map((number) => number.toString(16));
    this.requests.push([...numbers, ...(data.length > 0 ? [Buffer.from(data).toString('hex')] : [])].join(' '));
    return new Uint8Array(0);
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    const text = Buffer.from(bytes).toString('latin1');
    this.heard.push(text);
    if (text === 'W') {
      const answer = Buffer.from(`\x02${this.spoilt ?? this.weight}\r`, 'latin1');
      this.spoilt = undefined;
      // FTDI puts two status bytes in front of each packet (AN232B-04).
      this.send(this.#chip.in, this.#isFtdi ? Buffer.concat([Uint8Array.of(0x01, this.lineStatus), answer]) : answer);
    }
    return bytes.length;
  }
}
