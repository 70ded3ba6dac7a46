import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAjv } from '../../../runtime/base/ajv.ts';
import { Outbound } from '../../../runtime/http/outbound.ts';
import { WebhookMessage, type WebhookStatus } from '../../../runtime/services/webhook/contract.ts';
import webhook from '../../../runtime/services/webhook/index.ts';
import { answer, hang, type Receiver, startReceiver } from '../../http/receiver.ts';
import { type PrintingNode, startPrintingNode, until } from '../../node.ts';
import { settingsNodes } from '../settings/node.ts';

let node: PrintingNode;
afterEach(async () => {
  vi.restoreAllMocks();
  await node.stop();
});

const statusOf = async () => (await node.get<{ webhook: WebhookStatus }>('/status')).body.webhook;
const configure = async (patch: object) => {
  expect((await node.send('PUT', '/config', { webhook: patch })).status).toBe(200);
};
const results = { events: ['command_result'] };
const bodies = ({ received }: Receiver) =>
  received.map(({ body }) => JSON.parse(body) as { node: string; seq: number; event: Record<string, unknown> });

describe('a node with a receiver', () => {
  it('tells it the events that the stream has, and how it went in the status', async () => {
    const receiver = await startReceiver();
    node = await startPrintingNode();
    await configure({ url: receiver.url, secret: 'sesame', ...results });
    const stream = node.events('command_result');
    const first = stream.next();
    await until(async () => {
      await node.print([{ type: 'text', value: 'a' }]);
      return receiver.received.length > 0;
    });
    const { value: frame } = await first;
    await stream.return(undefined);
    await until(async () => (await statusOf()).delivered === (await statusOf()).seq);
    const [body = expect.fail()] = bodies(receiver);
    const { identity } = (await node.get<{ identity: { deviceId: string } }>('/status')).body;
    expect(createAjv().validate(WebhookMessage, body)).toBe(true);
    expect([body.node, receiver.received[0]?.headers['x-node-node']]).toEqual([identity.deviceId, identity.deviceId]);
    expect(bodies(receiver).map(({ event }) => event)).toContainEqual(frame);
    expect(await statusOf()).toMatchObject({ dropped: 0, queued: 0, lastStatus: 200 });
  });

  it('that hangs prints, scans and streams as ever, and holds eight events at most', async () => {
    const receiver = await startReceiver(hang);
    node = await startPrintingNode();
    await configure({ url: receiver.url, ...results });
    const stream = node.events('command_result');
    await Promise.all([stream.next(), until(async () => (await node.print([{ type: 'cut' }])).status === 200)]);
    for (let n = 0; n < 30; n += 1) {
      const [{ status, body }, frame] = await Promise.all([node.print([{ type: 'text', value: 'a' }]), stream.next()]);
      expect([status, body]).toEqual([200, frame.value]);
    }
    await stream.return(undefined);
    expect(receiver.received).toHaveLength(1);
    const { delivered, dropped, queued, seq } = await statusOf();
    expect([delivered, queued, dropped + queued + 1]).toEqual([0, 8, seq]);
  });

  it('gives it five seconds', async () => {
    const post = vi.spyOn(Outbound.prototype, 'post').mockResolvedValue(200);
    node = await startPrintingNode();
    await configure({ url: 'http://127.0.0.1:1/', ...results });
    await node.print([{ type: 'cut' }]);
    await until(() => post.mock.calls.length === 1);
    expect(post.mock.calls[0]?.[0].deadlineMs).toBe(5000);
  });

  it('ends while it hangs', async () => {
    const receiver = await startReceiver(hang);
    node = await startPrintingNode();
    await configure({ url: receiver.url, ...results });
    await node.print([{ type: 'cut' }]);
    await until(() => receiver.received.length === 1);
    await node.stop();
    await until(() => receiver.sockets.every(({ destroyed }) => destroyed));
    expect(receiver.received).toHaveLength(1);
  });
});

it('the node itself is not a receiver, on any port it serves, whatever its address is called', async () => {
  node = await startPrintingNode();
  const served = [new URL(node.url).port, node.raw?.split(':').at(-1)];
  const names = ['127.0.0.1', 'localhost', '127.1', '2130706433', '127.8.8.8', '0.0.0.0', '[::ffff:127.0.0.1]', '[::]'];
  const urls = served.flatMap((port) => names.map((name) => `http://${name}:${port}/restart`));
  for (const [index, url] of urls.entries()) {
    await configure({ url, ...results });
    await node.print([{ type: 'text', value: 'a' }]);
    await until(async () => (await statusOf()).dropped === index + 1);
    expect([url, (await statusOf()).lastStatus]).toEqual([url, -1]);
  }
  const { raw } = (await node.get<{ raw: object }>('/status')).body;
  expect(raw).toMatchObject({ connections: 0, bytes: 0 });
  expect(await statusOf()).toMatchObject({ delivered: 0, seq: urls.length });
});

it('no secret ever signs a request to another URL than its own', async () => {
  const [a, b] = [await startReceiver(), await startReceiver()];
  const { kernel } = await settingsNodes(webhook)();
  await kernel.start();
  node = { stop: () => kernel.stop() } as PrintingNode;
  const secrets = new Map([
    [a, 'for a'],
    [b, 'for b'],
  ]);
  // Some attempts fail, so that retries cross changes too.
  const moody = (receiver: Receiver) => {
    receiver.behave = (socket, received) => answer(receiver.received.length % 3 === 0 ? 503 : 200)(socket, received);
  };
  for (const receiver of secrets.keys()) moody(receiver);
  const patches = [
    { url: a.url, secret: 'for a', ...results },
    { url: b.url },
    { url: b.url, secret: 'for b' },
    { url: a.url },
  ];
  for (let n = 0; n < 1000; n += 1) {
    kernel.event({ type: 'command_result', ok: true, commandId: `${n}`, endpoint: 'receipt' });
    await kernel.config.patch({ webhook: patches[n % patches.length] });
    if (n % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (const [receiver, secret] of secrets) {
    const signed = receiver.received.filter(({ headers }) => headers['x-node-signature'] !== 'sha256=');
    expect(signed.length).toBeGreaterThan(0);
    for (const { body, headers } of signed) {
      const own = createHmac('sha256', secret).update(body).digest('hex');
      expect(headers['x-node-signature']).toBe(`sha256=${own}`);
    }
  }
});
