/** A copied card: two nodes with one device id. */
import { expect, it } from 'vitest';
import { startTestNode } from '../../../runtime/node/testing.ts';
import peers from '../../../runtime/services/peers/index.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { beaconOf, freePort, LOOPBACK, send, startBeacon } from './air.ts';

const A = '0000000a';

it('is told where a beacon with the own id comes from elsewhere, again and again', async () => {
  const port = await freePort();
  let told = 0;
  const beacon = await startBeacon({
    port,
    id: A,
    intervalMs: 20,
    own: () => LOOPBACK.addresses.map(({ address }) => address),
    doubled: () => {
      told += 1;
    },
  });
  await send(port, '127.0.0.1', JSON.stringify(beaconOf(A)));
  await send(port, '127.0.0.7', JSON.stringify(beaconOf('0000000b')));
  await until(() => beacon.peers().length === 1);
  expect([beacon.doubles(), told]).toEqual([[], 0]);
  await until(async () => {
    await send(port, '127.0.0.9', JSON.stringify(beaconOf(A)));
    return beacon.doubles().length > 0;
  });
  expect([beacon.doubles(), told > 0]).toEqual([['127.0.0.9'], true]);
  expect(beacon.peers().map(({ id }) => id)).toEqual(['0000000b']);
});

it('becomes a new node at the next boot, and stays what it is until then', async () => {
  const storage = await storageWith({ identity: { deviceId: '0a1b2c3d' } });
  const start = () => startTestNode({ plugins: [status, settings, peers], recipes: [], storage });
  const node = await start();
  const identity = async (url: string) =>
    ((await (await fetch(`${url}/status`)).json()) as { identity: Record<string, unknown> }).identity;
  const renew = async () =>
    (await (await fetch(`${node.url}/identity/renew`, { method: 'POST' })).json()) as Record<string, unknown>;
  const first = await renew();
  expect(first).toEqual({ ok: true, deviceId: expect.stringMatching(/^[0-9a-f]{8}$/), effective: 'next_boot' });
  expect(first['deviceId']).not.toBe('0a1b2c3d');
  // Asked twice, it is one wish.
  expect(await renew()).toEqual(first);
  expect(await identity(node.url)).toMatchObject({ deviceId: '0a1b2c3d', pendingDeviceId: first['deviceId'] });
  await node.stop();
  const anew = await start();
  const now = await identity(anew.url);
  expect([now['deviceId'], now['pendingDeviceId']]).toEqual([first['deviceId'], undefined]);
  await anew.stop();
});

it('says on paper, once, that another one has its id', async () => {
  const { DoubleSlip } = await import('../../../runtime/services/peers/double-slip.ts');
  const node = await startTestNode({ plugins: [status, settings, peers], recipes: [], image: { language: 'de' } });
  const papers: string[] = [];
  let isThere = false;
  node.kernel.hooks.notice.tapPromise('paper', async (lines) => {
    if (isThere) papers.push(JSON.stringify(lines));
    return isThere;
  });
  let doubles: readonly string[] = [];
  const slip = new DoubleSlip(node.kernel, () => doubles);
  await slip.print();
  doubles = ['192.168.1.9'];
  await slip.print();
  expect(papers).toEqual([]);
  isThere = true;
  await slip.print();
  await slip.print();
  expect(papers).toHaveLength(1);
  for (const words of ['Zwei Nodes mit einer Identität', '192.168.1.9', 'Two nodes with one identity']) {
    expect(papers[0]).toContain(words);
  }
  await node.stop();
});
