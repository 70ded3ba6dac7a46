import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { Outbound } from '../../runtime/http/outbound.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import { until } from '../node.ts';
import { needTools } from '../tools.ts';
import { deliver, NODE, SHORT_MS, scan } from './deliver.ts';
import { answer, type Behaviour, drip, hang, pour, type Receiver, say, startReceiver } from './receiver.ts';

const seqs = ({ received }: Receiver) => received.map(({ body }) => (JSON.parse(body) as { seq: number }).seq);
const signature = (secret: string, body: string) =>
  `sha256=${secret === '' ? '' : createHmac('sha256', secret).update(body).digest('hex')}`;

describe('a webhook', () => {
  it('is a POST of node, seq, uptimeMs and event, with the three headers', async () => {
    const receiver = await startReceiver();
    const { delivery, settled } = deliver(`${receiver.url}/hook?shop=1`);
    delivery.offer(scan('4006381333931'));
    await settled();
    const [{ method, target, headers, body } = expect.fail()] = receiver.received;
    expect([method, target]).toEqual(['POST', '/hook?shop=1']);
    expect(body).toBe(
      '{"node":"0badcafe","seq":1,"uptimeMs":1234,"event":{"type":"scan_read","endpoint":"scanner","value":"4006381333931","seq":7}}',
    );
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-node-node': NODE,
      'x-node-seq': '1',
      'x-node-signature': signature('sesame', body),
    });
    expect(delivery.status()).toMatchObject({ delivered: 1, dropped: 0, queued: 0, seq: 1, lastStatus: 200 });
  });

  it('without a secret is signed with nothing', async () => {
    const receiver = await startReceiver();
    const { delivery, config, settled } = deliver(receiver.url);
    config.webhook = { ...config.webhook, secret: '' };
    delivery.offer(scan('1'));
    await settled();
    expect(receiver.received[0]?.headers['x-node-signature']).toBe('sha256=');
  });

  const missing = needTools(['openssl']);
  it.skipIf(missing !== undefined).each(['s', 's'.repeat(63), `${'😀'.repeat(15)}€`, '\u0000"\\', '  '])(
    `signed with %j verifies elsewhere${missing ? ` (${missing})` : ''}`,
    async (secret) => {
      const receiver = await startReceiver();
      const { delivery, config, settled } = deliver(receiver.url);
      config.webhook = { ...config.webhook, secret };
      delivery.offer(scan('Crème brûlée 5,40 € \u2028 😀'));
      await settled();
      const [{ body, headers } = expect.fail()] = receiver.received;
      const key = `hexkey:${Buffer.from(secret).toString('hex')}`;
      const out = execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', key], { input: body });
      expect(headers['x-node-signature']).toBe(`sha256=${/[0-9a-f]{64}/.exec(out.toString())?.[0]}`);
    },
  );

  it.each(['x', 'é', '€', '😀'])('goes out with an event of up to 511 bytes, told in bytes: %s', async (letter) => {
    const receiver = await startReceiver();
    const { delivery, settled } = deliver(receiver.url);
    const room = 511 - Buffer.byteLength(JSON.stringify(scan('')));
    const fill = (bytes: number) => {
      const letters = letter.repeat(Math.floor(bytes / Buffer.byteLength(letter)));
      return letters + '-'.repeat(bytes - Buffer.byteLength(letters));
    };
    const events = [room - 1, room, room + 1].map((bytes) => scan(fill(bytes)));
    expect(events.map((event) => Buffer.byteLength(JSON.stringify(event)))).toEqual([510, 511, 512]);
    for (const event of events.reverse()) delivery.offer(event);
    await settled();
    // The one that was too large has taken its number: the receiver sees that something is missing.
    expect(seqs(receiver)).toEqual([2, 3]);
    expect(delivery.status()).toMatchObject({ delivered: 2, dropped: 1, seq: 3 });
  });

  it('is of a subscribed type; of the others nothing is even written down', async () => {
    const receiver = await startReceiver();
    const { delivery, config, settled } = deliver(receiver.url);
    const unread = { type: 'telemetry', toJSON: () => expect.fail('was written down') };
    delivery.offer(unread);
    config.webhook = { ...config.webhook, url: '' };
    delivery.offer({ ...unread, type: 'scan_read' });
    expect(delivery.status()).toEqual({
      delivered: 0,
      dropped: 0,
      queued: 0,
      seq: 0,
      lastStatus: -1,
      lastAttemptAgoMs: -1,
    });
    config.webhook = { ...config.webhook, url: receiver.url };
    let times = 0;
    const counted = { type: 'scan_read', toJSON: () => ({ type: 'scan_read', times: ++times }) };
    delivery.offer(counted);
    await settled();
    expect(times).toBe(1);
  });

  it('leaves after whoever made the event has gone on', async () => {
    const post = vi.fn(async () => 200);
    const { delivery, settled } = deliver('http://127.0.0.1:1/', { outbound: { post, close() {} } });
    delivery.offer(scan('1'));
    await Promise.resolve();
    expect(post).not.toHaveBeenCalled();
    await settled();
    expect(post).toHaveBeenCalledOnce();
  });

  it('numbers and times in 32 bits, and begins anew after them', async () => {
    const receiver = await startReceiver();
    let uptimeMs = 2 ** 32 - 0.5;
    const { delivery } = deliver(receiver.url, { seq: 2 ** 32 - 2, uptimeMs: () => uptimeMs });
    delivery.offer(scan('a'));
    uptimeMs += 1;
    delivery.offer(scan('b'));
    await until(() => delivery.status().delivered === 2);
    expect(receiver.received.map(({ body }) => body.slice(0, body.indexOf(',"event"')))).toEqual([
      `{"node":"${NODE}","seq":4294967295,"uptimeMs":4294967295`,
      `{"node":"${NODE}","seq":0,"uptimeMs":0`,
    ]);
    expect([receiver.received[1]?.headers['x-node-seq'], delivery.status().seq]).toEqual(['0', 0]);
  });
});

describe('the outcome', () => {
  const once = [400, 401, 403, 404, 405, 408, 409, 410, 413, 418, 422, 425, 429, 451, 499];
  const twice = [300, 301, 302, 303, 304, 307, 308, 399, 500, 501, 502, 503, 504, 507, 599, 600, 999];
  it.each([
    ...[200, 201, 202, 203, 204, 205, 206, 226, 299].map((status) => [status, 1, 1] as const),
    ...once.map((status) => [status, 1, 0] as const),
    ...twice.map((status) => [status, 2, 0] as const),
  ])('of status %i is %i request(s) and %i delivered', async (status, requests, delivered) => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver(answer(status, `Location: ${elsewhere.url}/`));
    const { delivery, settled } = deliver(receiver.url);
    delivery.offer(scan('1'));
    await settled();
    expect([receiver.received.length, elsewhere.connections]).toEqual([requests, 0]);
    expect(delivery.status()).toMatchObject({ delivered, dropped: 1 - delivered, queued: 0, lastStatus: status });
    expect(delivery.status().lastAttemptAgoMs).toBeGreaterThanOrEqual(0);
  });

  it.each<[string, Behaviour]>([
    ['a reset', (socket) => void socket.resetAndDestroy()],
    ['a hang-up', (socket) => void socket.end()],
    ['garbage', say('220 mail.test ESMTP\r\n')],
    ['interim answers without end', say('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000))],
    ['a head of megabytes', pour('HTTP/1.1 200 OK\r\n', `A: ${'b'.repeat(1000)}\r\n`)],
  ])('of %s is the same request twice, and dropped without a status', async (_name, behave) => {
    const receiver = await startReceiver(behave);
    const { delivery, settled } = deliver(receiver.url);
    delivery.offer(scan('1'));
    await settled();
    const [first, second] = receiver.received.map(({ body, headers }) => ({ body, headers }));
    expect(receiver.received).toHaveLength(2);
    expect(second).toEqual(first);
    expect(delivery.status()).toMatchObject({ delivered: 0, dropped: 1, lastStatus: -1 });
  });

  it.each<[string, Behaviour]>([
    ['no answer', hang],
    ['a head that never ends', drip('HTTP/1.1 200 OK\r\n', 'A: b\r\n')],
  ])('of %s by the deadline is the same request twice, and dropped without a status', async (_name, behave) => {
    const receiver = await startReceiver(behave);
    const outbound = new Outbound({ refuses: () => false });
    const post = vi.spyOn(outbound, 'post');
    const { delivery, settled } = deliver(receiver.url, { deadlineMs: SHORT_MS, outbound });
    delivery.offer(scan('1'));
    await settled();
    expect(post).toHaveBeenCalledTimes(2);
    expect(post.mock.calls[1]).toEqual(post.mock.calls[0]);
    expect(post.mock.calls[0]?.[0].deadlineMs).toBe(SHORT_MS);
    expect(delivery.status()).toMatchObject({ delivered: 0, dropped: 1, lastStatus: -1 });
  });

  it('after a lost first answer is that of the retry', async () => {
    const receiver = await startReceiver((socket) => void socket.resetAndDestroy());
    const { delivery, settled } = deliver(receiver.url);
    receiver.behave = (socket, received) => {
      if (receiver.received.length === 1) socket.resetAndDestroy();
      else answer(200)(socket, received);
    };
    delivery.offer(scan('1'));
    await settled();
    expect(delivery.status()).toMatchObject({ delivered: 1, dropped: 0, lastStatus: 200 });
    expect(seqs(receiver)).toEqual([1, 1]);
  });

  it('of a reset on a kept connection costs that event its retry and no more', async () => {
    const receiver = await startReceiver();
    const { delivery, settled } = deliver(receiver.url);
    delivery.offer(scan('1'));
    await settled();
    receiver.behave = (socket) => void socket.resetAndDestroy();
    delivery.offer(scan('2'));
    await settled();
    expect(seqs(receiver)).toEqual([1, 2, 2]);
  });

  it('that failed is said in the log once, until it changes', async () => {
    const receiver = await startReceiver(answer(404));
    const warn = vi.fn();
    const { delivery, settled } = deliver(receiver.url, { log: { ...silentLogger, warn } });
    const next = async (behave: Behaviour) => {
      receiver.behave = behave;
      delivery.offer(scan('1'));
      await settled();
    };
    for (const status of [404, 404, 200, 404, 410]) await next(answer(status));
    expect(warn.mock.calls.map(([{ reason }]) => reason)).toEqual(
      [404, 404, 410].map((n) => `the receiver answered ${n}`),
    );
  });
});

describe('the queue', () => {
  /** Everything is answered from now on, what hangs included. */
  const release = (receiver: Receiver) => {
    receiver.behave = answer(200);
    for (const socket of receiver.sockets) receiver.behave(socket, receiver.received[0] ?? expect.fail());
  };

  it('holds eight beside the one in flight, and drops the oldest when full', async () => {
    const receiver = await startReceiver(hang);
    const { delivery, settled } = deliver(receiver.url);
    for (let n = 1; n <= 9; n += 1) delivery.offer(scan(`${n}`));
    expect(delivery.status()).toMatchObject({ delivered: 0, dropped: 0, queued: 8, seq: 9 });
    delivery.offer(scan('10'));
    expect(delivery.status()).toMatchObject({ delivered: 0, dropped: 1, queued: 8, seq: 10 });
    await until(() => receiver.received.length === 1);
    release(receiver);
    await settled();
    expect(seqs(receiver)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('adds up under a burst of a thousand events with a receiver that hangs', async () => {
    const receiver = await startReceiver(hang);
    const { delivery, settled } = deliver(receiver.url);
    for (let n = 0; n < 1000; n += 1) {
      delivery.offer(scan(`${n}`));
      const { delivered, dropped, queued, seq } = delivery.status();
      expect(queued).toBeLessThanOrEqual(8);
      expect(delivered + dropped + queued + 1).toBe(seq);
      if (n % 100 === 50) await new Promise((resolve) => setImmediate(resolve));
    }
    release(receiver);
    await settled();
    expect(delivery.status()).toMatchObject({ delivered: 9, dropped: 991, queued: 0, seq: 1000 });
    expect(seqs(receiver)).toEqual([1, 993, 994, 995, 996, 997, 998, 999, 1000]);
  });

  it('sends one at a time', async () => {
    let inFlight = 0;
    const receiver = await startReceiver((socket, received) => {
      inFlight += 1;
      expect(inFlight).toBe(1);
      setTimeout(() => {
        inFlight -= 1;
        answer(200)(socket, received);
      }, 2);
    });
    const { delivery, settled } = deliver(receiver.url);
    for (let n = 0; n < 9; n += 1) delivery.offer(scan(`${n}`));
    await settled();
    expect(seqs(receiver)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('goes on to the next event after one that failed', async () => {
    const receiver = await startReceiver((socket, received) => {
      if (received.headers['x-node-seq'] === '1') socket.resetAndDestroy();
      else answer(200)(socket, received);
    });
    const { delivery, settled } = deliver(receiver.url);
    delivery.offer(scan('1'));
    delivery.offer(scan('2'));
    await settled();
    expect(seqs(receiver)).toEqual([1, 1, 2]);
  });
});

describe('a change of the configuration', () => {
  it('leaves the one in flight with the pair it began with, retry included; the queue goes to the new one', async () => {
    const [old, next] = [await startReceiver(hang), await startReceiver()];
    const { delivery, config, settled } = deliver(old.url);
    delivery.offer(scan('1'));
    delivery.offer(scan('2'));
    await until(() => old.received.length === 1);
    config.webhook = { ...config.webhook, url: next.url, secret: 'new' };
    old.sockets[0]?.resetAndDestroy();
    await until(() => old.received.length === 2);
    answer(200)(old.sockets[1] ?? expect.fail(), old.received[1] ?? expect.fail());
    await settled();
    expect([seqs(old), seqs(next)]).toEqual([[1, 1], [2]]);
    for (const { headers, body } of old.received) expect(headers['x-node-signature']).toBe(signature('sesame', body));
    expect(next.received[0]?.headers['x-node-signature']).toBe(signature('new', next.received[0]?.body ?? ''));
  });

  it('that takes the URL away drops what waits', async () => {
    const receiver = await startReceiver(hang);
    const { delivery, config, settled } = deliver(receiver.url);
    for (let n = 0; n < 4; n += 1) delivery.offer(scan('1'));
    await until(() => receiver.received.length === 1);
    config.webhook = { ...config.webhook, url: '' };
    answer(200)(receiver.sockets[0] ?? expect.fail(), receiver.received[0] ?? expect.fail());
    await settled();
    expect(delivery.status()).toMatchObject({ delivered: 1, dropped: 3, queued: 0, seq: 4 });
    expect(seqs(receiver)).toEqual([1]);
  });
});

describe('the end of the node', () => {
  it('waits for the one in flight, and lets what waits go', async () => {
    const receiver = await startReceiver(hang);
    const { delivery } = deliver(receiver.url);
    delivery.offer(scan('1'));
    delivery.offer(scan('2'));
    await until(() => receiver.received.length === 1);
    const stopped = delivery.stop(10_000);
    answer(200)(receiver.sockets[0] ?? expect.fail(), receiver.received[0] ?? expect.fail());
    await stopped;
    delivery.offer(scan('3'));
    expect(delivery.status()).toMatchObject({ delivered: 1, dropped: 1, queued: 0, seq: 2 });
  });

  it('breaks it off after its grace, and does not retry', async () => {
    const receiver = await startReceiver(hang);
    const { delivery } = deliver(receiver.url);
    delivery.offer(scan('1'));
    await until(() => receiver.received.length === 1);
    await delivery.stop(10);
    await until(() => receiver.sockets[0]?.destroyed === true);
    expect([receiver.received.length, delivery.status().dropped]).toEqual([1, 1]);
  });
});
