import { describe } from 'vitest';
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { VirtualUsb } from '../../runtime/bindings/virtual/usb.ts';
import { keeps } from '../keeps.ts';
import type { UsbBench } from './usb-bench.ts';
import { usbConformance } from './usb-conformance.ts';

const CAPACITY = 12_288;
const DEVICE_ID = 'MFG:Test;CMD:ESC/POS;MDL:Buffer;CLS:PRINTER;';
const OUT = 0x02;
const IN = 0x81;

/** A printer that holds what it is sent until somebody takes it out. */
class BufferPrinter extends VirtualDevice {
  #held = Buffer.alloc(0);
  #arrived = (): void => undefined;

  constructor() {
    const pipes = [OUT, IN].map((address) => ({ address, type: 'bulk' as const, maxPacketSize: 64 }));
    super({
      ...{ vendorId: 0x1209, productId: 0x0002, make: 'Test', model: 'Buffer', serial: 'B1' },
      interfaces: [{ class: 7, subclass: 1, protocol: 2, pipes }],
    });
  }

  async take(count: number): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      if (this.#held.length === 0) {
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
      }
      const part = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(part.length);
      missing -= part.length;
      parts.push(part);
      this.ready(OUT);
    }
    return Uint8Array.from(Buffer.concat(parts));
  }

  takeAll(): Promise<Uint8Array> {
    return this.take(this.#held.length);
  }

  answer(message: Uint8Array): void {
    this.send(IN, message);
  }

  protected override control(setup: UsbSetup): Uint8Array | 'stall' {
    if (setup.requestType === 0x21 && setup.request === 2) return new Uint8Array();
    if (setup.requestType !== 0xa1 || setup.request !== 0) return 'stall';
    return Buffer.concat([Uint8Array.of(0, DEVICE_ID.length + 2), Buffer.from(DEVICE_ID)]);
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    const taken = bytes.subarray(0, CAPACITY - this.#held.length);
    this.#held = Buffer.concat([this.#held, taken]);
    this.#arrived();
    return taken.length;
  }
}

const createBench = async (): Promise<UsbBench> => {
  const usb = new VirtualUsb();
  const printer = new BufferPrinter();
  return {
    usb,
    printer: { vendorId: '1209', productId: '0002', make: 'Test', model: 'Buffer', serial: 'B1' },
    deviceId: DEVICE_ID,
    plug: async () => usb.plug(printer),
    unplug: async () => usb.unplug(printer),
    take: (count) => printer.take(count),
    takeAll: () => printer.takeAll(),
    answer: async (message) => printer.answer(message),
    dispose: async () => {
      await usb.stop();
      usb.unplug(printer);
    },
  };
};

describe('the virtual bus keeps the promises of a USB binding:', () => usbConformance(keeps, createBench));
