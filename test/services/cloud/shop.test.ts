/** What a heartbeat says of the shop, and which node asks a cloud for recipes and images. */
import { expect, it } from 'vitest';
import { createAjv } from '../../../runtime/base/ajv.ts';
import { HeartbeatMessage } from '../../../runtime/services/cloud/contract.ts';
import { startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { heartbeat } from './beat.ts';
import { at, startCloudNode, TOKEN, updateRoom } from './node.ts';

it('a heartbeat says how the printers are, as the status does', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  const known = async () => ((await node.call('GET', '/status')).body['printers'] as { known: boolean }[])[0]?.known;
  await until(async () => (await known()) === true);
  const { printers, crash } = await heartbeat(node, cloud);
  expect(printers).toEqual((await node.call('GET', '/status')).body['printers']);
  expect(crash).toBeUndefined();
});

it('a heartbeat counts prints and those that failed, and kicks', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  expect((await heartbeat(node, cloud)).counters).toMatchObject({ prints: 0, printsFailed: 0, kicks: 0 });
  const send = (path: string, command: object) => node.call('POST', path, { id: 'a', endpoint: 'receipt', ...command });
  const print = () => send('/print', { type: 'print', lines: [{ type: 'text', value: 'x' }] });
  expect((await print()).status).toBe(200);
  expect((await print()).status).toBe(200);
  expect((await send('/drawer/kick', { type: 'drawer_kick' })).status).toBe(200);
  node.bench.usb.unplug(node.printer);
  await node.kernel.hotplug.settled();
  expect((await print()).status).not.toBe(200);
  const message = await heartbeat(node, cloud);
  expect(message.counters).toMatchObject({ prints: 2, printsFailed: 1, kicks: 1 });
  expect(createAjv().validate(HeartbeatMessage, message)).toBe(true);
});

it('a node asks for recipes and images in its own name, so that the token may be its own', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  await node.call('PUT', '/cloud', { url: cloud.url, token: TOKEN });
  const { identity } = (await node.call('GET', '/status')).body as { identity: { deviceId: string } };
  await until(() => cloud.received.some(at('/recipes')));
  for (const { target, headers } of cloud.received.filter(at('/recipes'))) {
    expect(target).toBe(`/recipes?node=${identity.deviceId}`);
    expect(headers['authorization']).toBe(`Bearer ${TOKEN}`);
  }
});

it('a heartbeat says what the update policy is, and that custody is not attested, where that is so', async () => {
  const cloud = await startReceiver();
  const node = await startCloudNode({ also: [updateRoom(undefined, 'check')] });
  const before = await heartbeat(node, cloud);
  expect([before.updatePolicy, before.custodyHold]).toEqual(['check', undefined]);
  await node.kernel.settings.update((draft) => {
    draft.erased = true;
    draft.cloud = { ...draft.cloud, heartbeatUrl: `${cloud.url}/held`, heartbeatSeconds: 10 };
  });
  const again = await startCloudNode({ storage: node.storage });
  await until(() => cloud.received.some(at('/held')));
  const message = JSON.parse(cloud.received.find(at('/held'))?.body ?? '');
  expect([message.node, message.custodyHold]).toEqual([again.kernel.settings.read('identity')?.deviceId, true]);
});
