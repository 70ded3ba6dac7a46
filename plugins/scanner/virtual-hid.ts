/** A HID device on the virtual bus: descriptors, class requests, and reports that wait for the polls of the host. */
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { type UpstreamPort, VirtualDevice, type VirtualStrings } from '../../runtime/bindings/virtual/device.ts';

export interface VirtualHidOptions extends VirtualStrings {
  readonly vendorId?: number;
  readonly productId?: number;
  /** Stalls the request for its report descriptor. */
  readonly hidesReportDescriptor?: boolean;
}

interface HidDescription extends VirtualHidOptions {
  readonly vendorId: number;
  readonly productId: number;
  readonly boot: boolean;
  readonly reportDescriptor: Uint8Array;
  readonly packetSize: number;
}

const IN = 0x81;

/** The HID descriptor (HID 1.11, 6.2.1). */
const hidDescriptor = (length: number) =>
  Uint8Array.of(9, 0x21, 0x11, 0x01, 0, 1, 0x22, length & 0xff, (length >> 8) & 0xff);

/** Base of the virtual scanners. A subclass answers the class requests. */
export abstract class VirtualHid extends VirtualDevice {
  readonly #description: HidDescription;
  #attached = false;
  /** Reports that the host has not polled yet. Unlike the buffer of a real scanner it is not limited, for tests. */
  #waiting: Uint8Array[] = [];
  #reportsLeft = Number.POSITIVE_INFINITY;

  constructor(description: HidDescription) {
    const { boot, reportDescriptor, packetSize, ...identity } = description;
    const pipes = [{ address: IN, type: 'interrupt', maxPacketSize: packetSize }] as const;
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

  protected override receive(): number {
    return 0;
  }

  protected override control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    if (setup.requestType === 0x81 && setup.request === 0x06 && setup.value === 0x2200) {
      return this.#description.hidesReportDescriptor ? 'stall' : this.#description.reportDescriptor;
    }
    return this.classRequest(setup, data);
  }

  /** GET_REPORT, SET_REPORT, SET_IDLE, SET_PROTOCOL (HID 1.11, 7.2). */
  protected abstract classRequest(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall';

  #fill(): void {
    let sent = 0;
    for (const report of this.#waiting) {
      if (!this.send(IN, report)) break;
      sent += 1;
    }
    this.#waiting.splice(0, sent);
  }
}
