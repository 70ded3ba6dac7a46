/** A HID POS scanner on the virtual bus. */
import type { Symbology } from '../../codecs/symbology.ts';
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { VirtualHidDevice, type VirtualHidOptions } from '../../runtime/bindings/virtual/hid-device.ts';
import { AIM } from './virtual-aim.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));

const SET_REPORT = 0x09;
const SET_IDLE = 0x0a;

export interface VirtualPosOptions extends VirtualHidOptions {
  /** The scanner sends nothing before it gets feature report FE with 01, like Honeywell scanners. */
  readonly asleep?: boolean;
}

const POS_REPORT_BYTES = 64;
const POS_DATA_BYTES = 56;
const WAKE = hex('fe01');
/** Report 2: byte count, identifier, 56 data bytes, two bytes of the maker, the continuation bit. */
const POS_DESCRIPTOR = hex(
  '058c 0902 a101 8502 0912 a102 1500 26ff00 7508 0501 093b 9501 8102 058c 09fb 09fc 09fd 9503 8102' +
    '09fe 9538 820201 9502 8101 09ff 2501 7501 9501 8102 7507 8101 c0 c0',
);

/** A HID POS scanner with the 64-byte report of Honeywell, Zebra and Datalogic. */
export class VirtualPosScanner extends VirtualHidDevice {
  #awake: boolean;
  readonly #asleep: boolean;

  constructor({ asleep = false, ...options }: VirtualPosOptions = {}) {
    const names = {
      vendorId: 0x05f9,
      productId: 0x1206,
      make: 'Datalogic ADC, Inc.',
      model: 'Handheld Barcode Scanner',
    };
    super({ ...names, ...options, boot: false, reportDescriptor: POS_DESCRIPTOR, packetSize: POS_REPORT_BYTES });
    this.#asleep = asleep;
    this.#awake = !asleep;
  }

  /** Sends a code. Returns why it sends none. */
  scan(value: string, symbology?: Symbology): string | undefined {
    if (!this.#awake) return 'the scanner sends nothing before feature report FE 01 (row option featureReportOnOpen)';
    const data = Buffer.from(value, 'utf8');
    const aim = Buffer.from(symbology === undefined ? '\0\0\0' : AIM[symbology], 'latin1');
    for (let at = 0; at === 0 || at < data.length; at += POS_DATA_BYTES) {
      const part = data.subarray(at, at + POS_DATA_BYTES);
      const report = new Uint8Array(POS_REPORT_BYTES);
      report.set([2, part.length, ...aim, ...part]);
      report[POS_REPORT_BYTES - 1] = at + POS_DATA_BYTES < data.length ? 1 : 0;
      this.report(report);
    }
    return undefined;
  }

  override detach(): void {
    this.#awake = !this.#asleep;
    super.detach();
  }

  protected override classRequest({ requestType, request, value }: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    if (requestType !== 0x21) return 'stall';
    if (request === SET_IDLE) return new Uint8Array(0);
    if (request !== SET_REPORT || value !== 0x03fe || !WAKE.every((byte, at) => data[at] === byte)) return 'stall';
    this.#awake = true;
    return new Uint8Array(0);
  }
}

/** The scanner of the twin: a Honeywell in HID POS mode, which the feature report of its recipe row wakes. */
export const createVirtualDevice = () =>
  new VirtualPosScanner({
    vendorId: 0x0c2e,
    productId: 0x0c01,
    make: 'Honeywell',
    model: 'HID POS scanner',
    asleep: true,
  });
