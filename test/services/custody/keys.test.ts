/** The 15-second hold: lost key. */
import { AsyncSeriesHook } from 'tapable';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SettingsStore } from '../../../runtime/node/settings-store.ts';
import { Custody } from '../../../runtime/services/custody/custody.ts';
import { Slips } from '../../../runtime/services/custody/slips.ts';
import { KEY, startLockedNode, startNode, until } from './node.ts';

const sections = async (storage: Parameters<typeof SettingsStore.open>[0]) => {
  const { store } = await SettingsStore.open(storage);
  return (name: string) => store.read(name);
};

describe('holding B for 15 seconds', () => {
  it.each(['admin', 'strict'])('takes a node from %s to open, erases both keys and restarts it', async (apiMode) => {
    const node = await startLockedNode();
    await node.put({ apiMode }, KEY);
    expect((await node.put({ cutClearanceLines: 2 })).body).toMatchObject({ error: 'api_locked' });
    node.hold(15_000);
    await until(() => node.boot.restarts === 1);
    expect(await node.config()).toMatchObject({ apiMode: 'open', apiKeySet: false });
    expect((await node.put({ cutClearanceLines: 2 })).status).toBe(200);
    const stored = await sections(node.storage);
    expect(stored('updateKey')).toBeUndefined();
    expect(stored('config')).toMatchObject({ apiMode: 'open', apiKey: '' });
  });

  it('keeps Wi-Fi settings, the cloud token and every other setting', async () => {
    const node = await startLockedNode();
    await node.put({ printWidthCols: 32 }, KEY);
    node.hold(20_000);
    await until(() => node.boot.restarts === 1);
    const stored = await sections(node.storage);
    expect(stored('wifi')).toMatchObject({ ssid: 'Shop', password: 'wifi password' });
    expect(stored('cloud')).toEqual({ token: 'cloud token' });
    expect(stored('identity')).toBeDefined();
    expect((await node.config())['printWidthCols']).toBe(32);
  });

  it('says so on one slip, and no key is on it', async () => {
    const node = await startLockedNode();
    node.hold(15_000);
    await until(() => node.boot.restarts === 1);
    expect(node.onPaper('The API key and the update key are erased')).toBe(true);
    expect(node.slips('KEYS ERASED')).toBe(1);
    expect(node.slips('ACCESS CHANGED')).toBe(0);
    expect(node.paper()).not.toContain(KEY);
  });

  it('works on a node without a key, a printer or a change to make', async () => {
    const node = await startNode({ unplugged: true });
    node.hold(15_000);
    await until(() => node.boot.restarts === 1);
    expect(await node.config()).toMatchObject({ apiMode: 'open', apiKeySet: false });
  });

  it('leaves everything as it was where it cannot be stored, says so, and does not restart', async () => {
    const node = await startLockedNode();
    node.storage.failure = (operation) => (operation === 'write' ? new Error('EIO') : undefined);
    node.hold(15_000);
    await until(() => node.slips('KEYS NOT ERASED') === 1);
    expect(node.boot.restarts).toBe(0);
    expect(node.errors).toContainEqual({
      fields: { error: 'persist_failed: the storage failed' },
      message: 'keys not erased',
    });
    expect(await node.config()).toMatchObject({ apiMode: 'strict', apiKeySet: true });
    node.storage.failure = undefined;
    const stored = await sections(node.storage);
    expect([stored('config'), stored('updateKey')]).toEqual([
      expect.objectContaining({ apiMode: 'strict', apiKey: KEY }),
      'an update key',
    ]);
    node.hold(15_000);
    await until(() => node.boot.restarts === 1);
    expect(await node.config()).toMatchObject({ apiMode: 'open', apiKeySet: false });
  });

  it('is one write to the storage: both keys and the mode, or none of them', async () => {
    const node = await startLockedNode();
    let writes = 0;
    node.storage.failure = (operation) => {
      if (operation === 'write') writes += 1;
      return undefined;
    };
    node.hold(15_000);
    await until(() => node.boot.restarts === 1);
    expect(writes).toBe(1);
  });

  it('lets the job that prints finish, and prints its slip behind it', async () => {
    const node = await startLockedNode();
    await node.put({ apiMode: 'admin' }, KEY);
    node.printer.set({ slow: 4000 });
    const job = node.print(`BEGIN ${'receipt '.repeat(150)}END`);
    await until(() => node.printer.paperBytes().length > 100);
    node.hold(15_000);
    await until(async () => (await node.config())['apiMode'] === 'open');
    expect(node.boot.restarts).toBe(0);
    expect(await job).toMatchObject({ status: 200, body: { ok: true } });
    node.printer.set({ slow: 0 });
    await until(() => node.boot.restarts === 1);
    expect(node.paper()).toMatch(/END[\s\S]*KEYS ERASED/);
  });

  it('restarts the node also where the slip does not come out of the printer', async () => {
    const node = await startLockedNode();
    node.printer.set({ nak: true });
    const slips = new Slips(node.kernel);
    onTestFinished(() => slips.stop());
    await new Custody(node.kernel, slips, new AsyncSeriesHook(), 20).act('clear_keys');
    expect(node.boot.restarts).toBe(1);
    expect(await node.config()).toMatchObject({ apiMode: 'open', apiKeySet: false });
    expect(node.onPaper('The node restarts now.')).toBe(false);
    node.printer.set({ nak: false });
    await until(() => node.onPaper('The node restarts now.'));
  });

  it('is done once however long it lasts, and once more after that', async () => {
    const node = await startLockedNode();
    node.hold(60_000);
    await until(() => node.boot.restarts === 1);
    node.hold(15_000);
    await until(() => node.boot.restarts === 2);
    expect(node.slips('KEYS ERASED')).toBe(2);
  });
});

describe('a hold that is neither gesture', () => {
  it.each([
    ['b', 1000],
    ['b', 3900],
    ['b', 10_000],
    ['power', 15_000],
  ])('changes nothing (%s, %i ms)', async (name, ms) => {
    const node = await startLockedNode();
    const made: string[] = [];
    node.kernel.offered('custody')?.forgetNetwork.tapPromise('test', async () => void made.push('forget_network'));
    node.bench.buttons.hold(name, ms);
    node.hold(5000);
    await until(() => made.length > 0);
    expect(made).toEqual(['forget_network']);
    expect(node.boot.restarts).toBe(0);
    expect(await node.config()).toMatchObject({ apiMode: 'strict', apiKeySet: true });
  });
});
