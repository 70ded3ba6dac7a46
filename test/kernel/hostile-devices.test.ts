/** Devices that lie about themselves, answer nothing or leave at once: refused by name, and the next one works. */
import { describe, expect, it, vi } from 'vitest';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import {
  describe as descriptorsOf,
  VirtualDevice,
  type VirtualStrings,
} from '../../runtime/bindings/virtual/device.ts';
import { type DeviceNode, soon, startDeviceNode } from '../device-node.ts';
import { readyDevices } from '../devices.ts';
import { cameraPlugins } from '../plugins.ts';

const PRINTER = {
  ...{ vendorId: 0x1234, productId: 0x0042 },
  interfaces: [{ class: 7, subclass: 1, protocol: 2, pipes: [] }],
};

/** Any descriptors and strings, and one answer to every request. */
class Odd extends VirtualDevice {
  readonly requests: UsbSetup[] = [];

  constructor(raw: Uint8Array, strings: VirtualStrings = { make: 'Odd', model: 'Thing' }) {
    super({ raw, strings });
  }
  protected control(setup: UsbSetup): 'stall' {
    this.requests.push(setup);
    return 'stall';
  }
  protected receive(): number {
    return 0;
  }
}

/** The descriptors of a printer, and what stands behind its configuration descriptor changed. */
function withBody(body: readonly number[], total = 9 + body.length): Uint8Array {
  const head = descriptorsOf({ ...PRINTER, interfaces: [] });
  head.set([total & 0xff, total >> 8], 18 + 2);
  return Uint8Array.from([...head, ...body]);
}
const interfaceOf = (number: number) => [9, 4, number & 0xff, 0, 0, 7, 1, 2, 0];
const many = (count: number, part: (index: number) => readonly number[]) =>
  Array.from({ length: count }, (_, index) => part(index)).flat();

const rejections = async (node: DeviceNode) => (await node.status())['rejections'] as Record<string, unknown>[];
const driven = (node: DeviceNode, endpoint: string) =>
  soon(async () => (await node.peripheral(endpoint))?.condition === 'bound');

describe('a device with descriptors that make no sense', () => {
  it.each([
    ['a descriptor of no length, read on for ever', withBody([...interfaceOf(0), 0, 5, 0, 5]), 'descriptor of 0 bytes'],
    ['127 interfaces', withBody(many(127, interfaceOf)), 'over 64 interfaces'],
    ['64 KB that it does not have', withBody(interfaceOf(0), 0xffff), 'configuration is not as long as it says'],
    ['a configuration inside itself', withBody(interfaceOf(0), 3), 'configuration is not as long as it says'],
    ['nothing but half a device', descriptorsOf(PRINTER).subarray(0, 12), 'device descriptor is cut off'],
    ['no descriptor at all', new Uint8Array(0), 'device descriptor is cut off'],
  ])('has %s: it is on record, is asked nothing, and the next printer prints', async (_, raw, detail) => {
    const node = await startDeviceNode();
    const odd = new Odd(raw);
    await node.plug(odd);
    expect(await rejections(node)).toMatchObject([{ make: 'Odd', model: 'Thing', reason: 'bad_descriptor', detail }]);
    expect((await node.get('/devices/unknown')).status).toBe(200);
    expect(odd.requests).toEqual([]);
    await node.plug(new VirtualPrinter());
    await driven(node, 'receipt');
  });
});

describe('a device with names that make no sense', () => {
  it.each([
    ['4 KB long', 'x'.repeat(4096), 'x'.repeat(126)],
    ['halves of characters', '\ud800\udc00\udc00\ud800', '\u{10000}\ufffd\ufffd'],
    ['lines, bells and turned letters', 'A\r\n\u0007\u0000\u202eB', 'A     B'],
  ])('%s: they are cut and cleaned before anybody sees them', async (_, name, cleaned) => {
    const node = await startDeviceNode();
    await node.plug(new Odd(descriptorsOf(PRINTER), { make: name, model: name, serial: name }));
    expect(await rejections(node)).toMatchObject([{ make: cleaned, model: cleaned, reason: 'bad_descriptor' }]);
  });
});

/** Starts a node with the rooms of every device there is. */
const start = () => startDeviceNode({ plugins: cameraPlugins });

describe('a device that leaves', () => {
  it.each([0, 1, 2, 3, 5, 8])(
    '%i steps after it was reported is not on record, and works when it is back',
    async (steps) => {
      const node = await start();
      const devices = readyDevices.map(({ endpoint, create }) => ({ endpoint, device: create() }));
      for (const { device } of devices) {
        node.usb.plug(device);
        for (let step = 0; step < steps; step += 1) await Promise.resolve();
        node.usb.unplug(device);
      }
      await node.settled();
      expect(await rejections(node)).toEqual([]);
      for (const { endpoint, device } of devices) {
        await node.plug(device);
        await driven(node, endpoint);
        await node.unplug(device);
      }
    },
  );
});

describe('a device that stalls every request', () => {
  it.each(readyDevices)('$module is driven as far as it goes, and works once it is plugged in again', async (room) => {
    const node = await start();
    const device = room.create();
    device.misbehave({ stall: true });
    await node.plug(device);
    await vi.waitFor(async () =>
      expect(await node.peripheral(room.endpoint)).toMatchObject({
        condition: room.endpoint === 'receipt' ? 'silent' : 'bound',
      }),
    );
    const claimed = node.usb.claimedInterfaces(device);
    device.misbehave({ stall: false });
    await node.unplug(device);
    await node.plug(device);
    await driven(node, room.endpoint);
    expect(node.usb.claimedInterfaces(device)).toEqual(claimed);
  });
});
