/** PUT /update: settings, the update key, the way back to the factory image (specification 5.10, 5.11 and 7). */
import { describe, expect, it } from 'vitest';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { definePlugin } from '../../../runtime/kernel/plugin.ts';
import { errors } from '../../../runtime/services/cloud/errors.ts';
import settings from '../../../runtime/services/settings/index.ts';
import update from '../../../runtime/services/update/index.ts';
import { makeImage } from '../../made-images.ts';
import { until } from '../../node.ts';
import { API_KEY, startUpdateNode, UPDATE_KEY, type UpdateNode, type UpdateNodeOptions } from './node.ts';

const NEXT_KEY = 'another-update-key-1';
const withApiKey = { 'X-NODE-Api-Key': API_KEY };
const withUpdateKey = { Authorization: `Bearer ${UPDATE_KEY}` };

async function start(options: UpdateNodeOptions = {}) {
  const node = await startUpdateNode(options);
  const put = (body: unknown, headers?: Record<string, string>) => node.send('PUT', '/update', body, headers);
  return { ...node, put };
}
/** What a source of updates refuses with. */
const elsewhere = definePlugin({ name: 'elsewhere', api: 2, errors });
const keyOf = ({ kernel }: UpdateNode) => kernel.settings.read('updateKey');

describe('the settings', () => {
  it('are stored, answered without a credential, and there after a restart', async () => {
    const storage = new VirtualStorage();
    const node = await start({ storage });
    expect((await node.put({})).body).toEqual({ ok: true, enabled: true, policy: 'auto', updateKeySet: true });
    const { body } = await node.put({ enabled: false, policy: 'check' });
    expect(body).toEqual({ ok: true, enabled: false, policy: 'check', updateKeySet: true });
    const again = await start({ storage });
    expect((await again.put({})).body).toEqual(body);
  });

  it.each([
    ['an unknown key', { on: true }],
    ['an unknown policy', { policy: 'always' }],
    ['a switch that is none', { enabled: 'yes' }],
    ['another image', { boot: 'a' }],
    ['null', { check: null }],
    ['a boot beside a check', { boot: 'factory', check: true }],
  ])('with %s are refused, and nothing is stored', async (_, body) => {
    const node = await start();
    expect(await node.put({ policy: 'off', ...body })).toMatchObject({ status: 422, error: 'invalid_config' });
    expect((await node.put({})).body['policy']).toBe('auto');
  });

  it('are an object', async () => {
    const node = await start();
    for (const body of [[], null, 'boot', 7]) {
      expect(await node.put(body)).toMatchObject({ status: 422, error: 'invalid_config' });
    }
  });

  it('cannot be read: the path has no GET', async () => {
    const node = await start();
    const response = await fetch(`${node.url}/update`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['POST', 'PUT']);
  });

  it('that cannot be stored are persist_failed', async () => {
    const storage = new VirtualStorage();
    const node = await start({ storage });
    storage.failure = () => new Error('the disk is full');
    expect(await node.put({ policy: 'off' })).toMatchObject({ status: 500, error: 'persist_failed' });
    expect((await node.put({})).body['policy']).toBe('auto');
  });
});

describe('the update key', () => {
  it.each([
    ['15 characters', 'x'.repeat(15), 422],
    ['16 characters', 'x'.repeat(16), 200],
    ['128 characters', 'x'.repeat(128), 200],
    ['129 characters', 'x'.repeat(129), 422],
    ['a space, which no bearer token has', 'sixteen letters in all', 422],
    ['a letter outside ASCII', 'sixteen-lettersé', 422],
    ['nothing, where none is stored', '', 200],
  ])('is taken or refused by what it is made of: %s', async (_, updateKey, status) => {
    const node = await start({ updateKey: '' });
    expect((await node.put({ updateKey })).status).toBe(status);
    expect((await node.put({})).body['updateKeySet']).toBe(status === 200 && updateKey !== '');
  });

  it('needs no credential as the first, and the stored one ever after, in open mode too', async () => {
    const node = await start({ updateKey: '' });
    expect((await node.put({ updateKey: UPDATE_KEY })).status).toBe(200);
    for (const updateKey of [NEXT_KEY, UPDATE_KEY, '', 'short']) {
      for (const headers of [{}, { Authorization: `Bearer ${NEXT_KEY}` }, { 'X-NODE-Api-Key': UPDATE_KEY }]) {
        expect(await node.put({ updateKey }, headers)).toMatchObject({ status: 401, error: 'ota_locked' });
      }
    }
    expect(keyOf(node)).toBe(UPDATE_KEY);
    expect(await node.put({ updateKey: 'short' }, withUpdateKey)).toMatchObject({ error: 'invalid_config' });
    expect((await node.put({ updateKey: NEXT_KEY }, withUpdateKey)).body).toMatchObject({ updateKeySet: true });
    expect((await node.put({ updateKey: '' }, withUpdateKey)).error).toBe('ota_locked');
    const { body } = await node.put({ updateKey: '' }, { Authorization: `Bearer ${NEXT_KEY}` });
    expect(body['updateKeySet']).toBe(false);
    expect(keyOf(node)).toBe(undefined);
  });

  it('is one, when several senders bring a first one at once', async () => {
    const storage = new VirtualStorage();
    const node = await start({ storage, updateKey: '' });
    const write = storage.write.bind(storage);
    // Slow enough that all have come before the first is stored.
    let arrived = 0;
    storage.write = async (name, content) => {
      await until(() => arrived === 10);
      await write(name, content);
    };
    const update = node.kernel.settings.update.bind(node.kernel.settings);
    node.kernel.settings.update = (mutate) => {
      arrived += 1;
      return update(mutate);
    };
    const keys = Array.from({ length: 10 }, (_, index) => `update-key-number-${index}`);
    const answers = await Promise.all(keys.map((updateKey) => node.put({ updateKey })));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    expect(answers.filter(({ error }) => error === 'ota_locked').length).toBe(9);
    expect(keyOf(node)).toBe(keys[answers.findIndex(({ status }) => status === 200)]);
  });

  it('needs both credentials on a node above open', async () => {
    const node = await start({ apiMode: 'admin' });
    expect(await node.put({ updateKey: NEXT_KEY })).toMatchObject({ error: 'api_locked' });
    expect(await node.put({ updateKey: NEXT_KEY }, withUpdateKey)).toMatchObject({ error: 'api_locked' });
    expect(await node.put({ updateKey: NEXT_KEY }, withApiKey)).toMatchObject({ error: 'ota_locked' });
    expect((await node.put({ updateKey: NEXT_KEY }, { ...withApiKey, ...withUpdateKey })).status).toBe(200);
  });

  it('is in no answer', async () => {
    const node = await start({ updateKey: '' });
    const answers = [await node.put({ updateKey: UPDATE_KEY }), await node.put({}), await node.put({ updateKey: 7 })];
    expect(JSON.stringify(answers)).not.toContain(UPDATE_KEY);
  });
});

describe('check and apply', () => {
  it('without a cloud are refused, and nothing of the request is stored', async () => {
    const node = await start();
    for (const request of [{ check: true }, { apply: true }]) {
      expect(await node.put({ ...request, policy: 'off' })).toMatchObject({
        status: 409,
        error: 'cloud_not_configured',
      });
    }
    expect((await node.put({ check: false, apply: false })).body['policy']).toBe('auto');
  });

  it('are refused while the kill switch is off, and turn it on in the same request', async () => {
    const node = await start();
    const asked: boolean[] = [];
    node.kernel.offered('update')?.source.tap('test', () => ({
      look: async ({ apply }) => {
        asked.push(apply);
        return apply ? '2.0.0' : undefined;
      },
    }));
    await node.put({ enabled: false });
    expect(await node.put({ check: true })).toMatchObject({ status: 409, error: 'update_disabled' });
    expect(await node.put({ enabled: false, apply: true })).toMatchObject({ status: 409, error: 'update_disabled' });
    expect(asked).toEqual([]);
    expect((await node.put({ enabled: true, check: true })).body).toMatchObject({ enabled: true, available: null });
    expect((await node.put({ apply: true })).body).toMatchObject({ available: '2.0.0' });
    expect(asked).toEqual([false, true]);
  });
});

describe('a request that fails on its way', () => {
  const beside = { enabled: true, policy: 'check', updateKey: NEXT_KEY };
  const keptBy = async ({ kernel }: UpdateNode) => [kernel.settings.read('updateKey'), kernel.settings.read('update')];

  it.each([
    ['a check that does not reach the cloud', { check: true }, 'cloud_unreachable'],
    ['an image that is refused', { apply: true }, 'image_invalid'],
  ])('as %s stores nothing', async (_, request, code) => {
    const node = await start({ updateKey: '', plugins: [settings, update, elsewhere] });
    node.kernel.offered('update')?.source.tap('test', () => ({ look: () => Promise.reject(new ApiError(code)) }));
    expect((await node.put({ ...request, ...beside })).error).toBe(code);
    expect(await keptBy(node)).toEqual([undefined, undefined]);
  });

  it('as a revert that the slots do not take stores nothing', async () => {
    const node = await start({ updateKey: '' });
    node.slots.before = () => {
      throw new Error('read-only file system');
    };
    expect(await node.put({ boot: 'factory', ...beside })).toMatchObject({ error: 'ota_write_failed' });
    expect(await keptBy(node)).toEqual([undefined, undefined]);
  });

  it.each([
    ['the image that is installed', { apply: true }, 'image 2.0.0 is installed'],
    ['the factory image', { boot: 'factory' }, 'the factory image is booted next'],
  ])('at the storage alone says so, and names %s', async (_, request, done) => {
    const storage = new VirtualStorage();
    const node = await start({ storage });
    node.kernel.offered('update')?.source.tap('test', () => ({ look: async () => '2.0.0' }));
    storage.failure = () => new Error('the disk is full');
    const { error, body } = await node.put({ ...request, policy: 'off' });
    expect([error, body['detail']]).toEqual(['persist_failed', expect.stringContaining(done)]);
  });
});

describe('booting the factory image', () => {
  it('is made durable, answered, and restarted onto', async () => {
    const node = await start();
    const { status, body } = await node.put({ boot: 'factory' });
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true, boot: 'factory' } });
    expect(node.slots.next).toBe('factory');
    expect(await node.put({ boot: 'factory' })).toMatchObject({ status: 409, error: 'ota_busy' });
    expect(await node.upload(Buffer.alloc(4000))).toMatchObject({ status: 409, error: 'ota_busy' });
    await until(() => node.boot.restarts === 1);
  });

  it('is refused without a launcher', async () => {
    const node = await start({ boot: { slot: 'factory', launched: false } });
    expect(await node.put({ boot: 'factory' })).toMatchObject({ status: 409, error: 'no_launcher' });
    expect(node.kernel.restarting).toBe(false);
  });

  it('while it is running keeps it, however often, and restarts nothing', async () => {
    const node = await start({ boot: { slot: 'factory' }, apiMode: 'admin' });
    for (let time = 0; time < 2; time += 1) {
      expect(await node.put({ boot: 'factory' })).toMatchObject({ status: 200, body: { ok: true, boot: 'factory' } });
    }
    // It may run because the image that was to be booted could not be.
    expect(node.slots.next).toBe('factory');
    expect(node.kernel.restarting).toBe(false);
  });

  it('that the slots do not take changes nothing', async () => {
    const node = await start();
    node.slots.before = () => {
      throw new Error('read-only file system');
    };
    expect(await node.put({ boot: 'factory' })).toMatchObject({ status: 500, error: 'ota_write_failed' });
    expect({ next: node.slots.next, restarting: node.kernel.restarting }).toEqual({
      next: undefined,
      restarting: false,
    });
  });

  it.each([
    ['open', { boot: 'factory' }, {}, 200],
    ['admin', { boot: 'factory' }, {}, 200],
    ['admin', { boot: 'factory', policy: 'off' }, {}, 401],
    ['admin', { boot: 'factory', check: false }, {}, 401],
    ['admin', { boot: 'a' }, {}, 401],
    ['admin', {}, {}, 401],
    ['admin', { policy: 'off' }, {}, 401],
    ['admin', { boot: 'factory', policy: 'off' }, withApiKey, 200],
    ['strict', { boot: 'factory' }, {}, 401],
    ['strict', { boot: 'factory' }, withApiKey, 200],
  ] as const)('at %s with %j and %j is answered %i', async (apiMode, body, headers, status) => {
    const node = await start({ apiMode });
    expect((await node.put(body, headers)).status).toBe(status);
    expect(node.slots.next).toBe(status === 200 && 'boot' in body ? 'factory' : undefined);
  });

  it('of a locked node is not asked for by what is no JSON', async () => {
    const node = await start({ apiMode: 'admin' });
    for (const body of ['{', '', '"boot"', '{"boot":"factory"']) {
      const response = await fetch(`${node.url}/update`, { method: 'PUT', body });
      expect(response.status).toBe(401);
    }
    const known = await fetch(`${node.url}/update`, { method: 'PUT', body: '{', headers: withApiKey });
    expect(known.status).toBe(400);
  });

  it('without a credential is granted once in ten minutes, restarts between or not; after an upload once more; with one, always', async () => {
    const storage = new VirtualStorage();
    const first = await start({ storage, apiMode: 'admin' });
    expect((await first.put({ boot: 'factory' })).status).toBe(200);
    const second = await start({ storage });
    expect(await second.put({ boot: 'factory' })).toMatchObject({ status: 409, error: 'ota_busy' });
    expect(second.slots.next).toBe(undefined);
    expect((await second.put({ boot: 'factory' }, withApiKey)).status).toBe(200);
    const third = await start({ storage });
    expect((await third.put({ boot: 'factory' })).status).toBe(200);
    const owned = await start({ storage });
    expect(await owned.put({ boot: 'factory' })).toMatchObject({ status: 409, error: 'ota_busy' });
    expect((await owned.upload(makeImage())).status).toBe(200);
    const updated = await start({ storage });
    expect((await updated.put({ boot: 'factory' })).status).toBe(200);
    const later = await start({ storage });
    Object.assign(later.kernel, { startedAt: performance.now() - 600_001 });
    expect((await later.put({ boot: 'factory' })).status).toBe(200);
  });
});
