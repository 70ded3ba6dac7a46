/** A HID scale is recognised on the branch of unknown devices (specification 1), by its report descriptor. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { soon } from '../../device-node.ts';
import { startScaleNode } from './node.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** One that no recipe knows. */
const stranger = () => new VirtualScale({ vendorId: 0x1234, productId: 0x0042, make: 'Acme', model: 'Weigh' });
const HID_REQUEST = { requestType: 0x81, request: 6, value: 0x2200, index: 0 };

async function probed(scale: VirtualScale) {
  // Before the node starts: the end of its first look at the bus begins the quiet anew.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const node = await startScaleNode();
  await node.plug(scale);
  expect(await node.scale()).toMatchObject({ status: 'absent' });
  await vi.advanceTimersByTimeAsync(4000);
  await node.settled();
  return node;
}

describe('a scale no recipe knows', () => {
  it('is parked, known by its report descriptor once the bus is quiet, and weighs', async () => {
    const scale = stranger();
    const node = await probed(scale);
    expect(await node.peripheral('scale')).toMatchObject({
      condition: 'bound',
      device: { make: 'Acme', model: 'Weigh' },
      recipe: { id: 'derived-1234-0042', tier: 'derived', codec: 'hid-scale' },
    });
    scale.set({ grams: 321 });
    await soon(async () => (await node.scale()).weight === 321);
    expect((await node.status())['rejections']).toEqual([]);
  });

  it('that will not give its report descriptor stays unknown, and is let go of', async () => {
    const scale = stranger();
    const request = scale.request.bind(scale);
    vi.spyOn(scale, 'request').mockImplementation((setup, data) =>
      setup.value === HID_REQUEST.value ? 'stall' : request(setup, data),
    );
    const node = await probed(scale);
    expect(scale.request).toHaveBeenCalledWith(HID_REQUEST, expect.anything());
    expect((await node.status())['rejections']).toMatchObject([{ productId: '0042', reason: 'no_codec' }]);
    expect(node.usb.claimedInterfaces(scale)).toEqual([]);
  });

  it('that another program holds is on record as not probed', async () => {
    const scale = stranger();
    scale.misbehave({ heldElsewhere: true });
    const node = await probed(scale);
    expect((await node.status())['rejections']).toMatchObject([{ productId: '0042', reason: 'probe_failed' }]);
  });
});

describe('a scale a recipe knows', () => {
  it('is driven by the usual six bytes where its report descriptor cannot be had', async () => {
    const scale = new VirtualScale();
    const request = scale.request.bind(scale);
    vi.spyOn(scale, 'request').mockImplementation((setup, data) =>
      setup.value === HID_REQUEST.value ? 'stall' : request(setup, data),
    );
    const node = await startScaleNode();
    await node.plug(scale);
    scale.set({ grams: 75 });
    await soon(async () => (await node.scale()).weight === 75);
    expect(await node.peripheral('scale')).toMatchObject({ condition: 'bound', recipe: { id: 'dymo-m10' } });
  });

  it('that another program holds is refused, and not held on to', async () => {
    const scale = new VirtualScale();
    scale.misbehave({ heldElsewhere: true });
    const node = await startScaleNode();
    await node.plug(scale);
    expect(await node.peripheral('scale')).toMatchObject({ reason: 'claim_failed' });
    expect((await node.scale()).status).toBe('absent');
  });
});
