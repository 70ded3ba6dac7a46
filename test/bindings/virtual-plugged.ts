import type { UsbDevice, UsbError, UsbPipe, UsbSetup } from '../../runtime/bindings/usb.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { VirtualUsb } from '../../runtime/bindings/virtual/usb.ts';

export const OUT: UsbPipe = { address: 0x01, direction: 'out', type: 'bulk', maxPacketSize: 64 };
export const IN: UsbPipe = { address: 0x82, direction: 'in', type: 'bulk', maxPacketSize: 64 };

const RECORDER = {
  ...{ vendorId: 0x1209, productId: 0x0001, make: 'Test', model: 'Recorder', serial: '7' },
  interfaces: [
    {
      ...{ class: 0xff, subclass: 0, protocol: 0 },
      pipes: [OUT, IN].map(({ address, maxPacketSize }) => ({ address, maxPacketSize, type: 'bulk' as const })),
    },
  ],
};

/** Takes up to `room` bytes, keeps them, and says what it is told to say. */
export class Recorder extends VirtualDevice {
  readonly taken: number[] = [];
  room = Number.POSITIVE_INFINITY;

  constructor(description: ConstructorParameters<typeof VirtualDevice>[0] = RECORDER) {
    super(description);
  }

  say(bytes: Uint8Array): boolean {
    return this.send(IN.address, bytes);
  }

  makeRoom(bytes: number): void {
    this.room += bytes;
    this.ready(OUT.address);
  }

  protected override control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    return setup.request === 1 ? Uint8Array.of(setup.value, ...data) : 'stall';
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    const taken = Math.min(this.room, bytes.length);
    this.room -= taken;
    this.taken.push(...bytes.subarray(0, taken));
    return taken;
  }
}

/** Plugs a device into a bus of its own, opens it and claims its first interface. */
export const plugged = async (device: VirtualDevice): Promise<{ usb: VirtualUsb; host: UsbDevice }> => {
  const usb = new VirtualUsb();
  usb.plug(device);
  const found: UsbDevice[] = [];
  await usb.start({ connect: (each) => found.push(each), disconnect: () => undefined });
  const [host] = found;
  if (!host) throw new Error('the bus reported no device');
  await host.open();
  await host.claim(0);
  return { usb, host };
};

export const count = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at & 0xff);
export const SOON = { timeoutMs: 20 };
export const LATER = { timeoutMs: 10_000 };

/** The error that a transfer ends with. */
export const failure = (work: Promise<unknown>): Promise<UsbError> =>
  work.then(
    () => Promise.reject(new Error('the transfer succeeded')),
    (error: UsbError) => error,
  );
