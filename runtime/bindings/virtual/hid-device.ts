/** A HID device on the virtual bus: descriptors, class requests, and reports that wait for the polls of the host (HID 1.11). */
import type { UsbSetup } from '../usb.ts';
import { type UpstreamPort, VirtualDevice, type VirtualStrings } from './device.ts';

/** What another one of its kind may have in its place: ids, strings, faults. */
export interface VirtualHidOptions extends VirtualStrings {
  readonly vendorId?: number;
  readonly productId?: number;
  /** Stalls the request for its report descriptor. */
  readonly hidesReportDescriptor?: boolean;
}

/** What a virtual HID device is: its ids, its strings and its reports. */
export interface VirtualHidDescription extends VirtualHidOptions {
  readonly vendorId: number;
  readonly productId: number;
  /** A keyboard with the boot protocol (HID 1.11, 4.2 and 4.3); false if not given. */
  readonly boot?: boolean;
  /** HID 1.11, 6.2.2. */
  readonly reportDescriptor: Uint8Array;
  /** Packet size of its pipes, in bytes: the longest report, 64 at most. */
  readonly packetSize: number;
  /** Has an interrupt OUT pipe, whose reports `receive` gets; false if not given: output reports come as SET_REPORT. */
  readonly takesReports?: boolean;
}

const IN = 0x81;
const OUT = 0x01;
const GET_REPORT_DESCRIPTOR = { requestType: 0x81, request: 0x06, value: 0x2200 };
const SET_IDLE = { requestType: 0x21, request: 0x0a };

/** The HID descriptor (HID 1.11, 6.2.1). */
const hidDescriptor = (length: number) =>
  Uint8Array.of(9, 0x21, 0x11, 0x01, 0, 1, 0x22, length & 0xff, (length >> 8) & 0xff);

/** A device with one HID interface: extend it for a scanner, a scale or a keypad, and call `report`. */
export abstract class VirtualHidDevice extends VirtualDevice {
  readonly #description: VirtualHidDescription;
  #attached = false;
  /** Reports that the host has not polled yet. Unlike the buffer of a real scanner it is not limited, for tests. */
  #waiting: Uint8Array[] = [];
  #reportsLeft = Number.POSITIVE_INFINITY;

  constructor(description: VirtualHidDescription) {
    const { boot, reportDescriptor, packetSize, takesReports, ...identity } = description;
    const pipe = { type: 'interrupt', maxPacketSize: packetSize } as const;
    const pipes = [{ address: IN, ...pipe }, ...(takesReports ? [{ address: OUT, ...pipe }] : [])];
    const kind = boot ? { subclass: 1, protocol: 1 } : { subclass: 0, protocol: 0 };
    super({ ...identity, interfaces: [{ class: 3, ...kind, pipes, extra: hidDescriptor(reportDescriptor.length) }] });
    this.#description = description;
  }

  /** Sends a report, valid or not. A device that is not plugged in sends nothing. */
  report(bytes: Uint8Array): void {
    if (!this.#attached) return;
    this.#waiting.push(bytes);
    this.#fill();
  }

  /** Disconnects after the host has polled `count` more reports. */
  disconnectAfterReports(count: number): void {
    this.#reportsLeft = count;
  }

  override attach(port: UpstreamPort): void {
    super.attach(port);
    this.#attached = true;
    this.#reportsLeft = Number.POSITIVE_INFINITY;
  }

  override detach(): void {
    this.#attached = false;
    this.#waiting = [];
    super.detach();
  }

  override collect(pipe: number, length: number): ReturnType<VirtualDevice['collect']> {
    const report = super.collect(pipe, length);
    if (report instanceof Uint8Array) {
      this.#reportsLeft -= 1;
      if (this.#reportsLeft === 0) queueMicrotask(() => this.leave());
      this.#fill();
    }
    return report;
  }

  /** Called with a report from the host. Returns how many bytes were accepted; by default all, and they are ignored. */
  protected override receive(_pipe: number, report: Uint8Array): number {
    return report.length;
  }

  protected override control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    const { requestType, request, value } = GET_REPORT_DESCRIPTOR;
    if (setup.requestType === requestType && setup.request === request && setup.value === value)
      return this.#description.hidesReportDescriptor ? 'stall' : this.#description.reportDescriptor;
    return this.classRequest(setup, data);
  }

  /** GET_REPORT, SET_REPORT, SET_IDLE, SET_PROTOCOL (HID 1.11, 7.2). By default it accepts SET_IDLE and stalls the others. */
  protected classRequest({ requestType, request }: UsbSetup, _data: Uint8Array): Uint8Array | 'stall' {
    return requestType === SET_IDLE.requestType && request === SET_IDLE.request ? new Uint8Array(0) : 'stall';
  }

  #fill(): void {
    let sent = 0;
    for (const report of this.#waiting) {
      if (!this.send(IN, report)) break;
      sent += 1;
    }
    this.#waiting.splice(0, sent);
  }
}
