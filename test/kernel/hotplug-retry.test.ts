/** A device that could not be claimed or probed, and stays plugged in, is tried again once the bus is quiet. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type UsbDevice, UsbError } from '../../runtime/bindings/usb.ts';
import { VirtualUsb } from '../../runtime/bindings/virtual/usb.ts';
import { createHooks } from '../../runtime/kernel/hooks.ts';
import { Hotplug } from '../../runtime/kernel/hotplug.ts';
import { Ledger } from '../../runtime/kernel/ledger.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import { Places } from '../../runtime/kernel/places.ts';
import { Rooms } from '../../runtime/kernel/rooms.ts';
import { RecipeTable } from '../../runtime/recipes/table.ts';
import { Gadget, KNOWN, SHY, startGadgets } from './hotplug-gadget.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A room that claims what it binds, so that a gadget held by another program is refused. */
const start = async (fake: ('setTimeout' | 'clearTimeout' | 'performance')[] = ['setTimeout', 'clearTimeout']) => {
  const node = await startGadgets();
  const tries: string[] = [];
  const claim = async (device: UsbDevice) => {
    tries.push(device.identity.productId);
    await device.open();
    await device.claim(0);
    return undefined;
  };
  node.room.bind = claim;
  vi.useFakeTimers({ toFake: fake });
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await node.settled();
  };
  return { ...node, tries, claim, pass };
};
const held = (productId = 1, deviceClass = KNOWN) => {
  const device = new Gadget(productId, deviceClass);
  device.misbehave({ heldElsewhere: true });
  return device;
};

describe('a device that another program holds', () => {
  it('is tried again on a bus that is never quiet, too: one bad cable does not keep it out', async () => {
    const node = await start(['setTimeout', 'clearTimeout', 'performance']);
    const device = held();
    await node.plug(device);
    device.misbehave({ heldElsewhere: false });
    for (let second = 0; second < 6; second += 1) {
      const flapping = new Gadget(7, SHY);
      await node.plug(flapping);
      await node.pass(500);
      await node.unplug(flapping);
      await node.pass(500);
    }
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { productId: '0001' } });
  });

  it('is bound two quiet seconds after it was let go, and its refusal is gone', async () => {
    const node = await start();
    const attached: string[] = [];
    node.kernel.hooks.attach.tap('test', (endpoint) => {
      attached.push(endpoint);
    });
    const device = held();
    await node.plug(device);
    device.misbehave({ heldElsewhere: false });
    await node.pass(1999);
    expect(attached).toEqual([]);
    await node.pass(1);
    expect(vi.getTimerCount()).toBe(0);
    const bound = await node.gadget();
    expect(bound).toMatchObject({ condition: 'bound', device: { productId: '0001' } });
    expect(bound).not.toHaveProperty('reason');
    expect(attached).toEqual(['gadget']);
  });

  it('is tried five times more, each after a longer pause, and stays on record once', async () => {
    const node = await start();
    await node.plug(held());
    for (const [index, pause] of [2000, 4000, 8000, 16_000, 32_000].entries()) {
      await node.pass(pause - 1);
      expect(node.tries).toHaveLength(index + 1);
      await node.pass(1);
      expect(node.tries).toHaveLength(index + 2);
    }
    expect(vi.getTimerCount()).toBe(0);
    await node.pass(1_000_000);
    expect(node.tries).toHaveLength(6);
    expect(await node.gadget()).toMatchObject({ reason: 'claim_failed' });
    expect(await node.rejections()).toMatchObject([{ reason: 'claim_failed', class: 'gadget' }]);
  });

  it('is tried from the beginning when it is plugged in again', async () => {
    const node = await start();
    const device = held();
    await node.plug(device);
    await node.pass(100_000);
    await node.unplug(device);
    await node.plug(device);
    await node.pass(2000);
    expect(node.tries).toHaveLength(8);
    device.misbehave({ heldElsewhere: false });
    await node.pass(4000);
    expect(await node.gadget()).toMatchObject({ condition: 'bound' });
  });

  it('waits for as long as others come and go', async () => {
    const node = await start();
    const device = held();
    await node.plug(device, '1-1');
    device.misbehave({ heldElsewhere: false });
    for (let round = 0; round < 5; round += 1) {
      await node.pass(1500);
      const other = new Gadget(9, 0);
      await node.plug(other, '1-2');
      await node.pass(1500);
      await node.unplug(other);
    }
    expect(node.tries).toHaveLength(1);
    await node.pass(2000);
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { productId: '0001' } });
  });

  it('takes its turn behind the one that was bound in its place', async () => {
    const node = await start();
    const [first, second] = [held(1), new Gadget(2)] as const;
    await node.plug(first);
    await node.plug(second);
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { productId: '0002' } });
    first.misbehave({ heldElsewhere: false });
    await node.pass(2000);
    expect(await node.rejections()).toMatchObject([{ reason: 'second_gadget' }, { reason: 'claim_failed' }]);
    await node.unplug(second);
    expect(await node.gadget()).toMatchObject({ condition: 'bound', device: { productId: '0001' } });
  });

  it('is not tried once it was pulled out, nor refused when it was pulled out during a try', async () => {
    const node = await start();
    const device = held();
    await node.plug(device);
    await node.unplug(device);
    await node.pass(100_000);
    expect(node.tries).toHaveLength(1);
    node.room.bind = async (each) => {
      if (node.tries.length === 2) node.usb.unplug(device);
      return node.claim(each);
    };
    await node.plug(device);
    await node.pass(2000);
    await node.pass(0);
    expect(node.tries).toHaveLength(3);
    const gone = await node.gadget();
    expect(gone).toMatchObject({ condition: 'gone' });
    expect(gone).not.toHaveProperty('reason');
    await node.pass(100_000);
    expect(node.tries).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is let go of with the node', async () => {
    const node = await start();
    await node.plug(held());
    await node.kernel.hotplug.stop();
    expect(vi.getTimerCount()).toBe(0);
    await node.plug(new Gadget(2));
    expect(node.tries).toEqual(['0001']);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a device that could not be probed', () => {
  it('is probed again, on record once, until it tells what it is', async () => {
    const node = await start();
    let answers = false;
    node.room.probe = async () => {
      if (!answers) throw new UsbError('timeout');
      return 'gadget';
    };
    await node.plug(new Gadget(1, SHY));
    await node.pass(2000);
    await node.pass(2000);
    expect(node.room.probed).toHaveLength(2);
    expect(await node.rejections()).toMatchObject([{ reason: 'probe_failed', detail: 'timeout' }]);
    answers = true;
    await node.pass(4000);
    expect(await node.gadget()).toMatchObject({ condition: 'bound' });
  });

  it('is probed once where the probes have an answer that knows it no better', async () => {
    const node = await start();
    await node.plug(new Gadget(1, SHY));
    await node.pass(100_000);
    expect(node.room.probed).toHaveLength(1);
  });
});

describe('the pauses', () => {
  it('are as many as the tries', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const usb = new VirtualUsb();
    const rooms = new Rooms([], silentLogger);
    const hooks = createHooks(rooms);
    let tries = 0;
    hooks.classify.tap('test', () => 'gadget');
    hooks.bind.for('gadget').tapPromise('test', async () => {
      tries += 1;
      throw new UsbError('busy');
    });
    const endpoint = { id: 'gadget', kind: 'gadget', transport: 'usb', capabilities: [] } as const;
    const places = new Places({ read: () => undefined, update: async () => {} }, silentLogger);
    const parts = { hooks, rooms, ledger: new Ledger(), recipes: new RecipeTable([]), log: silentLogger, places };
    const hotplug = new Hotplug([endpoint], { ...parts, pausesMs: [1, 2] });
    await usb.start(hotplug);
    usb.plug(new Gadget());
    for (const [index, pause] of [0, 1, 2].entries()) {
      await vi.advanceTimersByTimeAsync(pause);
      await hotplug.settled();
      expect(tries).toBe(index + 1);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    await hotplug.settled();
    expect(tries).toBe(3);
    expect(hotplug.state('gadget')).toMatchObject({ condition: 'never_seen', reason: 'claim_failed' });
    await hotplug.stop();
  });
});
