import { describe, expect, it } from 'vitest';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { answer, startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { startCloudNode, TOKEN } from './node.ts';

const OFF = { url: '', heartbeatUrl: '', tokenSet: false, heartbeatSeconds: 60 };
const URL_1 = 'http://127.0.0.1:1/a';

describe('GET and PUT /cloud', () => {
  it('begin with everything off, and nothing is sent', async () => {
    const node = await startCloudNode();
    expect(await node.call('GET', '/cloud')).toEqual({ status: 200, body: OFF });
    expect(await node.call('PUT', '/cloud', {})).toEqual({ status: 200, body: { ok: true, ...OFF } });
    expect(node.events.filter(({ type }) => type === 'heartbeat')).toEqual([]);
  });

  it('patch what is stored, keep it over a restart, and never read the token', async () => {
    const storage = new VirtualStorage();
    const node = await startCloudNode({ storage });
    const stored = { url: URL_1, heartbeatUrl: '', tokenSet: true, heartbeatSeconds: 600 };
    const put = await node.call('PUT', '/cloud', { url: URL_1, token: TOKEN, heartbeatSeconds: 600 });
    expect(put).toEqual({ status: 200, body: { ok: true, ...stored } });
    await node.call('PUT', '/cloud', { heartbeatSeconds: 700 });
    await node.stop();
    const again = await startCloudNode({ storage });
    expect((await again.call('GET', '/cloud')).body).toEqual({ ...stored, heartbeatSeconds: 700 });
  });

  it.each([
    ['another url', { url: 'http://127.0.0.1:1/b' }, false],
    ['another heartbeatUrl', { heartbeatUrl: 'http://127.0.0.1:1/hb' }, false],
    ['no url', { url: '' }, false],
    ['another url that brings its token', { url: 'http://127.0.0.1:1/b', token: 'new' }, true],
    ['the same url', { url: URL_1 }, true],
    ['another rhythm', { heartbeatSeconds: 10 }, true],
    ['an empty token', { token: '' }, false],
  ])('%s leaves the token as it should', async (_name, patch, tokenSet) => {
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { url: URL_1, token: TOKEN });
    expect((await node.call('PUT', '/cloud', patch)).body).toMatchObject({ ok: true, tokenSet });
    expect((await node.call('GET', '/cloud')).body).toMatchObject({ tokenSet });
  });

  it('refuse what is no URL of a cloud, and store nothing', async () => {
    const node = await startCloudNode();
    const long = (bytes: number) => `http://a/${'x'.repeat(bytes - 9)}`;
    expect((await node.call('PUT', '/cloud', { url: long(199) })).status).toBe(200);
    const before = (await node.call('GET', '/cloud')).body;
    const refused = [
      { url: long(200) },
      { heartbeatUrl: long(200) },
      { url: 'http://user:word@a/' },
      { heartbeatUrl: 'http://@a/' },
      { url: 'ftp://a/' },
      { url: 'a.example' },
      { url: 'http://a/?b' },
      { url: 'http://a/#b' },
      { url: 'http://a/ b' },
      { url: 'http://a\\@b/' },
      { url: null },
      { heartbeatSeconds: 9 },
      { heartbeatSeconds: 86_401 },
      { heartbeatSeconds: 60.5 },
      { heartbeatSeconds: '60' },
      { token: 'with space' },
      { token: 'line\r\nbreak' },
      { token: 'é' },
      { token: 'x'.repeat(257) },
      { strange: 1 },
      { tokenSet: true },
      [],
    ];
    for (const patch of refused) {
      const { status, body } = await node.call('PUT', '/cloud', patch);
      expect([patch, status, body['error']]).toEqual([patch, 422, 'invalid_config']);
    }
    expect((await node.call('GET', '/cloud')).body).toEqual(before);
    expect((await node.call('PUT', '/cloud', '{')).body).toMatchObject({ error: 'invalid_json' });
    // A query is fine where nothing is put under the URL.
    expect((await node.call('PUT', '/cloud', { heartbeatUrl: 'http://127.0.0.1:1/?b' })).status).toBe(200);
  });

  it('ask for the key in admin mode, for writing alone', async () => {
    const node = await startCloudNode();
    const key = { 'X-NODE-Api-Key': 'correct horse battery' };
    await node.call('PUT', '/config', { apiMode: 'admin', apiKey: key['X-NODE-Api-Key'] });
    expect((await node.call('PUT', '/cloud', { heartbeatSeconds: 99 })).body).toMatchObject({ error: 'api_locked' });
    expect((await node.call('GET', '/cloud')).body).toEqual(OFF);
    expect((await node.call('PUT', '/cloud', { heartbeatSeconds: 99 }, key)).status).toBe(200);
  });

  it('answer 409 custody_hold while custody is not attested, before a body is read', async () => {
    const storage = new VirtualStorage();
    await storage.write('settings.a', Buffer.from('not a settings file'));
    const node = await startCloudNode({ storage });
    for (const body of [{ url: URL_1 }, '{']) {
      const { status, body: answered } = await node.call('PUT', '/cloud', body);
      expect([status, answered['error']]).toEqual([409, 'custody_hold']);
    }
    expect((await node.call('GET', '/cloud')).body).toEqual(OFF);
    await node.kernel.settings.update((draft) => void delete draft['erased']);
    expect((await node.call('PUT', '/cloud', { url: URL_1 })).status).toBe(200);
  });

  it('answer 500 persist_failed where the disk refuses, and go on with what was', async () => {
    const storage = new VirtualStorage();
    const node = await startCloudNode({ storage });
    storage.failure = (operation) => (operation === 'write' ? new Error('EIO') : undefined);
    const { status, body } = await node.call('PUT', '/cloud', { url: URL_1 });
    expect([status, body['error']]).toEqual([500, 'persist_failed']);
    expect((await node.call('GET', '/cloud')).body).toEqual(OFF);
  });
});

it('the token shows in no read, event, log line or record of traffic', async () => {
  const cloud = await startReceiver(answer(500, `X-Echo: ${TOKEN}`));
  const node = await startCloudNode();
  await node.call('PUT', '/config', { capture: true });
  const put = await node.call('PUT', '/cloud', { url: cloud.url, token: TOKEN });
  await until(() => node.events.some(({ type }) => type === 'heartbeat') && cloud.received.length >= 2);
  const compose = { id: 'c1', endpoint: 'receipt', prompt: 'Hello', print: true };
  const composed = await node.call('POST', '/compose', compose);
  await node.call('PUT', '/cloud', { token: `${TOKEN} ` });
  const reads = await Promise.all(
    ['/cloud', '/config', '/status', '/capture', '/peripherals'].map(async (path) =>
      (await fetch(`${node.url}${path}`)).text(),
    ),
  );
  expect(cloud.received.every(({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`)).toBe(true);
  expect(node.logged.join()).toContain('heartbeat failed');
  expect(JSON.stringify([put, composed, reads, node.events, node.logged])).not.toContain(TOKEN);
});

it('the token goes to no other URL than its own', async () => {
  const [mine, theirs] = [await startReceiver(), await startReceiver()];
  const node = await startCloudNode();
  await node.call('PUT', '/cloud', { url: mine.url, token: TOKEN });
  await until(() => mine.received.length >= 2);
  await node.call('PUT', '/cloud', { heartbeatUrl: `${theirs.url}/hb` });
  await until(() => theirs.received.length >= 1);
  expect(theirs.received.map(({ target, headers }) => [target, headers['authorization']])).toEqual([
    ['/hb', undefined],
  ]);
  await node.call('PUT', '/cloud', { url: theirs.url, token: 'theirs' });
  await until(() => theirs.received.length >= 3);
  expect(JSON.stringify(theirs.received)).not.toContain(TOKEN);
});
