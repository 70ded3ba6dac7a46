/** The five conditions of an endpoint, and every refusal on record (specification 2.1, 3.6). */
import { describe, expect, it } from 'vitest';
import { UsbError } from '../../runtime/bindings/usb.ts';
import { Gadget, startGadgets } from './hotplug-gadget.ts';

describe('an endpoint', () => {
  it('was never seen, then bound, then gone with an age, then bound again', async () => {
    const node = await startGadgets();
    expect(await node.gadget()).toEqual({ endpoint: 'gadget', kind: 'gadget', condition: 'never_seen' });
    const device = new Gadget();
    await node.plug(device, '1-3');
    const known = { vendorId: '1234', productId: '0001', make: 'Acme', model: 'Gadget', port: '1-3' };
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: known, recipe: { tier: 'derived' } });
    await node.unplug(device);
    expect(await node.gadget()).toMatchObject({ condition: 'gone', device: known, sinceMs: expect.any(Number) });
    await node.plug(device);
    const again = await node.gadget();
    expect(again).toMatchObject({ condition: 'bound' });
    expect(again).not.toHaveProperty('sinceMs');
  });

  it('is silent, with an age, while its device does not answer', async () => {
    const node = await startGadgets();
    await node.plug(new Gadget());
    node.room.silentSince = performance.now() - 7000;
    const silent = await node.gadget();
    expect(silent).toMatchObject({ condition: 'silent' });
    expect(silent?.['sinceMs']).toBeGreaterThanOrEqual(7000);
    node.room.silentSince = undefined;
    expect(await node.gadget()).toMatchObject({ condition: 'bound' });
  });

  it('says why the device in front of it is not bound, for as long as that is there', async () => {
    const node = await startGadgets();
    node.room.bind = async () => {
      throw new UsbError('busy', 0, 'held elsewhere');
    };
    const device = new Gadget();
    await node.plug(device);
    expect(await node.gadget()).toMatchObject({ reason: 'claim_failed', device: { productId: '0001' } });
    await node.unplug(device);
    const gone = await node.gadget();
    expect(gone).toMatchObject({ condition: 'gone', sinceMs: expect.any(Number) });
    expect(gone).not.toHaveProperty('reason');
  });

  it('takes the device that waited when the one before it leaves', async () => {
    const node = await startGadgets();
    const [first, second] = [new Gadget(1), new Gadget(2)] as const;
    await node.plug(first);
    await node.plug(second);
    expect(await node.rejections()).toMatchObject([{ productId: '0002', class: 'gadget', reason: 'second_gadget' }]);
    await node.unplug(first);
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { productId: '0002' } });
  });

  it('forgets a device that was pulled out while it was being bound', async () => {
    const node = await startGadgets();
    const device = new Gadget();
    node.room.bind = async () => {
      node.usb.unplug(device);
      return { reason: 'no_codec' };
    };
    await node.plug(device);
    await node.settled();
    expect(await node.gadget()).toMatchObject({ condition: 'never_seen' });
    expect(await node.rejections()).toEqual([]);
  });
});

describe('a device that was pulled out while its room took hold of it', () => {
  it('is let go of, and what waited for its place is bound', async () => {
    const node = await startGadgets();
    const [first, second] = [new Gadget(1), new Gadget(2)] as const;
    node.room.bind = async ({ identity }) => {
      if (identity.productId === '0001') node.usb.unplug(first);
      return undefined;
    };
    await node.plug(first);
    await node.settled();
    expect(node.room.released).toEqual(['0001']);
    expect(await node.gadget()).toMatchObject({ condition: 'never_seen' });
    await node.plug(second);
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { productId: '0002' } });
  });
});

describe('the rejections', () => {
  it('are the last sixteen, newest first, each with the device, the reason and an age', async () => {
    const node = await startGadgets();
    node.room.bind = async () => ({ reason: 'no_codec', detail: 'for the test' });
    for (let productId = 1; productId <= 20; productId += 1) {
      const device = new Gadget(productId);
      await node.plug(device);
      await node.unplug(device);
    }
    const rejections = await node.rejections();
    expect(rejections).toHaveLength(16);
    expect(rejections.map(({ productId }) => Number.parseInt(String(productId), 16))).toEqual(
      Array.from({ length: 16 }, (_, back) => 20 - back),
    );
    expect(rejections[0]).toEqual({
      ...{ vendorId: '1234', productId: '0014', make: 'Acme', model: 'Gadget', class: 'gadget' },
      ...{ reason: 'no_codec', detail: 'for the test', ageMs: expect.any(Number), connected: false },
    });
  });

  it('keep a device that is still plugged in, whatever else comes and goes, and say that it is', async () => {
    const node = await startGadgets();
    node.room.bind = async () => ({ reason: 'no_codec' });
    await node.plug(new Gadget(99));
    for (let productId = 1; productId <= 20; productId += 1) {
      const device = new Gadget(productId);
      await node.plug(device);
      await node.unplug(device);
    }
    const rejections = await node.rejections();
    expect(rejections).toHaveLength(16);
    expect(rejections.filter(({ connected }) => connected)).toMatchObject([{ productId: '0063' }]);
    expect(rejections.at(-1)).toMatchObject({ productId: '0063' });
  });

  it('name a device of a kind that this image has no endpoint for', async () => {
    const node = await startGadgets();
    node.kernel.hooks.classify.tap('test', ({ productId }) => (productId === '0009' ? 'toaster' : undefined));
    await node.plug(new Gadget(9, 0));
    expect(await node.rejections()).toMatchObject([{ class: 'toaster', reason: 'not_in_variant' }]);
  });
});
