/** A room that throws is named, skipped and shown; the rest of the node serves. */
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { UsbDevice } from '../../runtime/bindings/usb.ts';
import { VirtualBoot } from '../../runtime/bindings/virtual/boot.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import type { ImageInfo, Node } from '../../runtime/kernel/node.ts';
import { definePlugin, type PluginDeclaration, route } from '../../runtime/kernel/plugin.ts';
import { Rooms } from '../../runtime/kernel/rooms.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import bootlog from '../../runtime/services/bootlog/index.ts';
import settings from '../../runtime/services/settings/index.ts';
import status from '../../runtime/services/status/index.ts';
import { until } from '../node.ts';
import { Gadget, GadgetRoom, SHY } from './hotplug-gadget.ts';

const PATH = '/coins';
const broken = (): never => {
  throw new TypeError("Cannot read properties of undefined (reading 'tap')");
};
const IN_TIME = (seconds: number) => `no answer within ${seconds} s`;
const FAULT = "Cannot read properties of undefined (reading 'tap')";

/** A node with a room that drives a coin dispenser, as `how` says. */
async function nodeWith(
  how: Partial<PluginDeclaration>,
  others: readonly Parameters<typeof definePlugin>[0][] = [],
  boot = new VirtualBoot(),
  image: Partial<ImageInfo> = {},
) {
  const coins = definePlugin({
    name: 'coins',
    api: 2,
    endpoints: [{ id: 'coins', kind: 'coins', transport: 'node', capabilities: ['pay'] }],
    routes: [route({ method: 'GET', path: PATH, tier: 'none', summary: 'coins left', handle: () => ({ left: 3 }) })],
    ...how,
  });
  const plugins = [status, settings, bootlog, coins, ...others.map((each) => definePlugin(each))];
  const node = await startTestNode({ plugins, boot, image });
  onTestFinished(() => node.stop());
  const get = async (path: string) => {
    const answer = await fetch(node.url + path);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ...node, get, faults: async () => (await get('/status')).body['faults'] };
}

const failing: readonly [where: string, how: Partial<PluginDeclaration>][] = [
  ['offers', { offers: broken }],
  ['room', { room: broken }],
  ['start', { room: ({ hooks }) => hooks.start.tapPromise('coins', async () => broken()) }],
];

it.each(failing)(
  'a room is off where it throws in %s, the node names it, and its routes say so',
  async (where, how) => {
    const { get, faults } = await nodeWith(how);
    expect(await faults()).toMatchObject([{ plugin: 'coins', where, error: FAULT, times: 1, off: true }]);
    expect(await get(PATH)).toMatchObject({
      status: 500,
      body: { error: 'internal', detail: /^coins could not start/ },
    });
    expect((await get('/config')).status).toBe(200);
    expect((await get('/bootlog')).body).toMatchObject({ boots: [{ off: ['coins'] }] });
  },
);

it.each(failing)('a room stops the node by name where it throws in %s and another room requires it', async (_, how) => {
  const till = { name: 'till', api: 2, requires: ['coins'] } as const;
  await expect(nodeWith(how, [till])).rejects.toThrow(`plugin coins, which others require, cannot start: ${FAULT}`);
});

it('a room makes an image that is on trial no good where it cannot start', async () => {
  await expect(nodeWith({ room: broken }, [], new VirtualBoot({ onTrial: true }))).rejects.toThrow(
    'this image is on trial, and cannot start plugin coins',
  );
});

it('a room hears nothing more through the taps that it made before it threw', async () => {
  const heard: string[] = [];
  const { get } = await nodeWith({
    room: ({ hooks }) => {
      hooks.status.tap('coins', () => heard.push('status'));
      broken();
    },
  });
  await get('/status');
  expect(heard).toEqual([]);
});

it('a room is named where it throws in a hook, under whatever name it tapped it, and the answer is whole', async () => {
  const { get, faults } = await nodeWith({ room: ({ hooks }) => hooks.status.tap('some tap', broken) });
  expect((await get('/status')).body['online']).toBe(true);
  expect(await faults()).toMatchObject([{ plugin: 'coins', where: 'status', times: 1, off: false }]);
  expect((await get(PATH)).status).toBe(200);
});

it.each([
  ['request', { room: ({ hooks }) => hooks.request.tap('coins', broken) }],
  ['quiet', { room: ({ hooks }) => hooks.quiet.tapPromise('coins', async () => broken()) }],
] satisfies [string, Partial<PluginDeclaration>][])(
  'a room holds up nobody where it throws in the hook %s',
  async (where, how) => {
    const { get, faults, kernel } = await nodeWith(how);
    await kernel.hooks.quiet.promise(1);
    expect((await get('/status')).status).toBe(200);
    expect(await faults()).toMatchObject([{ plugin: 'coins', where }]);
  },
);

it.each([
  ['classify', ({ hooks }) => hooks.classify.tap({ name: 'coins', stage: -1 }, broken)],
  ['admit', ({ hooks }) => hooks.admit.tap('coins', broken)],
] satisfies [string, (node: Node) => void][])(
  'a room keeps no device from other rooms where it throws in %s',
  async (where, room) => {
    const gadgets = new GadgetRoom();
    const { bench, kernel, faults } = await nodeWith({ room }, [gadgets.plugin]);
    bench.usb.plug(new Gadget());
    await vi.waitFor(() => expect(kernel.endpoint('gadget')?.condition).toBe('bound'));
    expect(await faults()).toMatchObject([{ plugin: 'coins', where, error: FAULT, off: false }]);
  },
);

it('a room keeps no other room from asking a device where it throws in probe', async () => {
  const gadgets = new GadgetRoom();
  gadgets.probe = async () => 'gadget';
  const room = ({ hooks }: Node) => hooks.probe.tapPromise({ name: 'coins', stage: -1 }, async () => broken());
  const { bench, kernel, faults } = await nodeWith({ room }, [gadgets.plugin]);
  const listener = {
    connect: (device: UsbDevice) => void asked.push(kernel.hooks.probe.promise(device)),
    disconnect: () => {},
  };
  const asked: Promise<string | undefined>[] = [];
  await bench.usb.start(listener);
  bench.usb.plug(new Gadget());
  await vi.waitFor(async () => expect(await asked[0]).toBe('gadget'));
  expect(await faults()).toMatchObject([{ plugin: 'coins', where: 'probe' }]);
});

it('a room is named where it throws while it binds a device, which is refused', async () => {
  const gadgets = new GadgetRoom();
  gadgets.bind = async () => broken();
  const { bench, kernel, faults } = await nodeWith({}, [gadgets.plugin]);
  bench.usb.plug(new Gadget());
  await vi.waitFor(() => expect(kernel.ledger.rejections[0]).toMatchObject({ reason: 'claim_failed' }));
  expect(await faults()).toMatchObject([{ plugin: 'gadgets', where: 'bind gadget', error: FAULT }]);
});

describe('a room that never answers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());
  const untilLater = (look: () => boolean, stepMs = 1000) =>
    until(async () => {
      await vi.advanceTimersByTimeAsync(stepMs);
      return look();
    });
  const never = () => new Promise<never>(() => {});

  it('is named where it binds a device, which is refused, and the next device is bound', async () => {
    const gadgets = new GadgetRoom();
    gadgets.bind = ({ identity }) => (identity.productId === '0001' ? never() : Promise.resolve(undefined));
    const { bench, kernel, faults } = await nodeWith({}, [gadgets.plugin]);
    bench.usb.plug(new Gadget(1));
    bench.usb.plug(new Gadget(2));
    await untilLater(() => kernel.endpoint('gadget')?.condition === 'bound');
    expect(kernel.ledger.rejections).toMatchObject([{ reason: 'no_codec', detail: /no answer within 30 s/ }]);
    expect(await faults()).toMatchObject([{ plugin: 'gadgets', where: 'bind gadget', times: 1 }]);
  });

  it('lets a device go that it binds too late', async () => {
    const gadgets = new GadgetRoom();
    let answer = () => {};
    gadgets.bind = () =>
      new Promise((resolve) => {
        answer = () => resolve(undefined);
      });
    const { bench, kernel } = await nodeWith({}, [gadgets.plugin]);
    bench.usb.plug(new Gadget(7));
    await untilLater(() => kernel.ledger.rejections.length === 1);
    answer();
    await untilLater(() => gadgets.released.includes('0007'));
    expect(kernel.endpoint('gadget')?.condition).not.toBe('bound');
  });

  it('keeps no other room from asking a device where it is asked first', async () => {
    const gadgets = new GadgetRoom();
    gadgets.probe = async () => 'gadget';
    const room = ({ hooks }: Node) => hooks.probe.tapPromise({ name: 'coins', stage: -1 }, never);
    const { bench, kernel, faults } = await nodeWith({ room }, [gadgets.plugin]);
    bench.usb.plug(new Gadget(1, SHY));
    await untilLater(() => kernel.endpoint('gadget')?.condition === 'bound');
    expect(await faults()).toMatchObject([{ plugin: 'coins', where: 'probe', error: 'no answer within 30 s' }]);
  });

  it('is named where it never lets a device go, and the next device is bound', async () => {
    const gadgets = new GadgetRoom();
    gadgets.release = (productId) => (productId === '0001' ? never() : Promise.resolve());
    const { bench, kernel, faults } = await nodeWith({}, [gadgets.plugin]);
    const isBound = (productId: string) => () => {
      const { condition, identity } = kernel.endpoint('gadget') ?? {};
      return condition === 'bound' && identity?.productId === productId;
    };
    const gadget = new Gadget(1);
    bench.usb.plug(gadget);
    await untilLater(isBound('0001'));
    bench.usb.unplug(gadget);
    bench.usb.plug(new Gadget(2));
    await untilLater(isBound('0002'));
    expect(await faults()).toMatchObject([{ plugin: 'gadgets', where: 'release gadget', error: IN_TIME(5) }]);
  });

  /** What comes of a promise while time goes on. */
  const later = async <T>(promise: Promise<T>, stepMs?: number): Promise<T> => {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    promise.then(over, over);
    await untilLater(() => isOver, stepMs);
    return promise;
  };

  it('is off where it never starts, and the rest of the node serves', async () => {
    const room = ({ hooks }: Node) => hooks.start.tapPromise('coins', never);
    const { get, faults } = await later(nodeWith({ room }));
    expect(await faults()).toMatchObject([{ plugin: 'coins', where: 'start', error: IN_TIME(15), off: true }]);
    expect(await get(PATH)).toMatchObject({ status: 500, body: { error: 'internal' } });
  });

  it('stops the start by name where another room requires it', async () => {
    const room = ({ hooks }: Node) => hooks.start.tapPromise('coins', never);
    await expect(later(nodeWith({ room }, [{ name: 'till', api: 2, requires: ['coins'] }]))).rejects.toThrow(
      `plugin coins, which others require, cannot start: ${IN_TIME(15)}`,
    );
  });

  it('is named where it never stops, and the rooms behind it and their devices are stopped', async () => {
    const gadgets = new GadgetRoom();
    const stopped: string[] = [];
    const till = {
      name: 'till',
      api: 2,
      room: ({ hooks }: Node) => {
        hooks.stop.tapPromise('till', async () => void stopped.push('till'));
        hooks.stop.tapPromise('hanging', () => (stopped.length === 0 ? never() : Promise.resolve()));
      },
    } as const;
    const { bench, kernel, stop } = await nodeWith({}, [gadgets.plugin, till]);
    bench.usb.plug(new Gadget(7));
    await untilLater(() => kernel.endpoint('gadget')?.condition === 'bound');
    await later(stop());
    expect(stopped).toEqual(['till']);
    expect(gadgets.released).toEqual(['0007']);
    expect(kernel.rooms.faults).toMatchObject([{ room: 'till', where: 'stop', error: IN_TIME(2.3) }]);
  });

  it('is named where it never takes a setting, which is refused, and the next one is stored', async () => {
    const key = 'coins' as never;
    const config = [{ key, schema: Type.Object({ cups: Type.Optional(Type.Number()) }), default: { cups: 1 } }];
    let isHanging = true;
    const room = ({ hooks }: Node) =>
      hooks.configure.for(key).tapPromise('coins', () => (isHanging ? never() : Promise.resolve()));
    const { kernel, faults } = await nodeWith({ room, config });
    const patch = (cups: number) => later(kernel.config.patch({ coins: { cups } }));
    await expect(patch(2)).rejects.toThrow(IN_TIME(30));
    isHanging = false;
    await patch(3);
    expect(kernel.config.get(key)).toEqual({ cups: 3 });
    expect(await faults()).toMatchObject([{ plugin: 'coins', where: 'configure coins' }]);
  });

  it('is named where it never ends a command or answers a request, and both get `internal`', async () => {
    const { kernel, get, faults } = await nodeWith({
      routes: [route({ method: 'GET', path: PATH, tier: 'none', summary: 'coins left', handle: never })],
      room: ({ hooks }) => hooks.command.for('brew').tapPromise('coins', never),
    });
    const brew = { type: 'brew', id: '1', endpoint: 'coins', cups: 1 } as const;
    expect(await later(kernel.command(brew), 100_000)).toMatchObject({ ok: false, error: 'internal' });
    expect(await later(get(PATH), 100_000)).toMatchObject({ status: 500, body: { error: 'internal' } });
    expect(await faults()).toMatchObject([
      { plugin: 'coins', where: `GET ${PATH}`, error: IN_TIME(900) },
      { plugin: 'coins', where: 'command brew', error: IN_TIME(900) },
    ]);
  });
});

it('a room holds up neither other routes nor the end of the node where one of its routes never answers', async () => {
  const handle = vi.fn(() => new Promise<never>(() => {}));
  const { get, url, stop } = await nodeWith({
    routes: [route({ method: 'GET', path: PATH, tier: 'none', summary: 'coins left', handle })],
  });
  const cut = fetch(url + PATH).then(
    () => 'answered',
    () => 'cut',
  );
  await vi.waitFor(() => expect(handle).toHaveBeenCalled());
  expect((await get('/status')).status).toBe(200);
  await stop();
  expect(await cut).toBe('cut');
});

it('a room is named where it throws in a route or as it runs a command, whose answers are `internal`', async () => {
  const { get, faults, kernel } = await nodeWith({
    routes: [route({ method: 'GET', path: PATH, tier: 'none', summary: 'coins left', handle: broken })],
    room: ({ hooks }) => hooks.command.for('brew').tapPromise('coins', async () => broken()),
  });
  expect(await get(PATH)).toMatchObject({ status: 500, body: { ok: false, error: 'internal' } });
  const brew = { type: 'brew', id: '1', endpoint: 'coins', cups: 1 } as const;
  expect(await kernel.command(brew)).toMatchObject({ ok: false, error: 'internal' });
  expect(await faults()).toMatchObject([
    { plugin: 'coins', where: 'command brew' },
    { plugin: 'coins', where: `GET ${PATH}`, error: FAULT },
  ]);
});

it('a refusal is no fault of its room', async () => {
  const { get, faults } = await nodeWith({
    routes: [
      route({
        ...{ method: 'GET', path: PATH, tier: 'none', summary: 'coins left', errors: ['busy'] },
        handle: () => {
          throw new ApiError('busy');
        },
      }),
    ],
  });
  expect((await get(PATH)).status).toBe(409);
  expect(await faults()).toEqual([]);
});

it('a node goes on where nobody waited for what a device room did, and binds the devices of that room anew', async () => {
  const gadgets = new GadgetRoom();
  const { bench, kernel, faults } = await nodeWith({}, [gadgets.plugin]);
  bench.usb.plug(new Gadget(7));
  await vi.waitFor(() => expect(kernel.endpoint('gadget')?.condition).toBe('bound'));
  const thrown = new TypeError(FAULT);
  expect(kernel.rooms.run('gadgets', () => kernel.survives(thrown))).toBe(true);
  await kernel.settled();
  expect(gadgets.released).toEqual(['0007']);
  expect(kernel.endpoint('gadget')?.condition).toBe('bound');
  expect(await faults()).toMatchObject([{ plugin: 'gadgets', where: 'by itself', error: FAULT }]);
});

it('a room is known in what it does later, in timers and behind promises', async () => {
  const seen: (string | undefined)[] = [];
  await nodeWith({
    room: (node) => {
      node.hooks.start.tapPromise('any', async () => {
        await Promise.resolve();
        setImmediate(() => seen.push(node.rooms.running));
      });
    },
  });
  await vi.waitFor(() => expect(seen).toEqual(['coins']));
});

it.each([
  ['power_on', undefined],
  ['crash', 'gadgets'],
] as const)(
  'a room of this tree is known in what it does later only in the run after one that crashed: %s',
  async (reason, known) => {
    const gadgets = new GadgetRoom();
    const { kernel } = await nodeWith({}, [gadgets.plugin], new VirtualBoot({ reason }), { roomsAreOwn: true });
    const later = kernel.rooms.run('gadgets', async () => {
      expect(kernel.rooms.running).toBe('gadgets');
      await Promise.resolve();
      return kernel.rooms.running;
    });
    expect(kernel.rooms.running).toBeUndefined();
    expect(await later).toBe(known);
  },
);

it('a node goes on after nothing that a service, a required room or the node itself left uncaught', async () => {
  const { kernel } = await nodeWith({}, [{ name: 'till', api: 2, requires: ['coins'] }]);
  for (const room of ['coins', 'till'])
    expect(kernel.rooms.run(room, () => kernel.survives(new Error('no')))).toBe(false);
  expect(kernel.survives(new Error('no'))).toBe(false);
});

it('a node keeps the last 16 faults, and counts one that comes again', () => {
  const rooms = new Rooms([], silentLogger);
  const times = [...Array(9).keys()].filter(() => rooms.threw('coins', 'status', new Error('again')));
  expect(times).toEqual([0, 1, 3, 7]);
  for (const n of Array(15).keys()) rooms.threw('coins', 'status', new Error(`${n}`));
  expect(rooms.faults).toHaveLength(16);
  rooms.threw('coins', 'status', new Error('x'.repeat(300)));
  expect(rooms.faults).toHaveLength(16);
  expect(rooms.faults.map(({ error }) => error)).not.toContain('again');
  expect(rooms.faults[0]?.error).toHaveLength(200);
});
