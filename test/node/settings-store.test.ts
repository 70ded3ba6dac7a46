import { describe, expect, it } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { SettingsStore } from '../../runtime/node/settings-store.ts';

const open = async (storage: VirtualStorage) => (await SettingsStore.open(storage)).store;
const set = (section: string, value: unknown) => (draft: Record<string, unknown>) => {
  draft[section] = value;
};
/** Storage that counts writes, and fails them while told to. */
function countedStorage() {
  const storage = new VirtualStorage();
  const disk = { storage, writes: [] as string[], failing: false };
  storage.failure = (operation, name) => {
    if (operation !== 'write') return undefined;
    disk.writes.push(name);
    return disk.failing ? Object.assign(new Error('no space left'), { code: 'ENOSPC' }) : undefined;
  };
  return disk;
}

describe('the settings store', () => {
  it('starts fresh where nothing was ever stored, and writes nothing by itself', async () => {
    const { storage, writes } = countedStorage();
    const { store, recovered } = await SettingsStore.open(storage);
    expect([recovered, store.read('config'), writes]).toEqual(['fresh', undefined, []]);
  });

  it('serves after a restart what was stored before it', async () => {
    const storage = new VirtualStorage();
    await (await open(storage)).update(set('config', { apiMode: 'open', hosts: ['till'] }));
    const { store, recovered } = await SettingsStore.open(storage);
    expect([recovered, store.read('config')]).toEqual(['current', { apiMode: 'open', hosts: ['till'] }]);
  });

  it('serves exactly what a restart will serve', async () => {
    const storage = new VirtualStorage();
    const store = await open(storage);
    await store.update(set('section', { kept: 1, dropped: undefined, notANumber: Number.NaN }));
    expect(store.read('section')).toStrictEqual({ kept: 1, notANumber: null });
    expect((await open(storage)).read('section')).toStrictEqual(store.read('section'));
  });

  it('answers undefined for a section that only a prototype has', async () => {
    expect((await open(new VirtualStorage())).read('constructor')).toBeUndefined();
  });

  it('writes its two files in turn, so that the generation before stays', async () => {
    const { storage, writes } = countedStorage();
    const store = await open(storage);
    for (let n = 0; n < 4; n++) await store.update(set('n', n));
    expect(writes).toEqual(['settings.a', 'settings.b', 'settings.a', 'settings.b']);
    await storage.remove('settings.b');
    expect((await open(storage)).read('n')).toBe(2);
  });

  it('writes nothing when a change changes nothing', async () => {
    const { storage, writes } = countedStorage();
    const store = await open(storage);
    await store.update(set('config', { a: 1, b: 2 }));
    await store.update(set('config', { b: 2, a: 1 }));
    await store.update(() => {});
    expect(writes.length).toBe(1);
  });

  it('keeps the old value, in memory and on disk, when a change cannot be stored', async () => {
    const disk = countedStorage();
    const store = await open(disk.storage);
    await store.update(set('n', 1));
    disk.failing = true;
    await expect(store.update(set('n', 2))).rejects.toMatchObject({ code: 'persist_failed', detail: 'ENOSPC' });
    expect(store.read('n')).toBe(1);
    expect((await open(disk.storage)).read('n')).toBe(1);
    disk.failing = false;
    await store.update(set('n', 3));
    expect((await open(disk.storage)).read('n')).toBe(3);
  });

  it('does not change what it serves before it is stored', async () => {
    const storage = new VirtualStorage();
    const store = await open(storage);
    await store.update(set('n', 1));
    const changing = store.update((draft) => {
      draft['n'] = 2;
      expect(store.read('n')).toBe(1);
    });
    await changing;
    expect(store.read('n')).toBe(2);
  });

  it('refuses a document of more than 256 KiB and keeps the one it has', async () => {
    const storage = new VirtualStorage();
    const store = await open(storage);
    await store.update(set('n', 1));
    await expect(store.update(set('big', 'x'.repeat(256 * 1024)))).rejects.toMatchObject({ code: 'persist_failed' });
    expect((await open(storage)).read('big')).toBeUndefined();
    await store.update(set('big', 'x'.repeat(255 * 1024)));
    expect((await open(storage)).read('n')).toBe(1);
  });

  it('passes on what a change throws, and changes nothing', async () => {
    const store = await open(new VirtualStorage());
    const broken = store.update((draft) => {
      draft['n'] = 1;
      throw new Error('not this');
    });
    await expect(broken).rejects.toThrow('not this');
    expect(store.read('n')).toBeUndefined();
  });

  it('runs changes one after the other, each upon the one before, past one that fails', async () => {
    const disk = countedStorage();
    const store = await open(disk.storage);
    const seen: unknown[] = [];
    const changes = Array.from({ length: 50 }, (_, index) =>
      store.update((draft) => {
        if (index === 25) throw new Error('refused');
        seen.push(draft['count'] ?? 0);
        draft['count'] = Number(draft['count'] ?? 0) + 1;
      }),
    );
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBe(1);
    expect(seen).toEqual(Array.from({ length: 49 }, (_, index) => index));
    expect((await open(disk.storage)).read('count')).toBe(49);
  });
});
