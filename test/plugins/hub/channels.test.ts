/** A bus has so many channels; a device that finds none left is refused, and bound as soon as one is free. */
import { describe, expect, it } from 'vitest';
import { VirtualCamera } from '../../../plugins/camera/virtual.ts';
import { VirtualHub } from '../../../plugins/hub/virtual.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { VirtualSerialScanner } from '../../../plugins/scanner/virtual-serial.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { expandMakerFile } from '../../../runtime/kernel/recipes.ts';
import { cameraPlugins } from '../../plugins.ts';
import { type DeviceNode, startDeviceNode } from '../scale/node.ts';

const usb = async (node: DeviceNode) => (await node.status())['usb'];
const rejections = async (node: DeviceNode) => (await node.status())['rejections'] as Record<string, unknown>[];

describe('the channels of a bus', () => {
  it.each<[string, () => VirtualDevice, number]>([
    ['a printer', () => new VirtualPrinter(), 3],
    ['a printer without a way back', () => new VirtualPrinter({ writeOnly: true }), 2],
    ['a scale', () => new VirtualScale(), 2],
    ['a scanner on a serial line', () => new VirtualSerialScanner(), 2],
    ['a hub', () => new VirtualHub(), 2],
    ['a camera', () => new VirtualCamera(), 2],
    ['a camera that reports its button', () => new VirtualCamera({ button: true }), 3],
  ])('%s holds one for control and one for each pipe it uses', async (_what, create, channelsInUse) => {
    const node = await startDeviceNode({ usbChannels: 8, plugins: cameraPlugins });
    expect(await usb(node)).toEqual({ channels: 8, channelsInUse: 0, state: 'ok' });
    const device = create();
    await node.plug(device);
    expect(await usb(node)).toEqual({ channels: 8, channelsInUse, state: 'ok' });
    await node.unplug(device);
    expect(await usb(node)).toMatchObject({ channelsInUse: 0 });
  });

  it('are two for a printer whose recipe says that it never answers', async () => {
    const recipes = expandMakerFile({
      maker: 'Any',
      rows: [
        {
          ...{ id: 'mute', vendorId: '1234', productId: '0001', model: 'Mute', kind: 'printer' },
          ...{ codec: 'escpos', options: { unidirectional: true } },
        },
      ],
    });
    const node = await startDeviceNode({ recipes });
    await node.plug(new VirtualPrinter({ vendorId: 0x1234, productId: 1 }));
    expect(await usb(node)).toMatchObject({ channelsInUse: 2 });
  });

  it('are counted whether or not a hub has an endpoint: a hub behind the hub holds two as well', async () => {
    const node = await startDeviceNode();
    await node.plug(new VirtualHub(), '1-1');
    await node.plug(new VirtualHub(), '1-1.4');
    expect(await usb(node)).toMatchObject({ channelsInUse: 4 });
    expect(await rejections(node)).toMatchObject([{ class: 'hub', reason: 'second_hub' }]);
  });
});

describe('a device on a full bus', () => {
  const crowded = async () => {
    const [hub, printer, scale] = [new VirtualHub(), new VirtualPrinter(), new VirtualScale()] as const;
    const node = await startDeviceNode({ usbChannels: 6 });
    for (const [device, port] of [[hub, '1-1'] as const, [printer, '1-1.1'] as const, [scale, '1-1.2'] as const])
      await node.plug(device, port);
    return { node, hub, printer, scale };
  };

  it('is refused, and the node says which, why, and that the bus is full', async () => {
    const { node } = await crowded();
    expect(await usb(node)).toEqual({ channels: 6, channelsInUse: 5, state: 'ok' });
    expect(await node.peripheral('receipt')).toMatchObject({ condition: 'bound' });
    expect(await node.peripheral('scale')).toMatchObject({
      ...{ condition: 'no_channel', reason: 'no_channel' },
      device: { vendorId: '0922', productId: '8003', port: '1-1.2' },
    });
    expect(await rejections(node)).toMatchObject([
      { vendorId: '0922', class: 'scale', reason: 'no_channel', detail: 'needs 2 of 6 USB channels, 1 left' },
    ]);
    expect(await node.scale()).toEqual({
      ...{ endpoint: 'scale', status: 'refused', weight: null, unit: null, stable: false, ageMs: null },
    });
  });

  it('is not opened', async () => {
    const { node, scale } = await crowded();
    expect(node.usb.claimedInterfaces(scale)).toEqual([]);
  });

  it('is bound as soon as a channel is free', async () => {
    const { node, printer } = await crowded();
    await node.unplug(printer);
    expect(await node.peripheral('scale')).toMatchObject({ condition: 'bound' });
    expect((await node.scale()).status).toBe('reading');
    expect(await usb(node)).toMatchObject({ channelsInUse: 4 });
    await node.plug(printer, '1-1.1');
    expect(await node.peripheral('receipt')).toMatchObject({ condition: 'no_channel' });
  });

  it('is refused once, however often something else comes and goes', async () => {
    const { node } = await crowded();
    const other = new VirtualPrinter({ productId: 0x0e15 });
    for (let times = 0; times < 3; times += 1) {
      await node.plug(other, '1-2');
      await node.unplug(other);
    }
    const reasons = (await rejections(node)).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'no_channel')).toHaveLength(1);
  });

  it('is seen and gone once it is pulled out', async () => {
    const { node, scale } = await crowded();
    await node.unplug(scale);
    const peripheral = await node.peripheral('scale');
    expect(peripheral).toMatchObject({ condition: 'gone', sinceMs: expect.any(Number) });
    expect(peripheral).not.toHaveProperty('reason');
    expect((await node.scale()).status).toBe('absent');
  });
});
