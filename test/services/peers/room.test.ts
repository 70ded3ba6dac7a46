import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import peers from '../../../runtime/services/peers/index.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';

const KEY = 'correct horse battery';

async function start(storage = new VirtualStorage()) {
  const node = await startTestNode({ plugins: [status, settings, peers], recipes: [], storage });
  let running = true;
  const stop = async () => {
    if (running) await node.stop();
    running = false;
  };
  onTestFinished(stop);
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(`${node.url}${path}`, { method, headers, ...sent });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const identity = async () => (await call('GET', '/status')).body['identity'] as Record<string, unknown>;
  return { ...node, stop, call, identity, put: (body: unknown) => call('PUT', '/name', body) };
}

describe('the name', () => {
  it('is stored, stands in the status, and is still there after a restart', async () => {
    const storage = new VirtualStorage();
    const node = await start(storage);
    expect(await node.identity()).not.toHaveProperty('name');
    expect(await node.put({ name: 'Kasse 1 – Bäckerei 🥐' })).toEqual({
      status: 200,
      body: { ok: true, name: 'Kasse 1 – Bäckerei 🥐' },
    });
    expect(node.kernel.settings.read('name')).toBe('Kasse 1 – Bäckerei 🥐');
    await node.stop();
    expect(await (await start(storage)).identity()).toMatchObject({ name: 'Kasse 1 – Bäckerei 🥐' });
  });

  it.each(['x', 'x'.repeat(63), '€'.repeat(21), '"\\"', 'שלום', '👩‍🍳'])('may be %j', async (name) => {
    expect(await (await start()).put({ name })).toEqual({ status: 200, body: { ok: true, name } });
  });

  it.each([
    { name: '' },
    { name: 'x'.repeat(64) },
    { name: '€'.repeat(22) },
    { name: '   ' },
    { name: ' till' },
    { name: 'till\u00a0' },
    { name: '\u200b\u200d' },
    { name: '\u3164' },
    { name: '\u115f\uffa0\u2800' },
    { name: 'a\nb' },
    { name: 'a\u0000' },
    { name: '\u001b[31m' },
    { name: 'a\u007f' },
    { name: 'a\u0085b' },
    { name: 'a\u2028b' },
    { name: 'a\u2029b' },
    { name: 'txt.\u202eexe' },
    { name: '\u2066a' },
    '{"name":"\\ud83d"}',
    { name: 5 },
    { name: null },
    { name: ['x'] },
    {},
    { name: 'x', colour: 'red' },
    { Name: 'x' },
    '{"name":"x","__proto__":{}}',
    '"x"',
    'null',
    '[]',
  ])('may not be %j', async (body) => {
    const node = await start();
    expect(await node.put(body)).toMatchObject({ status: 422, body: { ok: false, error: 'invalid_config' } });
    expect(node.kernel.settings.read('name')).toBeUndefined();
  });

  it('is refused as no JSON where it is none', async () => {
    expect(await (await start()).put('Kasse 1')).toMatchObject({ status: 400, body: { error: 'invalid_json' } });
  });

  it('needs the API key in admin mode; the list of peers does not', async () => {
    const node = await start();
    await node.call('PUT', '/config', { apiKey: KEY, apiMode: 'admin' });
    expect(await node.put({ name: 'x' })).toMatchObject({ status: 401, body: { error: 'api_locked' } });
    const keyed = await node.call('PUT', '/name', { name: 'x' }, { 'X-NODE-Api-Key': KEY });
    expect(keyed).toEqual({ status: 200, body: { ok: true, name: 'x' } });
    expect((await node.call('GET', '/peers')).status).toBe(200);
  });

  it('stays what it was where nothing can be stored', async () => {
    const storage = new VirtualStorage();
    const node = await start(storage);
    await node.put({ name: 'before' });
    storage.failure = () => Object.assign(new Error('full'), { code: 'ENOSPC' });
    expect(await node.put({ name: 'after' })).toMatchObject({ status: 500, body: { error: 'persist_failed' } });
    expect(await node.identity()).toMatchObject({ name: 'before' });
  });
});

describe('a node on loopback', () => {
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('UDP')).length;

  it('opens no socket for beacons, and its list is empty', async () => {
    const before = sockets();
    const node = await start();
    expect(sockets()).toBe(before);
    expect(await node.call('GET', '/peers')).toEqual({ status: 200, body: { peers: [] } });
  });

  it('says so where it has no memory for the list', async () => {
    const node = await start();
    node.host.memory = 64 * 1024 - 1;
    expect(await node.call('GET', '/peers')).toMatchObject({ status: 500, body: { error: 'persist_failed' } });
    node.host.memory = 64 * 1024;
    expect((await node.call('GET', '/peers')).status).toBe(200);
  });
});
