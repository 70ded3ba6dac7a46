/** What a heartbeat counts of deliveries. */
import { expect, it } from 'vitest';
import { startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { heartbeat } from '../cloud/beat.ts';
import { startCloudNode } from '../cloud/node.ts';

it('a heartbeat counts the events that were dropped', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  expect((await heartbeat(node, cloud)).counters).toMatchObject({ webhookDropped: 0 });
  const gone = await startReceiver((socket) => void socket.end('HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n'));
  await node.call('PUT', '/config', { webhook: { url: gone.url, events: ['command_result'] } });
  const command = { type: 'print', id: 'a', endpoint: 'receipt', lines: [{ type: 'text', value: 'x' }] };
  expect((await node.call('POST', '/print', command)).status).toBe(200);
  const dropped = async () => ((await node.call('GET', '/status')).body['webhook'] as { dropped: number }).dropped;
  await until(async () => (await dropped()) === 1);
  expect((await heartbeat(node, cloud)).counters).toMatchObject({ webhookDropped: 1 });
});
