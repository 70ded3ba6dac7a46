/** Custody: what waits after the stored settings had to be erased, until somebody has held the button (3.5). */
import { describe, expect, it } from 'vitest';
import type { ButtonListener, ButtonsBinding } from '../../../runtime/bindings/board.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { definePlugin, route } from '../../../runtime/kernel/plugin.ts';
import { checkCustody } from '../../../runtime/kernel/settings.ts';
import { wifiPlugins } from '../../plugins.ts';
import { damagedStorage, type Options, startNode, until } from './node.ts';

/** Stands for the rooms whose routes wait for custody. */
const held = definePlugin({
  name: 'held',
  api: 2,
  routes: [
    route({
      method: 'POST',
      path: '/held',
      tier: 'admin',
      summary: 'waits for custody',
      errors: ['custody_hold'],
      handle: ({ node }) => {
        checkCustody(node.settings);
        return { ok: true };
      },
    }),
  ],
});
const start = (options: Options = {}) => startNode({ plugins: [...wifiPlugins, held], ...options });
type Node = Awaited<ReturnType<typeof start>>;
const answer = async (node: Node) => {
  const { status, body } = await node.send('POST', '/held');
  return [status, body['error']];
};
const HOLD = [409, 'custody_hold'];
const NORMAL = [200, undefined];

describe('custody', () => {
  it('is not held on a new node, nor on one whose settings are there', async () => {
    const storage = new VirtualStorage();
    const node = await start({ storage });
    expect(await answer(node)).toEqual(NORMAL);
    await node.put({ printWidthCols: 32 });
    await node.stop();
    expect(await answer(await start({ storage }))).toEqual(NORMAL);
  });

  it('is held once the settings had to be erased; status, settings and printing work throughout', async () => {
    const node = await start({ storage: await damagedStorage() });
    expect(await answer(node)).toEqual(HOLD);
    expect((await node.get('/status')).body).toMatchObject({ online: true });
    expect((await node.put({ printWidthCols: 32 })).status).toBe(200);
    expect((await node.print('Total 9.50')).body).toMatchObject({ ok: true });
    expect(node.onPaper('Total 9.50')).toBe(true);
    expect(await answer(node)).toEqual(HOLD);
  });

  it.each([
    ['nothing was stored since', false],
    ['something was stored since', true],
  ])('is still held after a restart where %s', async (_case, store) => {
    const storage = await damagedStorage();
    const node = await start({ storage });
    if (store) await node.put({ printWidthCols: 32 });
    await node.stop();
    const next = await start({ storage });
    expect(await answer(next)).toEqual(HOLD);
    expect((await next.config())['printWidthCols']).toBe(store ? 32 : 48);
  });

  it('is still held after a restart where the disk took no writes', async () => {
    const storage = await damagedStorage();
    storage.failure = (operation) => (operation === 'read' ? undefined : new Error('EROFS'));
    await (await start({ storage })).stop();
    storage.failure = undefined;
    expect(await answer(await start({ storage }))).toEqual(HOLD);
  });

  it('ends with a hold of 5 seconds, for good: the file set aside does not bring it back', async () => {
    const storage = await damagedStorage();
    const node = await start({ storage });
    node.hold(5000);
    await until(() => node.slips('READY TO SET UP') === 1);
    expect(await answer(node)).toEqual(NORMAL);
    expect(await storage.read('settings.bad')).toBeDefined();
    await node.stop();
    const next = await start({ storage });
    expect(await answer(next)).toEqual(NORMAL);
    await next.put({ printWidthCols: 32 });
    await next.stop();
    expect(await answer(await start({ storage }))).toEqual(NORMAL);
  });

  it('ends for good too where nothing else was ever stored and the bad file could not be set aside', async () => {
    const storage = await damagedStorage();
    storage.failure = (operation) => (operation === 'read' ? undefined : new Error('EROFS'));
    const node = await start({ storage });
    storage.failure = undefined;
    node.hold(5000);
    await until(() => node.slips('READY TO SET UP') === 1);
    await node.stop();
    expect(await answer(await start({ storage }))).toEqual(NORMAL);
  });

  it('stays held where that cannot be stored; the slip says to hold again', async () => {
    const node = await start({ storage: await damagedStorage() });
    node.storage.failure = (operation) => (operation === 'write' ? new Error('EIO') : undefined);
    node.hold(5000);
    await until(() => node.slips('NOT STORED') === 1);
    expect(await answer(node)).toEqual(HOLD);
    expect(node.errors).toContainEqual({
      fields: { error: 'persist_failed: the storage failed' },
      message: 'custody not attested',
    });
    node.storage.failure = undefined;
    node.hold(5000);
    await until(() => node.slips('READY TO SET UP') === 1);
    expect(await answer(node)).toEqual(NORMAL);
  });

  it.each([1000, 10_000, 15_000])('stays held after a hold of %i ms', async (ms) => {
    const node = await start({ storage: await damagedStorage() });
    const forgets = countForgets(node);
    node.hold(ms);
    if (ms === 15_000) await until(() => node.boot.restarts === 1);
    expect(await answer(node)).toEqual(HOLD);
    node.hold(5000);
    await until(() => node.slips('READY TO SET UP') === 1);
    expect(forgets()).toBe(1);
  });
});

const countForgets = ({ kernel }: Node) => {
  let count = 0;
  kernel.offered('custody')?.forgetNetwork.tapPromise('test', async () => {
    count += 1;
  });
  return () => count;
};

describe('a hold of 5 seconds', () => {
  it('tells the room of the network, and stores and prints nothing of its own where custody was not held', async () => {
    const node = await start();
    const forgets = countForgets(node);
    node.storage.failure = (operation) => (operation === 'write' ? new Error('nothing is to be written') : undefined);
    const before = node.paper();
    node.hold(5000);
    await until(() => forgets() === 1);
    node.hold(5000);
    await until(() => forgets() === 2);
    expect(node.paper()).toBe(before);
    expect(node.errors).toEqual([]);
  });

  it('attests custody even where the network cannot be forgotten, and says that it failed', async () => {
    const node = await start({ storage: await damagedStorage() });
    node.kernel.offered('custody')?.forgetNetwork.tapPromise('test', async () => {
      throw new Error('no radio');
    });
    node.hold(5000);
    await until(() => node.slips('NOT STORED') === 1);
    expect(await answer(node)).toEqual(NORMAL);
    expect(node.errors).toContainEqual({ fields: { error: 'Error: no radio' }, message: 'network not forgotten' });
  });

  it('keeps the keys and the mode', async () => {
    const node = await start();
    const forgets = countForgets(node);
    await node.put({ apiKey: 'a key of sixteen+', apiMode: 'strict' });
    node.hold(5000);
    await until(() => forgets() === 1);
    expect(await node.config()).toMatchObject({ apiMode: 'strict', apiKeySet: true });
    expect(node.boot.restarts).toBe(0);
  });
});

class MachineButtons implements ButtonsBinding {
  readonly ofMachine = true;
  listener: ButtonListener | undefined;
  starts = 0;

  async start(listener: ButtonListener): Promise<void> {
    this.listener = listener;
    this.starts += 1;
  }

  async stop(): Promise<void> {
    this.listener = undefined;
  }
}

describe('the buttons of a machine', () => {
  it('are left alone unless the node was started to own the machine', async () => {
    const buttons = new MachineButtons();
    await start({ bindings: () => ({ buttons }) });
    expect(buttons.starts).toBe(0);
  });

  it('are listened to by an appliance, until it stops', async () => {
    const buttons = new MachineButtons();
    const node = await start({ bindings: () => ({ buttons }), run: { appliance: true } });
    const now = performance.now();
    buttons.listener?.press('b', now - 15_000);
    buttons.listener?.release('b', now);
    await until(() => node.boot.restarts === 1);
    await node.stop();
    expect(buttons.listener).toBeUndefined();
  });
});
