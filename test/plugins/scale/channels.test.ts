import { describe, expect, it } from 'vitest';
import { VirtualHub } from '../../../plugins/hub/virtual.ts';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { holds } from '../hub/held.ts';
import { startScaleNode } from './node.ts';

describe('on a bus with so many channels', () => {
  holds('a scale', () => new VirtualScale(), 2);

  it('a scale that finds none left is refused, which is not absent, and reads as soon as one is free', async () => {
    const node = await startScaleNode({ usbChannels: 3 });
    const [hub, scale] = [new VirtualHub(), new VirtualScale()];
    await node.plug(hub);
    await node.plug(scale);
    expect(await node.scale()).toEqual({
      ...{ endpoint: 'scale', status: 'refused', weight: null, unit: null, stable: false, ageMs: null },
    });
    expect(node.usb.claimedInterfaces(scale)).toEqual([]);
    await node.unplug(hub);
    expect((await node.scale()).status).toBe('reading');
    await node.unplug(scale);
    expect((await node.scale()).status).toBe('absent');
  });
});
