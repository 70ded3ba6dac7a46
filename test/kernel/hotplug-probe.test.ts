/** Unknown devices are parked, then probed once the bus is quiet (specification 1). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UsbError } from '../../runtime/bindings/usb.ts';
import { Gadget, SHY, startGadgets } from './hotplug-gadget.ts';

afterEach(() => {
  vi.useRealTimers();
});

const start = async () => {
  const node = await startGadgets();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await node.settled();
  };
  const unknown = async () => {
    const { body } = await node.get<{ devices: Record<string, unknown>[] }>('/devices/unknown');
    return body.devices;
  };
  return { ...node, pass, unknown };
};

describe('a device nobody knows by its descriptors', () => {
  it('is parked until nothing was plugged or pulled for two seconds', async () => {
    const node = await start();
    node.room.probe = async () => 'gadget';
    await node.plug(new Gadget(1, SHY), '1-1');
    await node.pass(1500);
    const other = new Gadget(2, SHY);
    await node.plug(other, '1-2');
    await node.pass(1500);
    await node.unplug(other);
    await node.pass(1999);
    expect(node.room.probed).toEqual([]);
    expect(await node.unknown()).toContainEqual(expect.objectContaining({ productId: '0001', state: 'parked' }));
    await node.pass(1);
    expect(node.room.probed).toEqual(['1-1']);
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { port: '1-1' } });
    expect(await node.unknown()).toMatchObject([{ productId: '0002', state: 'gone' }]);
  });

  it('is probed once for each time it is plugged in', async () => {
    const node = await start();
    const device = new Gadget(1, SHY);
    await node.plug(device, '1-1');
    await node.pass(2000);
    await node.plug(new Gadget(2), '1-2');
    await node.pass(2000);
    expect(node.room.probed).toEqual(['1-1']);
    await node.unplug(device);
    await node.plug(device, '1-1');
    await node.pass(2000);
    expect(node.room.probed).toEqual(['1-1', '1-1']);
  });

  it('is probed though the bus fell quiet while another was still being bound', async () => {
    const node = await start();
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    node.room.bind = () => held.then(() => undefined);
    node.usb.plug(new Gadget(1), '1-1');
    node.usb.plug(new Gadget(2, SHY), '1-2');
    await vi.advanceTimersByTimeAsync(2000);
    finish();
    await node.settled();
    expect(node.room.probed).toEqual(['1-2']);
  });

  it('is on record as rejected when the probes know it no better', async () => {
    const node = await start();
    await node.plug(new Gadget(1, SHY));
    await node.pass(2000);
    expect(await node.rejections()).toMatchObject([{ productId: '0001', class: 'unknown', reason: 'no_codec' }]);
    expect(await node.unknown()).toMatchObject([{ state: 'unknown', reason: 'no_codec' }]);
  });

  it('is on record as rejected when the probe fails, and the others are probed all the same', async () => {
    const node = await start();
    node.room.probe = async ({ identity }) => {
      if (identity.productId === '0001') throw new UsbError('access');
      return 'gadget';
    };
    await node.plug(new Gadget(1, SHY));
    await node.plug(new Gadget(2, SHY));
    await node.pass(2000);
    expect(await node.rejections()).toMatchObject([{ productId: '0001', reason: 'probe_failed', detail: 'access' }]);
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { productId: '0002' } });
  });

  it('is not on record when it was pulled out while it was probed', async () => {
    const node = await start();
    const device = new Gadget(1, SHY);
    node.room.probe = async () => {
      node.usb.unplug(device);
      throw new UsbError('disconnected');
    };
    await node.plug(device);
    await node.pass(2000);
    await node.settled();
    expect(await node.rejections()).toEqual([]);
  });
});
