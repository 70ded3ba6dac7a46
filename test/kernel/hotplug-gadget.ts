/** A device without a purpose, and a room for it: what the kernel does with a device must not depend on its kind. */
import type { UsbDevice } from '../../runtime/bindings/usb.ts';
import { VirtualDevice, type VirtualStrings } from '../../runtime/bindings/virtual/device.ts';
import type { Bound, Refusal } from '../../runtime/kernel/device.ts';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import settings from '../../runtime/services/settings/index.ts';
import status from '../../runtime/services/status/index.ts';
import { startDeviceNode } from '../device-node.ts';

/** Classes of an interface: one that tells what the device is, and one that leaves that to be asked. */
export const KNOWN = 0xfe;
export const SHY = 0xff;

export class Gadget extends VirtualDevice {
  constructor(productId = 1, deviceClass = KNOWN, strings: VirtualStrings = { make: 'Acme', model: 'Gadget' }) {
    super({
      ...{ vendorId: 0x1234, productId, class: deviceClass, ...strings },
      interfaces: [{ class: deviceClass, subclass: 1, protocol: 2, pipes: [] }],
    });
  }
  protected control(): 'stall' {
    return 'stall';
  }
  protected receive(): number {
    return 0;
  }
}

/** What the room does, changed by a test as it goes. */
export class GadgetRoom {
  readonly probed: string[] = [];
  /** Product ids of what was let go of. */
  readonly released: string[] = [];
  probe: (device: UsbDevice) => Promise<string | undefined> = async () => undefined;
  bind: (device: UsbDevice) => Promise<Refusal | undefined> = async () => undefined;
  release: (productId: string) => Promise<void> = async () => {};
  silentSince: number | undefined;

  readonly plugin = definePlugin({
    name: 'gadgets',
    api: 2,
    endpoints: [{ id: 'gadget', kind: 'gadget', transport: 'usb', capabilities: [] }],
    several: ['gadget'],
    codecs: [{ name: 'none', kind: 'gadget', options: {} }],
    room: ({ hooks }) => {
      hooks.classify.tap('gadgets', (identity) => (identity.class === KNOWN ? 'gadget' : undefined));
      hooks.probe.tapPromise('gadgets', async (device) => {
        this.probed.push(device.identity.port);
        return this.probe(device);
      });
      hooks.bind.for('gadget').tapPromise('gadgets', async ({ device }) => {
        return (await this.bind(device)) ?? this.#bound(device);
      });
    },
  });

  #bound({ identity: { vendorId, productId, make, model } }: UsbDevice): Bound {
    const row = { id: 'gadget', vendorId, productId, make, model, kind: 'gadget', codec: 'none', options: {} };
    return {
      recipe: { row, tier: 'derived' },
      silentSince: () => this.silentSince,
      release: async () => {
        this.released.push(productId);
        await this.release(productId);
      },
    };
  }
}

export async function startGadgets() {
  const room = new GadgetRoom();
  const node = await startDeviceNode({ plugins: [status, settings, room.plugin], recipes: [] });
  return {
    ...node,
    room,
    gadget: () => node.peripheral('gadget'),
    rejections: async () => (await node.status())['rejections'] as Record<string, unknown>[],
  };
}
