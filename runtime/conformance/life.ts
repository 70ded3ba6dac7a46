/** Checks of a room with its virtual device: connect, disconnect, faults, and what the node must do then. */
import assert from 'node:assert/strict';
import { VirtualDevice, type VirtualFaults } from '../bindings/virtual/device.ts';
import { onBench, type RoomBench, until } from './bench.ts';
import { type Check, endpointOf, type RoomUnderTest } from './check.ts';

const STEPS = [0, 1, 2, 3, 5, 8] as const;
const REPLUGS = 10;

/** A device that has descriptors, perhaps truncated ones, and stalls every request. */
class Torso extends VirtualDevice {
  protected control(): 'stall' {
    return 'stall';
  }
  protected receive(): number {
    return 0;
  }
}

/** The checks; each starts a node of its own and rejects with an AssertionError. */
export function lifeChecks(room: RoomUnderTest): Check[] {
  const { device: create } = room;
  const kind = endpointOf(room)?.kind;
  const bench = (work: (bench: RoomBench) => Promise<void>, usbChannels?: number) => () =>
    onBench(usbChannels === undefined ? room : { ...room, usbChannels }, work);

  return [
    {
      sentence:
        'has an endpoint that was never seen, is bound, is gone with an age, and bound again; nothing is left claimed',
      check: bench(async (on) => {
        assert.equal(on.state().condition, 'never_seen');
        const device = create();
        await on.plug(device);
        await bound(on);
        const claimed = on.usb.claimedInterfaces(device);
        await on.unplug(device);
        assert.equal(on.state().condition, 'gone');
        assert.ok((on.state().since ?? Number.NaN) <= performance.now(), 'gone without an age');
        assert.deepEqual(on.usb.claimedInterfaces(device), []);
        await on.plug(device);
        await bound(on);
        assert.deepEqual(on.usb.claimedInterfaces(device), claimed);
        assert.deepEqual(on.rejections(), []);
      }),
    },
    {
      sentence: 'keeps no timer and no socket of a device that was pulled, however often',
      check: bench(async (on) => {
        const device = create();
        const once = async () => {
          await on.plug(device);
          await bound(on);
          await on.unplug(device);
        };
        await once();
        const held = openHandles();
        for (let count = 0; count < REPLUGS; count += 1) await once();
        await until('no more handles than before', () => noMoreThan(held, openHandles()));
      }),
    },
    {
      sentence: 'takes a device that leaves at any step of being bound, and binds it when it is back',
      check: bench(async (on) => {
        const device = create();
        for (const steps of STEPS) {
          on.usb.plug(device);
          for (let step = 0; step < steps; step += 1) await Promise.resolve();
          await on.unplug(device);
        }
        assert.deepEqual(on.rejections(), []);
        await on.plug(device);
        await bound(on);
      }),
    },
    ...(
      [
        ['that another program holds', { heldElsewhere: true }],
        ['that this process may not open', { denied: true }],
        ['that fails every transfer', { stall: true }],
        ['that answers nothing', { nak: true }],
      ] as const
    ).map(([which, fault]) => ({
      sentence: `drives a device ${which} as far as it goes or refuses it with a reason, and binds it once it is well`,
      check: bench(async (on) => {
        const device = create();
        device.misbehave(fault);
        await on.plug(device);
        const { condition, reason } = on.state();
        const driven = condition === 'bound' || condition === 'silent';
        const refused = reason ?? on.rejections().find((each) => each.reason)?.reason;
        assert.ok(driven || refused, `neither driven nor refused, but ${condition}`);
        device.misbehave(well(fault));
        await on.unplug(device);
        await on.plug(device);
        await bound(on);
      }),
    })),
    {
      sentence: 'is not asked about a device whose descriptors are cut short, and takes the next',
      check: bench(async (on) => {
        const { descriptors, strings } = create();
        for (const raw of [descriptors.subarray(0, 12), descriptors.subarray(0, -1)]) {
          const torso = new Torso({ raw, strings });
          await on.plug(torso);
          assert.equal(on.rejections()[0]?.reason, 'bad_descriptor');
          assert.deepEqual(on.usb.claimedInterfaces(torso), []);
          await on.unplug(torso);
        }
        await on.plug(create());
        await bound(on);
      }),
    },
    {
      sentence: 'is refused for want of a channel on a bus that has none left, and claims nothing',
      check: bench(async (on) => {
        const device = create();
        await on.plug(device);
        await until('no_channel', () => on.state().condition === 'no_channel');
        assert.equal(on.state().reason, 'no_channel');
        assert.deepEqual(on.usb.claimedInterfaces(device), []);
      }, 0),
    },
    {
      sentence: 'leaves a second device waiting, by name, and takes it when the first goes',
      check: bench(async (on) => {
        const [first, second] = [create(), create()];
        await on.plug(first);
        await bound(on);
        await on.plug(second);
        await until('refused', () => on.rejections().length > 0);
        assert.equal(on.rejections()[0]?.reason, `second_${kind}`);
        const before = on.state().identity?.port;
        await on.unplug(first);
        await until('the second bound', () => on.state().condition === 'bound' && on.state().identity?.port !== before);
      }),
    },
    {
      sentence: 'lets go of everything when the node stops',
      check: async () => {
        const before = openHandles();
        const device = create();
        const usb = await onBench(room, async (on) => {
          await on.plug(device);
          await bound(on);
          return on.usb;
        });
        assert.deepEqual(usb.claimedInterfaces(device), []);
        usb.unplug(device);
        await until('no more handles than before', () => noMoreThan(before, openHandles()));
      },
    },
  ];
}

const bound = (on: RoomBench) => until('bound', () => on.state().condition === 'bound');

const well = (fault: Partial<VirtualFaults>): Partial<VirtualFaults> =>
  Object.fromEntries(Object.keys(fault).map((name) => [name, false]));

/** What keeps this process alive: how many timers, servers and sockets. */
function openHandles(): ReadonlyMap<string, number> {
  const handles = new Map<string, number>();
  for (const sort of process.getActiveResourcesInfo()) handles.set(sort, (handles.get(sort) ?? 0) + 1);
  handles.delete('Immediate');
  return handles;
}

const noMoreThan = (before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): boolean =>
  [...now].every(([sort, count]) => count <= (before.get(sort) ?? 0));
