import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { Outbound } from '../../../runtime/http/outbound.ts';
import { Recipes } from '../../../runtime/services/cloud/recipes.ts';
import { type Behaviour, drip, hang, pour, type Receiver, startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { at, type CloudNode, reply, routes, startCloudNode, TOKEN } from './node.ts';

const DEVICE = { vendorId: 'abcd', productId: '0042' };
const row = (over: object = {}) => ({
  id: 'acme-one',
  ...DEVICE,
  make: 'Acme',
  model: 'One',
  kind: 'printer',
  codec: 'escpos',
  ...over,
});
const table = (...rows: unknown[]) => ({ rows });
const asked = ({ received }: Receiver) => received.filter(at('/recipes'));

async function start(recipes: Behaviour, storage = new VirtualStorage()) {
  const cloud = await startReceiver(routes({ '/recipes': recipes }));
  const node = await startCloudNode({ storage });
  return { cloud, node };
}
const tierOf = ({ kernel }: CloudNode) => kernel.recipes.resolve(DEVICE)?.tier;

/** The driver alone, on the kernel of a node whose settings name this cloud. */
async function driver(cloud: Receiver, storage = new VirtualStorage(), deadlineMs = 10_000) {
  const node = await startCloudNode({ storage });
  await node.kernel.settings.update((draft) => {
    draft['cloud'] = { url: cloud.url, token: TOKEN };
  });
  const outbound = new Outbound({ refuses: () => false });
  onTestFinished(() => outbound.close());
  const recipes = new Recipes(node.kernel, outbound, deadlineMs);
  return { node, recipes, fetch: () => recipes.fetch(new AbortController().signal) };
}

describe('the recipe table', () => {
  it('is fetched with the token when a cloud is set, and applied at once', async () => {
    const { cloud, node } = await start(reply(200, table(row()), 'ETag: "1"'));
    expect(tierOf(node)).toBeUndefined();
    await node.call('PUT', '/cloud', { url: cloud.url, token: TOKEN });
    await until(() => tierOf(node) === 'cloud');
    const [request = expect.fail()] = asked(cloud);
    expect([request.method, request.headers['authorization'], request.headers['if-none-match']]).toEqual([
      'GET',
      `Bearer ${TOKEN}`,
      undefined,
    ]);
    expect(request.headers['user-agent']).toBe('tillnode/0.0.0-test (twin)');
  });

  it('is kept for the next boot, where it is the cached tier, and asked for by its tag', async () => {
    const { cloud, node } = await start(reply(200, table(row()), 'ETag: "1"'));
    await node.call('PUT', '/cloud', { url: cloud.url });
    await until(async () => (await node.storage.read('recipes.cached')) !== undefined);
    await node.stop();
    cloud.behave = routes({ '/recipes': reply(304) });
    const before = asked(cloud).length;
    const again = await startCloudNode({ storage: node.storage });
    expect(tierOf(again)).toBe('cached');
    await until(() => asked(cloud).length > before);
    expect(asked(cloud).at(-1)?.headers['if-none-match']).toBe('"1"');
    expect(tierOf(again)).toBe('cached');
  });

  it('that could not be fetched says so in the status, and is fetched again without waiting for the hour', async () => {
    const cloud = await startReceiver(routes({ '/recipes': reply(503) }));
    const node = await startCloudNode({ recipesRetryMs: 20 });
    const inStatus = async () => {
      const { body } = await node.call('GET', '/status');
      return (body['cloud'] as { recipes: { taken: number; fault?: string } }).recipes;
    };
    expect(await inStatus()).toEqual({ taken: 0, refused: 0, faults: [] });
    await node.call('PUT', '/cloud', { url: cloud.url });
    await until(async () => (await inStatus()).fault === 'the cloud answered 503');
    cloud.behave = routes({ '/recipes': reply(200, table(row())) });
    await until(() => tierOf(node) === 'cloud');
    await until(async () => (await inStatus()).fault === undefined);
    expect(await inStatus()).toMatchObject({ taken: 1 });
  });

  it('of an earlier URL is forgotten with it, also on the disk', async () => {
    const { cloud, node } = await start(reply(200, table(row()), 'ETag: "1"'));
    await node.call('PUT', '/cloud', { url: cloud.url });
    await until(async () => (await node.storage.read('recipes.cached')) !== undefined);
    await node.call('PUT', '/cloud', { url: '' });
    expect(tierOf(node)).toBeUndefined();
    expect(await node.storage.read('recipes.cached')).toBeUndefined();
  });

  it('left on the disk by another URL is not used', async () => {
    const storage = new VirtualStorage();
    const cloud = await startReceiver(hang);
    await storage.write(
      'recipes.cached',
      Buffer.from(`{"url":"http://other","etag":""}\n${JSON.stringify(table(row()))}`),
    );
    const { node, recipes } = await driver(cloud, storage);
    await recipes.load();
    expect(tierOf(node)).toBeUndefined();
  });

  it.each(['', '{', '\n', '{"url":1}', 'null\n{}', '\xff\xfe'])('damaged on the disk is not used: %j', async (text) => {
    const storage = new VirtualStorage();
    const cloud = await startReceiver(hang);
    const { node, recipes } = await driver(cloud, storage);
    await storage.write('recipes.cached', Buffer.from(text.replace('U', cloud.url), 'latin1'));
    await recipes.load();
    expect(tierOf(node)).toBeUndefined();
  });

  it('costs nothing where it has not changed: 304, or the same bytes once more', async () => {
    const storage = new VirtualStorage();
    const cloud = await startReceiver(reply(200, table(row()), 'ETag: "1"'));
    const { node, fetch } = await driver(cloud, storage);
    await fetch();
    let [writes, replaced] = [0, 0];
    storage.failure = () => {
      writes += 1;
      return undefined;
    };
    const { replace } = node.kernel.recipes;
    node.kernel.recipes.replace = (...args) => {
      replaced += 1;
      return replace.apply(node.kernel.recipes, args);
    };
    await fetch();
    cloud.behave = reply(304);
    await fetch();
    expect([writes, replaced, tierOf(node)]).toEqual([0, 0, 'cloud']);
    expect(cloud.received.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"1"']);
  });

  it('takes back a row that it had before, also from the table that was kept', async () => {
    const storage = new VirtualStorage();
    const cloud = await startReceiver(reply(200, table(row())));
    const first = await driver(cloud, storage);
    await first.fetch();
    const second = await driver(cloud, storage);
    await second.recipes.load();
    expect(tierOf(second.node)).toBe('cached');
    cloud.behave = reply(200, table());
    await second.fetch();
    expect(tierOf(second.node)).toBeUndefined();
  });

  it('lives on without a disk that takes it', async () => {
    const storage = new VirtualStorage();
    const cloud = await startReceiver(reply(200, table(row())));
    const { node, fetch } = await driver(cloud, storage);
    storage.failure = (operation) => (operation === 'write' ? new Error('ENOSPC') : undefined);
    await fetch();
    expect([tierOf(node), node.logged.join()]).toEqual(['cloud', expect.stringContaining('not stored')]);
  });

  it('drives what is plugged in from then on; what is bound stays bound', async () => {
    const storage = new VirtualStorage();
    const { cloud, node } = await start(reply(200, table(row())), storage);
    const { vendorId, productId } = node.kernel.hotplug.state('receipt')?.identity ?? expect.fail();
    cloud.behave = routes({ '/recipes': reply(200, table(row({ vendorId, productId }))) });
    await node.call('PUT', '/cloud', { url: cloud.url });
    await until(() => node.kernel.recipes.resolve({ vendorId, productId })?.tier === 'cloud');
    expect(node.kernel.hotplug.state('receipt')).toMatchObject({ condition: 'bound', recipe: { tier: 'builtin' } });
    node.bench.usb.unplug(node.printer);
    node.bench.usb.plug(node.printer);
    await until(() => node.kernel.hotplug.state('receipt')?.recipe?.tier === 'cloud');
  });
});

const good = row({ id: 'good', productId: '0001' });

describe('a bad row is refused by itself, and named in the status and the log:', () => {
  it.each<[string, unknown, string]>([
    ['an unknown codec', row({ codec: 'zpl-2' }), 'codec'],
    ['an option its codec has not declared', row({ options: { init: '1b40' } }), 'options.init'],
    ['a byte format', row({ bytes: [27, 64] }), 'bytes'],
    ['a format field', row({ format: { cut: '1d5600' } }), 'format'],
    ['an extra key', row({ url: 'http://evil/' }), 'url'],
    ['another kind than its codec drives', row({ kind: 'scanner' }), 'kind'],
    ['ids that are none', row({ vendorId: '0xABCD' }), 'vendorId'],
    ['the device of an earlier row', row({ ...good, id: 'two' }), 'productId'],
    ['no object', null, 'row'],
    ['prototype keys', JSON.parse(JSON.stringify(row()).replace('{', '{"__proto__":{"codec":"x"},')), '__proto__'],
  ])('%s', async (_name, bad, field) => {
    const storage = new VirtualStorage();
    const last = row({ id: 'last', productId: '0002' });
    const { cloud, node } = await start(reply(200, table(good, bad, last)), storage);
    await node.call('PUT', '/cloud', { url: cloud.url });
    const refused = async () => {
      const { body } = await node.call('GET', '/status');
      return (body as { cloud: { recipes: unknown } }).cloud.recipes;
    };
    await until(() => node.kernel.recipes.resolve({ ...DEVICE, productId: '0002' })?.tier === 'cloud');
    expect(node.kernel.recipes.resolve({ ...DEVICE, productId: '0001' })?.row.id).toBe('good');
    expect(tierOf(node)).toBeUndefined();
    const faults = [{ index: 1, reason: expect.stringMatching(`^${field}: `) }];
    expect(await refused()).toMatchObject({ taken: 2, refused: 1, faults });
    expect(node.logged.join()).toMatch(/"index":1,.*recipe rows refused/);
    // Nothing of it is left once the cloud is another.
    await node.call('PUT', '/cloud', { url: '' });
    expect(await refused()).toEqual({ taken: 0, refused: 0, faults: [] });
  });

  it('one of a table that was kept from before', async () => {
    const { cloud, node } = await start(reply(200, table(row({ codec: 'zpl-2' }), good)));
    await node.call('PUT', '/cloud', { url: cloud.url });
    await until(async () => (await node.storage.read('recipes.cached')) !== undefined);
    await node.stop();
    cloud.behave = routes({ '/recipes': hang });
    const again = await startCloudNode({ storage: node.storage });
    const { body } = await again.call('GET', '/status');
    expect(body).toMatchObject({
      cloud: { recipes: { taken: 1, refused: 1, faults: [{ index: 0, id: 'acme-one' }] } },
    });
  });

  it('of very many the first ones', async () => {
    const cloud = await startReceiver(reply(200, table(...Array.from({ length: 20_000 }, () => 0))));
    const { fetch, recipes } = await driver(cloud);
    await fetch();
    expect(recipes.status).toMatchObject({ taken: 0, refused: 20_000 });
    expect(recipes.status.faults).toHaveLength(16);
  });
});

describe('what is no table is refused whole, and the one in use stays:', () => {
  it.each<[string, unknown]>([
    ['more rows than a tier holds', table(...Array.from({ length: 20_001 }, () => 0))],
    ['no rows', {}],
    ['rows that are no list', { rows: 'all' }],
    ['a list alone', [good]],
    ['no object', 'null'],
    ['no JSON', '<html>'],
    ['no UTF-8', Buffer.from([0x7b, 0xff]).toString('latin1')],
    ['nothing', ''],
  ])('%s', async (_name, document) => {
    const cloud = await startReceiver(reply(200, table(row({ id: 'kept' })), 'ETag: "1"'));
    const storage = new VirtualStorage();
    const { node, fetch } = await driver(cloud, storage);
    await fetch();
    const kept = await storage.read('recipes.cached');
    cloud.behave = reply(200, document, 'ETag: "2"');
    await expect(fetch()).rejects.toThrow();
    expect(node.kernel.recipes.resolve(DEVICE)?.row.id).toBe('kept');
    expect(node.kernel.recipes.resolve({ ...DEVICE, productId: '0001' })).toBeUndefined();
    expect(await storage.read('recipes.cached')).toEqual(kept);
    cloud.behave = reply(304);
    await fetch();
    expect(cloud.received.at(-1)?.headers['if-none-match']).toBe('"1"');
  });

  it.each<[string, Behaviour, RegExp]>([
    ['10 MB long', pour('HTTP/1.1 200 OK\r\n\r\n', '['.repeat(65_536)), /over 1000000 bytes/],
    [
      'announced as long',
      pour('HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n', ' '.repeat(65_536)),
      /over 1000000/,
    ],
    ['dripping', drip('HTTP/1.1 200 OK\r\n\r\n', '{'), /no answer within/],
    ['not coming', hang, /no answer within/],
    ['gzip', reply(200, '\x1f\x8b', 'Content-Encoding: gzip'), /coding/],
    ['elsewhere', reply(302, '', 'Location: http://127.0.0.1:1/'), /answered 302/],
    ['broken off', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"rows":[]}'), /aborted/],
    ['an error', reply(500), /answered 500/],
    ['another protocol', reply(101, '', 'Connection: Upgrade', 'Upgrade: x'), /protocol/],
  ])('an answer %s', async (_name, behave, message) => {
    const cloud = await startReceiver(reply(200, table(row())));
    const { node, fetch } = await driver(cloud, new VirtualStorage(), 400);
    await fetch();
    cloud.behave = behave;
    await expect(fetch()).rejects.toThrow(message);
    expect(tierOf(node)).toBe('cloud');
  });

  it('whatever would come to a node that is short of memory', async () => {
    const cloud = await startReceiver(reply(200, table(row())));
    const { node, fetch } = await driver(cloud);
    node.host.memory = 1024;
    await expect(fetch()).rejects.toThrow('out of memory');
    expect(cloud.received).toEqual([]);
  });
});
