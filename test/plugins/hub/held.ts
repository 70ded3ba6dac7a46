/** What a device holds of the channels of a bus, as the status of a node with a hub room says. */
import { expect, it } from 'vitest';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { type DeviceNode, startDeviceNode } from '../../device-node.ts';
import { cameraPlugins } from '../../plugins.ts';

export const usb = async (node: DeviceNode) => (await node.status())['usb'];

/** One channel for control and one for each pipe that is used. */
export function holds(what: string, create: () => VirtualDevice, channelsInUse: number): void {
  it(`${what} holds ${channelsInUse} channels of the bus, and none once it is gone`, async () => {
    const node = await startDeviceNode({ usbChannels: 8, plugins: cameraPlugins });
    expect(await usb(node)).toEqual({ channels: 8, channelsInUse: 0, state: 'ok' });
    const device = create();
    await node.plug(device);
    expect(await usb(node)).toEqual({ channels: 8, channelsInUse, state: 'ok' });
    await node.unplug(device);
    expect(await usb(node)).toMatchObject({ channelsInUse: 0 });
  });
}
