import { describe, expect, it } from 'vitest';
import { compose as composing } from '../../../runtime/services/compose/index.ts';
import { type Behaviour, drip, hang, pour, say, startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { at, type CloudNodeOptions, reply, routes, startCloudNode, TOKEN } from '../cloud/node.ts';

const LINES = [{ type: 'text', value: 'Back at noon', align: 'center' }, { type: 'cut' }];
const ASK = { id: 'c1', endpoint: 'receipt', prompt: 'Say that we are back at noon' };

async function start(compose: Behaviour = reply(200, { lines: LINES }), options: CloudNodeOptions = {}) {
  const cloud = await startReceiver(routes({ '/compose': compose }));
  const node = await startCloudNode(options);
  await node.call('PUT', '/cloud', { url: cloud.url, token: TOKEN });
  const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
  const results = () => node.events.filter(({ type }) => type === 'command_result');
  return {
    cloud,
    node,
    paper,
    results,
    ask: (over: object = {}) => node.call('POST', '/compose', { ...ASK, ...over }),
  };
}

describe('POST /compose', () => {
  it('answers the lines that the cloud makes of the sentence, and prints nothing', async () => {
    const { cloud, node, ask, paper, results } = await start();
    expect(await ask()).toEqual({ status: 200, body: { ok: true, lines: LINES } });
    const [request = expect.fail()] = cloud.received.filter(at('/compose'));
    const { deviceId } = node.kernel.settings.read('identity') ?? expect.fail();
    expect([request.method, request.target, request.headers['authorization']]).toEqual([
      'POST',
      `/compose?node=${deviceId}`,
      `Bearer ${TOKEN}`,
    ]);
    expect(JSON.parse(request.body)).toEqual({ id: 'c1', prompt: ASK.prompt, columns: 48 });
    expect([paper().includes('noon'), results()]).toEqual([false, []]);
  });

  it('with print prints them, with the id of the request, and tells the result', async () => {
    const { ask, paper, results } = await start();
    const { status, body } = await ask({ print: true });
    expect([status, body['ok'], body['lines']]).toEqual([200, true, LINES]);
    expect(body['result']).toMatchObject({ type: 'command_result', ok: true, commandId: 'c1', endpoint: 'receipt' });
    expect(results()).toEqual([body['result']]);
    await until(() => paper().includes('Back at noon'));
  });

  it.each<[string, unknown, number, string]>([
    ['no prompt', { prompt: undefined }, 422, 'invalid_command'],
    ['an empty prompt', { prompt: '' }, 422, 'invalid_command'],
    ['a prompt of 1001 characters', { prompt: '€'.repeat(1001) }, 422, 'invalid_command'],
    ['an empty id', { id: '' }, 422, 'invalid_command'],
    ['a key it does not know', { copies: 2 }, 422, 'invalid_command'],
    ['an endpoint that is none', { endpoint: 'kitchen' }, 409, 'unknown_endpoint'],
    ['an endpoint that prints nothing', { endpoint: 'scanner' }, 409, 'unknown_endpoint'],
    ['an endpoint called __proto__', { endpoint: '__proto__' }, 409, 'unknown_endpoint'],
  ])('refuses %s in the plain envelope, and asks nobody', async (_name, over, status, error) => {
    const { cloud, ask } = await start();
    const { status: answered, body } = await ask(over as object);
    expect([answered, body['ok'], body['error'], 'commandId' in body]).toEqual([status, false, error, false]);
    expect(cloud.received.filter(at('/compose'))).toEqual([]);
  });

  it('takes a prompt of 1000 characters', async () => {
    const { ask } = await start();
    expect((await ask({ prompt: '€'.repeat(1000) })).status).toBe(200);
  });

  it.each([
    ['nothing is set', {}],
    ['no token is set', { url: 'http://127.0.0.1:1/' }],
    ['no url is set', { heartbeatUrl: 'http://127.0.0.1:1/', token: TOKEN }],
  ])('answers 409 cloud_not_configured where %s', async (_name, cloud) => {
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', cloud);
    const { status, body } = await node.call('POST', '/compose', ASK);
    expect([status, body]).toEqual([409, { ok: false, error: 'cloud_not_configured' }]);
  });

  it('asks for the key in strict mode, and not in admin mode', async () => {
    const { node, ask } = await start();
    const key = { 'X-NODE-Api-Key': 'correct horse battery' };
    await node.call('PUT', '/config', { apiMode: 'admin', apiKey: key['X-NODE-Api-Key'] });
    expect((await ask()).status).toBe(200);
    await node.call('PUT', '/config', { apiMode: 'strict' }, key);
    expect(await ask()).toMatchObject({ status: 401, body: { error: 'api_locked' } });
    expect((await node.call('POST', '/compose', ASK, key)).status).toBe(200);
  });
});

describe('a bad answer of the cloud is 502 compose_failed with what it was, and nothing is printed:', () => {
  it.each<[string, Behaviour, RegExp]>([
    ['401', reply(401), /answered 401/],
    ['500 with lines', reply(500, { lines: LINES }), /answered 500/],
    ['a redirect', reply(307, '', 'Location: http://127.0.0.1:1/'), /answered 307/],
    ['no JSON', reply(200, '<html>'), /not JSON/],
    ['no lines', reply(200, {}), /answered 200.*lines/],
    ['lines that are no list', reply(200, { lines: 'a' }), /answered 200.*lines/],
    ['no line', reply(200, { lines: [] }), /answered 200.*lines/],
    ['too many lines', reply(200, { lines: Array(8193).fill({ type: 'cut' }) }), /answered 200.*lines/],
    ['a line without its value', reply(200, { lines: [{ type: 'text' }] }), /answered 200.*lines\/0/],
    [
      'a line with bytes in it',
      reply(200, { lines: [{ type: 'text', value: 'a', bytes: [27] }] }),
      /unknown key "bytes"/,
    ],
    ['a line that is none', reply(200, { lines: [null] }), /answered 200.*lines\/0/],
    ['an endless answer', pour('HTTP/1.1 200 OK\r\n\r\n', ' '.repeat(65_536)), /over 262144 bytes/],
    ['a gzip bomb', pour('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n', '\x1f\x8b'.repeat(32_768)), /coding/],
    ['another protocol', say('SSH-2.0-x\r\n'), /Parse/],
    ['an answer that drips', drip('HTTP/1.1 200 OK\r\n\r\n', ' '), /no answer within/],
    ['none', hang, /no answer within/],
  ])('%s', async (_name, behave, detail) => {
    const { ask, paper, results } = await start(behave, { also: [composing({ deadlineMs: 400 })] });
    const before = paper();
    const { status, body } = await ask({ print: true });
    expect([status, body['ok'], body['error']]).toEqual([502, false, 'compose_failed']);
    expect(body['detail']).toMatch(detail);
    expect([paper(), results()]).toEqual([before, []]);
  });

  it('nobody there', async () => {
    const { node, ask } = await start();
    await node.call('PUT', '/cloud', { url: 'http://127.0.0.1:1', token: TOKEN });
    expect(await ask()).toMatchObject({ status: 502, body: { error: 'compose_failed' } });
  });

  it('the node itself', async () => {
    const { node, ask } = await start();
    await node.call('PUT', '/cloud', { url: node.url, token: TOKEN });
    const { status, body } = await ask();
    expect([status, body['error'], body['detail']]).toEqual([
      502,
      'compose_failed',
      expect.stringContaining('refused'),
    ]);
  });
});

describe('what printing refuses is the plain envelope, too:', () => {
  it.each<[string, unknown[], CloudNodeOptions, number, string]>([
    ['a line of an unknown type', [{ type: 'hologram' }], {}, 422, 'unsupported_line_type'],
    ['a job over the buffer', Array(100).fill({ type: 'raster', width: 2040, height: 65_535, data: '' }), {}, 422, ''],
    ['no printer', LINES, { plugged: false }, 409, 'no_printer'],
  ])('%s', async (_name, lines, options, status, error) => {
    const { ask } = await start(reply(200, { lines }), options);
    const { status: answered, body } = await ask({ print: true });
    expect([answered, body['ok'], 'commandId' in body]).toEqual([status, false, false]);
    if (error !== '') expect(body['error']).toBe(error);
  });

  it('a node short of memory: compose_failed, 500, and nobody is asked', async () => {
    const { cloud, node, ask } = await start();
    node.host.memory = 1024;
    expect(await ask()).toEqual({
      status: 500,
      body: { ok: false, error: 'compose_failed', detail: 'out of memory' },
    });
    expect(cloud.received.filter(at('/compose'))).toEqual([]);
  });

  it('a node short of memory for the job: render_alloc_failed, 409', async () => {
    const { node, ask } = await start((socket, received) => {
      node.host.memory = 1024;
      reply(200, { lines: LINES })(socket, received);
    });
    expect(await ask({ print: true })).toEqual({ status: 409, body: { ok: false, error: 'render_alloc_failed' } });
  });
});

it('two sentences at a time, and no more', async () => {
  const { cloud, ask } = await start(hang);
  const two = [ask(), ask()];
  await until(() => cloud.received.filter(at('/compose')).length === 2);
  expect(await ask()).toMatchObject({ status: 502, body: { error: 'compose_failed' } });
  for (const socket of cloud.sockets) socket.destroy();
  expect((await Promise.all(two)).map(({ status }) => status)).toEqual([502, 502]);
});

it('nothing is printed for a caller who has gone, and nobody waits for it', async () => {
  const { cloud, node, results } = await start(hang);
  const leaving = new AbortController();
  const asked = fetch(`${node.url}/compose`, {
    method: 'POST',
    body: JSON.stringify({ ...ASK, print: true }),
    signal: leaving.signal,
  }).catch(() => 'gone');
  await until(() => cloud.received.some(at('/compose')));
  leaving.abort();
  expect(await asked).toBe('gone');
  const { connection } = cloud.received.find(at('/compose')) ?? expect.fail();
  await until(() => cloud.sockets[connection - 1]?.destroyed === true);
  expect(results()).toEqual([]);
});

it('printing, status and drawer go on while the cloud hangs on every call', async () => {
  const cloud = await startReceiver(hang);
  const node = await startCloudNode();
  await node.call('PUT', '/cloud', { url: cloud.url, token: TOKEN });
  const composing = node.call('POST', '/compose', ASK);
  await until(() => cloud.received.length >= 3);
  for (let n = 0; n < 10; n += 1) {
    const print = { type: 'print', id: `p${n}`, endpoint: 'receipt', lines: LINES };
    expect((await node.call('POST', '/print', print)).status).toBe(200);
    const kick = { type: 'drawer_kick', id: `k${n}`, endpoint: 'receipt' };
    expect((await node.call('POST', '/drawer/kick', kick)).status).toBe(200);
    expect((await node.call('GET', '/status')).status).toBe(200);
  }
  await node.stop();
  await until(() => cloud.sockets.every(({ destroyed }) => destroyed));
  await composing.catch(() => {});
});
