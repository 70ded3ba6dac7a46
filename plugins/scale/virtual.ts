import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { type UpstreamPort, VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import type { ScaleCondition } from './contract.ts';
import { words } from './words/virtual/index.ts';

export type VirtualScaleUnit = 'g' | 'kg' | 'oz' | 'lb';

export interface VirtualScaleOptions {
  readonly vendorId?: number;
  readonly productId?: number;
  readonly make?: string;
  readonly model?: string;
  readonly unit?: VirtualScaleUnit;
  /** Milliseconds between two reports; 0 for a scale that reports only changes. Default 100. */
  readonly reportMs?: number;
}

const IN = 0x82;
const REPORT_ID = 3;
const GET_REPORT_DESCRIPTOR = { requestType: 0x81, request: 6, value: 0x2200 };
const GET_REPORT = { requestType: 0xa1, request: 1, value: 0x0100 | REPORT_ID };
const SET_IDLE = { requestType: 0x21, request: 0x0a };

/** One data report of usage page 8D: status, unit, exponent, weight (HID Point of Sale Usage Tables 1.02, section 5). */
const REPORT_DESCRIPTOR = Buffer.from(
  '058d0920a1010932a1028503' +
    '058d0970a10215012508750895010971097209730974097509760977097881' +
    '00c00950a1021501250c75089501095109520953095409550956095709580959095a095b095c8100c0' +
    '09411581257f7508950181020940150027ffff00007510950181' +
    '02c0c0',
  'hex',
);
/** HID 1.11, 6.2.1: one report descriptor of this length. */
const HID_DESCRIPTOR = [9, 0x21, 0x11, 0x01, 0, 1, 0x22, REPORT_DESCRIPTOR.length, 0];

const UNITS = {
  g: { code: 2, grams: 1, exponent: 0 },
  kg: { code: 3, grams: 1000, exponent: -3 },
  oz: { code: 11, grams: 28.349523125, exponent: -1 },
  lb: { code: 12, grams: 453.59237, exponent: -2 },
} as const;

const STATUS = { fault: 1, atZero: 2, inMotion: 3, stable: 4, underZero: 5, overLimit: 6, calibrate: 7, rezero: 8 };
const SAID: Partial<Record<ScaleCondition, number>> = {
  under_zero: STATUS.underZero,
  over_limit: STATUS.overLimit,
  needs_calibration: STATUS.calibrate,
  needs_rezero: STATUS.rezero,
  fault: STATUS.fault,
};
const MAX_MAGNITUDE = 0xffff;

/** A virtual postal scale. Like a real one it keeps one report, the latest, for a host that does not poll. */
export class VirtualScale extends VirtualDevice {
  override readonly actions = { tare: { act: () => this.#pressTare() } };
  override readonly words = words;
  readonly #unit: VirtualScaleUnit;
  readonly #reportMs: number;
  #grams = 0;
  /** What counts as zero since the tare key was pressed. */
  #tare = 0;
  #status: ScaleCondition = 'reading';
  /** Reports for the next polls, oldest first: a change is reported in motion, then stable. */
  #due: Uint8Array[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: VirtualScaleOptions = {}) {
    const { vendorId = 0x0922, productId = 0x8003, make = 'DYMO', model = 'M10 10 lb USB Postal Scale' } = options;
    super({
      ...{ vendorId, productId, make, model, selfPowered: false },
      interfaces: [
        {
          ...{ class: 0x03, subclass: 0, protocol: 0 },
          pipes: [{ address: IN, type: 'interrupt', maxPacketSize: 8 }],
          extra: Uint8Array.from(HID_DESCRIPTOR),
        },
      ],
    });
    this.#unit = options.unit ?? 'g';
    this.#reportMs = options.reportMs ?? 100;
  }

  get state(): { readonly grams: number; readonly status: ScaleCondition } {
    return { grams: this.#grams, status: this.#status };
  }

  /** Changes the load in grams or the status. A load on a sleeping scale does not wake it; `status` does. */
  set({ grams = this.#grams, status = this.#status }: { grams?: number; status?: ScaleCondition }): void {
    const changed = grams !== this.#grams || status !== this.#status;
    this.#grams = grams;
    this.#status = status;
    if (status === 'asleep') this.#due = [];
    else if (changed) this.#say(this.#report(STATUS.inMotion), this.#current());
  }

  override attach(port: UpstreamPort): void {
    super.attach(port);
    this.#due = this.#status === 'asleep' ? [] : [this.#current()];
    if (this.#reportMs === 0) return;
    this.#timer = setInterval(() => {
      if (this.#status !== 'asleep' && this.#due.length === 0) this.#say(this.#current());
    }, this.#reportMs).unref();
  }

  /** Takes the scale off the bus; its tare is lost with its power. */
  override detach(): void {
    clearInterval(this.#timer);
    this.#tare = 0;
    super.detach();
  }

  override collect(pipe: number, length: number): Uint8Array | 'stall' | 'overflow' | undefined {
    const report = pipe === IN && !this.faults.nak && !this.faults.stall ? this.#due.shift() : undefined;
    if (report !== undefined) this.send(IN, report);
    return super.collect(pipe, length);
  }

  protected control({ requestType, request, value }: UsbSetup): Uint8Array | 'stall' {
    const asks = (setup: Partial<UsbSetup>) =>
      setup.requestType === requestType && setup.request === request && (setup.value ?? value) === value;
    if (asks(GET_REPORT_DESCRIPTOR)) return REPORT_DESCRIPTOR;
    if (asks(GET_REPORT)) return this.#current();
    return asks(SET_IDLE) ? new Uint8Array() : 'stall';
  }

  protected receive(): number {
    return 0;
  }

  #pressTare(): void {
    if (this.#status === 'asleep') return;
    this.#tare = this.#grams;
    this.#say(this.#report(STATUS.inMotion), this.#current());
  }

  #say(...reports: Uint8Array[]): void {
    this.#due = reports;
    this.ready(IN);
  }

  #current(): Uint8Array {
    const net = this.#grams - this.#tare;
    const weighing = net === 0 ? STATUS.atZero : net < 0 ? STATUS.underZero : STATUS.stable;
    return this.#report(SAID[this.#status] ?? weighing);
  }

  #report(status: number): Uint8Array {
    const { code, grams, exponent } = UNITS[this.#unit];
    const magnitude = Math.round((Math.abs(this.#grams - this.#tare) / grams) * 10 ** -exponent);
    if (magnitude > MAX_MAGNITUDE) return Uint8Array.of(REPORT_ID, STATUS.overLimit, code, exponent & 0xff, 0, 0);
    return Uint8Array.of(REPORT_ID, status, code, exponent & 0xff, magnitude & 0xff, magnitude >> 8);
  }
}

/** The scale of the twin. */
export const createVirtualDevice = (): VirtualScale => new VirtualScale();
