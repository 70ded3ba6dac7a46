/** A keyboard-wedge scanner on the virtual bus. */
import type { LayoutName } from '../../codecs/keymaps.ts';
import type { Symbology } from '../../codecs/symbology.ts';
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { VirtualHidDevice, type VirtualHidOptions } from '../../runtime/bindings/virtual/hid-device.ts';
import { AIM } from './virtual-aim.ts';
import { typeReports } from './virtual-typing.ts';
import { words } from './words/virtual/index.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));

const SET_REPORT = 0x09;
const OUTPUT_REPORT = 2;
const SET_IDLE = 0x0a;
const SET_PROTOCOL = 0x0b;

export interface VirtualWedgeOptions extends VirtualHidOptions {
  /** The keyboard layout that is set in the scanner. */
  readonly layout?: LayoutName;
  readonly terminator?: 'enter' | 'tab' | 'crlf' | 'none';
  /** Reports begin with this id in report protocol. */
  readonly reportId?: number;
  /** Stalls SET_PROTOCOL and stays in report protocol. */
  readonly refusesBootProtocol?: boolean;
  /** Accepts SET_PROTOCOL to the boot protocol and goes on with its numbered reports. */
  readonly keepsReportId?: boolean;
  /** A boot keyboard (subclass 1); without it only the report descriptor shows a keyboard. Default true. */
  readonly boot?: boolean;
}

const TERMINATORS = { enter: '\r', tab: '\t', crlf: '\r\n', none: '' } as const;

/** The report descriptor of HID 1.11, E.6, with a report id where that is not 0. */
const keyboardDescriptor = (reportId: number) =>
  hex(
    `05010906a101 ${reportId ? `85${reportId.toString(16).padStart(2, '0')}` : ''} 0507 19e0 29e7 1500 2501 7501 9508 8102
     9501 7508 8101 9505 7501 0508 1901 2905 9102 9501 7503 9101 9506 7508 1500 2565 0507 1900 2965 8100 c0`,
  );

/** A keyboard wedge: types what it reads. */
export class VirtualWedgeScanner extends VirtualHidDevice {
  override readonly actions = {
    type: { argument: { name: 'text', default: '4006381' }, act: (text: string) => this.type(text) },
  };
  override readonly words = words;
  readonly #options: VirtualWedgeOptions;
  #bootProtocol = false;
  #lights = 0;

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

  /** The lights that the host set last: bit 0 Num Lock, 1 Caps Lock, 2 Scroll Lock. */
  get lights(): number {
    return this.#lights;
  }

  scan(value: string, symbology?: Symbology): void {
    const { layout = 'us', terminator = 'enter' } = this.#options;
    this.type(`${symbology === undefined ? '' : AIM[symbology]}${value}${TERMINATORS[terminator]}`, layout);
  }

  /** Types a text without a terminator. */
  type(text: string, layout: LayoutName = 'us'): void {
    const { reportId, keepsReportId } = this.#options;
    const plain = reportId === undefined || (this.#bootProtocol && !keepsReportId);
    for (const report of typeReports(text, layout)) this.report(plain ? report : Uint8Array.of(reportId, ...report));
  }

  override detach(): void {
    this.#bootProtocol = false;
    this.#lights = 0;
    super.detach();
  }

  protected override classRequest({ requestType, request, value }: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    if (requestType !== 0x21) return 'stall';
    if (request === SET_IDLE) return new Uint8Array(0);
    if (request === SET_REPORT && value >> 8 === OUTPUT_REPORT) {
      this.#lights = data.at(-1) ?? 0;
      return new Uint8Array(0);
    }
    if (request !== SET_PROTOCOL || this.#options.refusesBootProtocol) return 'stall';
    this.#bootProtocol = value === 0;
    return new Uint8Array(0);
  }
}

/** The keyboard wedge of the twin: a Symbol scanner with factory settings. */
export const createVirtualDevice = () => new VirtualWedgeScanner();
