/** What a heartbeat says of the shop, and which node asks a cloud for recipes and images. */
import { expect, it } from 'vitest';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { createAjv } from '../../../runtime/kernel/ajv.ts';
import { HeartbeatMessage } from '../../../runtime/services/cloud/contract.ts';
import { type Receiver, startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { at, type CloudNode, startCloudNode, TOKEN } from './node.ts';

let asked = 0;
/** The next heartbeat: another URL has one sent at once. */
async function heartbeat(node: CloudNode, cloud: Receiver): Promise<HeartbeatMessage> {
  asked += 1;
  const path = `/beat-${asked}`;
  await node.call('PUT', '/cloud', { heartbeatUrl: `${cloud.url}${path}` });
  await until(() => cloud.received.some(at(path)));
  return JSON.parse(cloud.received.find(at(path))?.body ?? '') as HeartbeatMessage;
}

it('says how its printers are, as the status does, and which run this is', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  const known = async () => ((await node.call('GET', '/status')).body['printers'] as { known: boolean }[])[0]?.known;
  await until(async () => (await known()) === true);
  const { printers, bootId, crash } = await heartbeat(node, cloud);
  expect(printers).toEqual((await node.call('GET', '/status')).body['printers']);
  const { boots } = (await node.call('GET', '/bootlog')).body as { boots: { bootId: string }[] };
  expect(bootId).toBe(boots[0]?.bootId);
  expect(crash).toBeUndefined();
});

it('counts prints and those that failed, kicks, scans, and webhooks that were dropped', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  expect((await heartbeat(node, cloud)).counters).toEqual({
    ...{ prints: 0, printsFailed: 0, kicks: 0, scans: 0, webhookDropped: 0 },
  });
  const send = (path: string, command: object) => node.call('POST', path, { id: 'a', endpoint: 'receipt', ...command });
  const print = () => send('/print', { type: 'print', lines: [{ type: 'text', value: 'x' }] });
  expect((await print()).status).toBe(200);
  expect((await print()).status).toBe(200);
  expect((await send('/drawer/kick', { type: 'drawer_kick' })).status).toBe(200);
  const gone = await startReceiver((socket) => void socket.end('HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n'));
  await node.call('PUT', '/config', { webhook: { url: gone.url, events: ['scan_read'] } });
  const scanner = new VirtualWedgeScanner();
  node.bench.usb.plug(scanner);
  await node.kernel.hotplug.settled();
  scanner.scan('4006381333931');
  const dropped = async () => ((await node.call('GET', '/status')).body['webhook'] as { dropped: number }).dropped;
  await until(async () => (await dropped()) === 1);
  node.bench.usb.unplug(node.printer);
  await node.kernel.hotplug.settled();
  expect((await print()).status).not.toBe(200);
  const message = await heartbeat(node, cloud);
  expect(message.counters).toEqual({ prints: 2, printsFailed: 1, kicks: 1, scans: 1, webhookDropped: 1 });
  expect(createAjv().validate(HeartbeatMessage, message)).toBe(true);
});

it('names the last crash, with its time and reason, until it is cleared', async () => {
  const [cloud, before] = [await startReceiver(), await startCloudNode()];
  const { bootId } = await heartbeat(before, cloud);
  before.kernel.hooks.crash.call(new Error('one too many'));
  const node = await startCloudNode({ storage: before.storage });
  const { crash } = await heartbeat(node, cloud);
  expect(crash).toEqual({
    ...{ bootId, reason: 'uncaught_error', uptimeSeconds: expect.any(Number) },
    time: expect.stringMatching(/^\d{4}-/),
  });
  await node.call('DELETE', '/bootlog/crash');
  expect((await heartbeat(node, cloud)).crash).toBeUndefined();
});

it('asks for recipes and images in its own name, so that the token may be its own', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  await node.call('PUT', '/cloud', { url: cloud.url, token: TOKEN });
  const { identity } = (await node.call('GET', '/status')).body as { identity: { deviceId: string } };
  await until(() => cloud.received.some(at('/recipes')));
  for (const { target, headers } of cloud.received.filter(at('/recipes'))) {
    expect(target).toBe(`/recipes?node=${identity.deviceId}`);
    expect(headers['authorization']).toBe(`Bearer ${TOKEN}`);
  }
});
