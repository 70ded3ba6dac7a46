import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { SettingsStore } from '../../runtime/node/settings-store.ts';

/** Two generations on disk: n = 1 in settings.a, n = 2 in settings.b. */
async function twoGenerations(): Promise<VirtualStorage> {
  const storage = new VirtualStorage();
  const { store } = await SettingsStore.open(storage);
  for (const n of [1, 2]) {
    await store.update((draft) => {
      draft['n'] = n;
      draft['filler'] = 'receipt paper '.repeat(40);
    });
  }
  return storage;
}

const damages = new Map<string, (good: Buffer) => Uint8Array>();
damages.set('empty', () => new Uint8Array());
damages.set('zeros of the same length', (good) => Buffer.alloc(good.length));
damages.set('a byte order mark before it', (good) => Buffer.concat([Buffer.from('\ufeff'), good]));
damages.set('a byte after it', (good) => Buffer.concat([good, Buffer.from(' ')]));
damages.set('its halves swapped', (good) => Buffer.concat([good.subarray(400), good.subarray(0, 400)]));
damages.set('not JSON', () => Buffer.from('hello'));
damages.set('JSON of another shape', () => Buffer.from('[1,2,3]'));
damages.set('the document without its digest', (good) => Buffer.from(`{${good.toString().slice(77)}`));
damages.set('a digest of something else', (good) =>
  Buffer.from(good.toString().replace(/"[0-9a-f]{64}"/, `"${'0'.repeat(64)}"`)),
);
damages.set('a higher generation under the old digest', (good) =>
  Buffer.from(good.toString().replace('"generation":2', '"generation":9')),
);
damages.set('deep JSON', () => Buffer.from('['.repeat(100_000)));
damages.set('megabytes', () => Buffer.alloc(2 * 1024 * 1024, '{'));
const signed = (rest: string) => Buffer.from(`{"sha256":"${createHash('sha256').update(rest).digest('hex')}",${rest}`);
damages.set('deep JSON under a right digest', () => signed(`"generation":3,"sections":${'['.repeat(100_000)}`));
damages.set('sections of another type under a right digest', () => signed('"generation":3,"sections":[]}'));
damages.set('a generation that is no number, under a right digest', () => signed('"generation":"3","sections":{}}'));
damages.set('a generation past all counting, under a right digest', () => signed('"generation":1e300,"sections":{}}'));
for (let length = 64; length < 700; length += 64)
  damages.set(`cut after ${length} bytes`, (good) => good.subarray(0, length));
for (let at = 0; at < 640; at += 40) {
  damages.set(`a bit of byte ${at} flipped`, (good) => {
    const bad = Buffer.from(good);
    bad[at] = (bad[at] ?? 0) ^ (1 << ((at / 40) % 8));
    return bad;
  });
}

describe('a damaged settings file', () => {
  let good: Buffer;
  beforeAll(async () => {
    good = Buffer.from((await (await twoGenerations()).read('settings.b')) ?? []);
    expect(good.length).toBeGreaterThan(640);
  });

  describe.each([...damages])('%s', (_name, damage) => {
    it('as the newest: the generation before is served, and the node says so', async () => {
      const storage = await twoGenerations();
      await storage.write('settings.b', damage(good));
      const { store, recovered } = await SettingsStore.open(storage);
      expect([recovered, store.read('n')]).toEqual(['previous', 1]);
    });

    it('as both: nothing is served, and the node says that something was lost', async () => {
      const storage = await twoGenerations();
      for (const name of ['settings.a', 'settings.b']) await storage.write(name, damage(good));
      const { store, recovered } = await SettingsStore.open(storage);
      expect([recovered, store.read('n'), store.read('erased')]).toEqual(['erased', undefined, true]);
    });
  });

  it('as the older: the newest is served', async () => {
    const storage = await twoGenerations();
    await storage.write('settings.a', Buffer.from('hello'));
    const { store, recovered } = await SettingsStore.open(storage);
    expect([recovered, store.read('n')]).toEqual(['previous', 2]);
  });

  it('is set aside, one at most, and the next start is a current one', async () => {
    const storage = await twoGenerations();
    await storage.write('settings.b', Buffer.from('first damage'));
    await SettingsStore.open(storage);
    expect(Buffer.from((await storage.read('settings.bad')) ?? []).toString()).toBe('first damage');
    expect((await SettingsStore.open(storage)).recovered).toBe('current');
    await storage.write('settings.b', Buffer.from('second damage'));
    await SettingsStore.open(storage);
    expect(Buffer.from((await storage.read('settings.bad')) ?? []).toString()).toBe('second damage');
  });

  it('does not stop the next change from being stored beside the good one', async () => {
    const storage = await twoGenerations();
    await storage.write('settings.b', Buffer.from('hello'));
    const { store } = await SettingsStore.open(storage);
    await store.update((draft) => {
      draft['n'] = 3;
    });
    await storage.remove('settings.b');
    expect((await SettingsStore.open(storage)).store.read('n')).toBe(1);
  });

  it('is reported until something is stored again, and remembered after that', async () => {
    const storage = await twoGenerations();
    for (const name of ['settings.a', 'settings.b']) await storage.write(name, Buffer.from('hello'));
    await SettingsStore.open(storage);
    const { store, recovered } = await SettingsStore.open(storage);
    expect(recovered).toBe('erased');
    await store.update((draft) => {
      draft['n'] = 3;
    });
    const next = await SettingsStore.open(storage);
    expect([next.recovered, next.store.read('erased'), next.store.read('n')]).toEqual(['current', true, 3]);
  });

  it('that cannot even be read is passed over, and left where it is', async () => {
    const storage = await twoGenerations();
    storage.failure = (operation, name) =>
      operation === 'read' && name === 'settings.b' ? new Error('EIO') : undefined;
    const { store, recovered } = await SettingsStore.open(storage);
    expect([recovered, store.read('n')]).toEqual(['previous', 1]);
    storage.failure = undefined;
    expect((await SettingsStore.open(storage)).store.read('n')).toBe(2);
  });

  it('on a disk that takes no writes is passed over all the same', async () => {
    const storage = await twoGenerations();
    await storage.write('settings.b', Buffer.from('hello'));
    storage.failure = (operation) => (operation === 'read' ? undefined : new Error('EROFS'));
    const { store, recovered } = await SettingsStore.open(storage);
    expect([recovered, store.read('n')]).toEqual(['previous', 1]);
  });
});
