/** Two endpoints of one kind: a device that nobody remembers does not get the endpoint of one that may still appear. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import { VirtualUsb } from '../../runtime/bindings/virtual/usb.ts';
import { createHooks } from '../../runtime/kernel/hooks.ts';
import { Hotplug } from '../../runtime/kernel/hotplug.ts';
import { Ledger } from '../../runtime/kernel/ledger.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import { Places } from '../../runtime/kernel/places.ts';
import type { StoredSettings } from '../../runtime/kernel/registry.ts';
import { Rooms } from '../../runtime/kernel/rooms.ts';
import { RecipeTable } from '../../runtime/recipes/table.ts';
import { Gadget, KNOWN } from './hotplug-gadget.ts';

const SCAN_MS = 2000;
const device = (serial: string) => new Gadget(1, KNOWN, { make: 'Acme', model: 'Gadget', serial });
const remembered = (serial: string, port: string) => ({ vendorId: '1234', productId: '0001', serial, port });
const BOTH = { left: remembered('L', '1-1'), right: remembered('R', '1-2') };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A bus with the endpoints `left` and `right`, and what is stored of them. */
async function start(stored: Readonly<Record<string, ReturnType<typeof remembered>>>, { busyTimes = 0 } = {}) {
  const sections: Partial<StoredSettings> = { endpoints: stored };
  const hooks = createHooks(new Rooms([], silentLogger));
  hooks.classify.tap('test', () => 'gadget');
  let busy = busyTimes;
  hooks.bind.for('gadget').tapPromise('test', async () => {
    if (busy-- > 0) return { reason: 'claim_failed' };
    return {
      recipe: {
        row: { ...remembered('', ''), id: 'gadget', make: '', model: '', kind: 'gadget', codec: 'none', options: {} },
        tier: 'derived' as const,
      },
      silentSince: () => undefined,
      release: async () => {},
    };
  });
  const ledger = new Ledger();
  const hotplug = new Hotplug(
    ['left', 'right'].map((id) => ({ id, kind: 'gadget', transport: 'usb', capabilities: [] })),
    {
      ...{ hooks, ledger, rooms: new Rooms([], silentLogger), recipes: new RecipeTable([]), log: silentLogger },
      places: new Places(
        { read: (section) => sections[section], update: async (change) => void change(sections) },
        silentLogger,
      ),
    },
  );
  const usb = new VirtualUsb();
  await usb.start(hotplug);
  hotplug.scanned();
  const settled = async () => {
    await Promise.resolve();
    await hotplug.settled();
  };
  return {
    ledger,
    async plug(serial: string, port?: string) {
      const plugged = device(serial);
      usb.plug(plugged, port);
      await settled();
      return plugged;
    },
    async unplug(plugged: Gadget) {
      usb.unplug(plugged);
      await settled();
    },
    async pass(ms: number) {
      await vi.advanceTimersByTimeAsync(ms);
      await settled();
    },
    /** Serial number of what is bound at each endpoint, and of what it replaces. */
    places: () =>
      hotplug.states().map(({ condition, identity, replaces }) => {
        const serial = condition === 'bound' ? (identity as UsbIdentity).serial : undefined;
        return replaces === undefined ? serial : `${serial} for ${replaces.serial}`;
      }),
  };
}

describe('a new device at the start', () => {
  it('is tried again where another program holds it for a moment as it gets the endpoint of one that is not there', async () => {
    const { plug, pass, places } = await start(BOTH, { busyTimes: 1 });
    await plug('N', '1-9');
    await pass(SCAN_MS);
    expect(places()).toEqual([undefined, undefined]);
    await pass(60_000);
    expect(places()).toContain('N for L');
  });

  it('leaves remembered ones their endpoints, though it appears first, and is refused once they are there', async () => {
    const { plug, pass, places, ledger } = await start(BOTH);
    await plug('NEW');
    await pass(SCAN_MS - 1);
    expect(places()).toEqual([undefined, undefined]);
    await plug('R');
    await plug('L');
    expect(places()).toEqual(['L', 'R']);
    expect(ledger.rejections).toEqual([]);
    await pass(1);
    expect(places()).toEqual(['L', 'R']);
    expect(ledger.rejections).toMatchObject([{ reason: 'second_gadget', identity: { serial: 'NEW' } }]);
  });

  it('gets an endpoint that nobody is remembered for at once', async () => {
    const { plug, places } = await start({ left: BOTH.left });
    await plug('NEW');
    expect(places()).toEqual([undefined, 'NEW']);
    await plug('L');
    expect(places()).toEqual(['L', 'NEW']);
  });

  it('gets the endpoint of one that has not appeared by the end of the scan, and it is said whose', async () => {
    const { plug, pass, places, ledger } = await start(BOTH);
    await plug('NEW');
    await plug('L');
    await pass(SCAN_MS);
    expect(places()).toEqual(['L', 'NEW for R']);
    expect(ledger.rejections).toEqual([]);
  });

  it('that is pulled out again meanwhile gets none', async () => {
    const { plug, unplug, pass, places } = await start(BOTH);
    await unplug(await plug('NEW'));
    await pass(SCAN_MS);
    expect(places()).toEqual([undefined, undefined]);
  });
});

describe('a new device later', () => {
  it('gets the endpoint of one that was there and is gone at once, and keeps it', async () => {
    const { plug, unplug, places } = await start(BOTH);
    const left = await plug('L');
    await plug('R');
    await unplug(left);
    const fresh = await plug('NEW', '1-5');
    expect(places()).toEqual(['NEW for L', 'R']);
    await unplug(fresh);
    await plug('NEW', '1-6');
    expect(places()).toEqual(['NEW', 'R']);
  });
});
