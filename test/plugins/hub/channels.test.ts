/** A bus has so many channels; a device that finds none left is refused, and bound as soon as one is free. */
import { describe, expect, it } from 'vitest';
import { VirtualHub } from '../../../plugins/hub/virtual.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { expandMakerFile } from '../../../runtime/recipes/row.ts';
import { type DeviceNode, startDeviceNode } from '../../device-node.ts';
import { Gadget, GadgetRoom } from '../../kernel/hotplug-gadget.ts';
import { wifiPlugins } from '../../plugins.ts';
import { holds, usb } from './held.ts';

const rejections = async (node: DeviceNode) => (await node.status())['rejections'] as Record<string, unknown>[];

describe('the channels of a bus', () => {
  holds('a printer', () => new VirtualPrinter(), 3);
  holds('a printer without a way back', () => new VirtualPrinter({ writeOnly: true }), 2);
  holds('a hub', () => new VirtualHub(), 2);

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
  /** A hub with 2 channels, a printer with 3, and a device of a room of its own that needs one for control. */
  const crowded = async () => {
    const [hub, printer, gadget] = [new VirtualHub(), new VirtualPrinter(), new Gadget()] as const;
    const node = await startDeviceNode({ usbChannels: 5, plugins: [...wifiPlugins, new GadgetRoom().plugin] });
    for (const [device, port] of [[hub, '1-1'] as const, [printer, '1-1.1'] as const, [gadget, '1-1.2'] as const])
      await node.plug(device, port);
    return { node, hub, printer, gadget };
  };

  it('is refused, and the node says which, why, and that the bus is full', async () => {
    const { node } = await crowded();
    expect(await usb(node)).toMatchObject({ channels: 5, channelsInUse: 5 });
    expect(await node.peripheral('receipt')).toMatchObject({ condition: 'bound' });
    expect(await node.peripheral('gadget')).toMatchObject({
      ...{ condition: 'no_channel', reason: 'no_channel' },
      device: { vendorId: '1234', productId: '0001', port: '1-1.2' },
    });
    expect(await rejections(node)).toMatchObject([
      { vendorId: '1234', class: 'gadget', reason: 'no_channel', detail: 'needs 1 of 5 USB channels, 0 left' },
    ]);
  });

  it('is bound as soon as a channel is free', async () => {
    const { node, printer } = await crowded();
    await node.unplug(printer);
    expect(await node.peripheral('gadget')).toMatchObject({ condition: 'bound' });
    expect(await usb(node)).toMatchObject({ channelsInUse: 3 });
    await node.plug(printer, '1-1.1');
    expect(await node.peripheral('receipt')).toMatchObject({ condition: 'no_channel' });
  });

  it('is not opened', async () => {
    const { node, printer, gadget } = await crowded();
    await node.unplug(printer);
    await node.unplug(gadget);
    await node.plug(gadget, '1-1.2');
    await node.plug(printer, '1-1.1');
    expect(node.usb.claimedInterfaces(printer)).toEqual([]);
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
    const { node, gadget } = await crowded();
    await node.unplug(gadget);
    const peripheral = await node.peripheral('gadget');
    expect(peripheral).toMatchObject({ condition: 'gone', sinceMs: expect.any(Number) });
    expect(peripheral).not.toHaveProperty('reason');
  });
});
