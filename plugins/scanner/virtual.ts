/** Scanners on the virtual bus: one that types, and one that sends HID POS reports. */
import type { LayoutName } from '../../codecs/keymaps.ts';
import type { Symbology } from '../../codecs/symbology.ts';
import type { UsbSetup } from '../../runtime/bindings/bindings.ts';
import type { ScannerBench } from './contract.ts';
import { VirtualHid, type VirtualHidOptions } from './virtual-hid.ts';
import { typeReports } from './virtual-typing.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));

/** AIM identifier a scanner sends for each symbology (ISO/IEC 15424). */
const AIM: Readonly<Record<Symbology, string>> = {
  ...{ ean13: ']E0', ean8: ']E4', upca: ']E0', upce: ']E0', code128: ']C0', 'gs1-128': ']C1', code39: ']A0' },
  ...{ code93: ']G0', code11: ']H0', itf: ']I0', codabar: ']F0', msi: ']M0', plessey: ']P0', telepen: ']B0' },
  ...{ straight2of5: ']S0', databar: ']e0', codablock: ']O4', code16k: ']K0', code49: ']T0', pdf417: ']L0' },
  ...{ micropdf417: ']L3', qr: ']Q1', datamatrix: ']d1', aztec: ']z0', maxicode: ']U0', hanxin: ']h0', ocr: ']o1' },
  other: ']X1',
};

const SET_REPORT = 0x09;
const SET_IDLE = 0x0a;
const SET_PROTOCOL = 0x0b;

export interface VirtualWedgeOptions extends VirtualHidOptions {
  /** The layout set up in the scanner. */
  readonly layout?: LayoutName;
  readonly terminator?: 'enter' | 'tab' | 'crlf' | 'none';
  /** Reports begin with this id in report protocol. */
  readonly reportId?: number;
  /** Stalls SET_PROTOCOL: stays in report protocol. */
  readonly refusesBootProtocol?: boolean;
  /** A keyboard of subclass 1; otherwise its report descriptor alone says what it is. Default true. */
  readonly boot?: boolean;
}

const TERMINATORS = { enter: '\r', tab: '\t', crlf: '\r\n', none: '' } as const;

/** The keyboard of HID 1.11, E.6, numbered where it has an id. */
const keyboardDescriptor = (reportId: number) =>
  hex(
    `05010906a101 ${reportId ? `85${reportId.toString(16).padStart(2, '0')}` : ''} 0507 19e0 29e7 1500 2501 7501 9508 8102
     9501 7508 8101 9505 7501 0508 1901 2905 9102 9501 7503 9101 9506 7508 1500 2565 0507 1900 2965 8100 c0`,
  );

/** A keyboard wedge: types what it reads. */
export class VirtualWedgeScanner extends VirtualHid implements ScannerBench {
  readonly #options: VirtualWedgeOptions;
  #bootProtocol = false;

  constructor(options: VirtualWedgeOptions = {}) {
    const reportDescriptor = keyboardDescriptor(options.reportId ?? 0);
    const names = { vendorId: 0x05e0, productId: 0x1200, make: 'Symbol Technologies, Inc', model: 'Bar Code Scanner' };
    super({ ...names, ...options, boot: options.boot ?? true, reportDescriptor, packetSize: 64 });
    this.#options = options;
  }

  /** The protocol the host chose; every power-up begins with report protocol (HID 1.11, 7.2.6). */
  get bootProtocol(): boolean {
    return this.#bootProtocol;
  }

  scan(value: string, symbology?: Symbology): void {
    const { layout = 'us', terminator = 'enter' } = this.#options;
    this.type(`${symbology === undefined ? '' : AIM[symbology]}${value}${TERMINATORS[terminator]}`, layout);
  }

  /** Types a text and nothing behind it. */
  type(text: string, layout: LayoutName = 'us'): void {
    const { reportId } = this.#options;
    for (const report of typeReports(text, layout)) {
      this.report(reportId === undefined || this.#bootProtocol ? report : Uint8Array.of(reportId, ...report));
    }
  }

  override detach(): void {
    this.#bootProtocol = false;
    super.detach();
  }

  protected override classRequest({ requestType, request, value }: UsbSetup): Uint8Array | 'stall' {
    if (requestType !== 0x21) return 'stall';
    if (request === SET_IDLE) return new Uint8Array(0);
    if (request !== SET_PROTOCOL || this.#options.refusesBootProtocol) return 'stall';
    this.#bootProtocol = value === 0;
    return new Uint8Array(0);
  }
}

export interface VirtualPosOptions extends VirtualHidOptions {
  /** Reads nothing before it was sent feature report FE with 01, as Honeywell scanners do. */
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
export class VirtualPosScanner extends VirtualHid implements ScannerBench {
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

  scan(value: string, symbology?: Symbology): void {
    if (!this.#awake) return;
    const data = Buffer.from(value, 'utf8');
    const aim = Buffer.from(symbology === undefined ? '\0\0\0' : AIM[symbology], 'latin1');
    for (let at = 0; at === 0 || at < data.length; at += POS_DATA_BYTES) {
      const part = data.subarray(at, at + POS_DATA_BYTES);
      const report = new Uint8Array(POS_REPORT_BYTES);
      report.set([2, part.length, ...aim, ...part]);
      report[POS_REPORT_BYTES - 1] = at + POS_DATA_BYTES < data.length ? 1 : 0;
      this.report(report);
    }
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

/** The scanner of the twin: a Honeywell in HID POS mode, which speaks once its row has woken it. */
export const createVirtualDevice = () =>
  new VirtualPosScanner({
    vendorId: 0x0c2e,
    productId: 0x0c01,
    make: 'Honeywell',
    model: 'HID POS scanner',
    asleep: true,
  });
