/** A copied card: two nodes with one device id. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { VirtualLinks } from '../../../runtime/bindings/virtual/links.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { createDiscovery } from '../../../runtime/services/discovery/index.ts';
import { Doubles } from '../../../runtime/services/peers/doubles.ts';
import peers from '../../../runtime/services/peers/index.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';
import { until } from '../../node.ts';
import { freePort } from '../../ports.ts';
import { storageWith } from '../../storage.ts';
import { LINK } from '../discovery/node.ts';
import { FakeWire } from '../discovery/responder.ts';
import { beaconOf, LOOPBACK, send, startBeacon } from './air.ts';

const A = '0000000a';

it('a copied card is told where a beacon with the own id comes from elsewhere, again and again', async () => {
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
  expect([beacon.doubles(8), told]).toEqual([[], 0]);
  await until(async () => {
    await send(port, '127.0.0.9', JSON.stringify(beaconOf(A)));
    return beacon.doubles(8).length > 0;
  });
  expect([beacon.doubles(8), told > 0]).toEqual([['127.0.0.9'], true]);
  expect(beacon.peers().map(({ id }) => id)).toEqual(['0000000b']);
});

it('a copied card is told where mDNS names another address for it, twice, though no beacon comes through', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const wire = new FakeWire();
  const links = new VirtualLinks();
  links.set([LINK]);
  const host = LINK.addresses[0]?.address ?? '';
  const node = await startTestNode({
    plugins: [status, settings, createDiscovery(wire.open), peers],
    recipes: [],
    storage: await storageWith({ identity: { deviceId: A } }),
    run: { host },
    bindings: () => ({ links }),
  });
  onTestFinished(() => node.stop());
  await until(() => wire.links.length > 0);
  const duplicate = async () =>
    ((await (await fetch(`${node.url}/status`)).json()) as { identity: Record<string, unknown> }).identity['duplicate'];
  const data = '127.77.0.9';
  const says = (ttl: number) =>
    wire.say(
      { type: 'response', answers: [{ name: `node-${A}-2.local`, type: 'A', ttl, flush: true, data }] },
      { address: data, port: 5353 },
    );
  const isTold = async () => {
    says(120);
    expect(await duplicate()).toBeUndefined();
    vi.advanceTimersByTime(1000);
    says(120);
    expect(await duplicate()).toEqual({ addresses: [data] });
  };
  await isTold();
  says(0);
  expect(await duplicate()).toBeUndefined();
  await isTold();
  vi.advanceTimersByTime(120_000);
  expect(await duplicate()).toBeUndefined();
});

it('a copied card is not hidden by 10,000 forged addresses, whether each is heard once or again and again', () => {
  const forged = Array.from({ length: 10_000 }, (_, index) => `10.9.${index >> 8}.${index & 255}`);
  const real = '192.168.7.9';
  const once = new Doubles({ forMs: 2500, ttlMs: 15_000 });
  const again = new Doubles({ forMs: 2500, ttlMs: 15_000 });
  const told: string[] = [];
  again.hear(real, 0);
  for (let now = 0; now <= 20_000; now += 5000) {
    for (const [index, address] of forged.entries()) {
      again.hear(address, now);
      // Others in each of the four intervals.
      if (index % 4 === (now / 5000) % 4) once.hear(address, now);
    }
    if (once.hear(real, now)) told.push(`once ${now}`);
    if (again.hear(real, now)) told.push(`again ${now}`);
  }
  expect(told).toEqual(['once 5000', 'again 5000']);
  expect(once.list(20_000, 8)).toEqual([real]);
  expect(again.list(20_000, 8)).toContain(real);
  expect(once.list(35_000, 8)).toEqual([]);
});

it('what a node hears of copies takes no more room than there is, and has room again when what was heard is over', () => {
  const doubles = new Doubles({ forMs: 0, ttlMs: 15_000 });
  for (let index = 0; index < 20_000; index += 1)
    doubles.hear(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 0);
  const late = '192.168.7.9';
  doubles.hear(late, 1);
  doubles.hear(late, 2);
  expect(doubles.list(2, 100_000)).toHaveLength(16_384);
  doubles.hear(late, 15_000);
  doubles.hear(late, 15_001);
  expect(doubles.list(15_001, 100_000)).toEqual([late]);
});

it('a copied card becomes a new node at the next boot, and stays what it is until then', async () => {
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

it('a node says on paper, once, that another one has its id', async () => {
  const { DoubleSlip } = await import('../../../runtime/services/peers/double-slip.ts');
  const node = await startTestNode({ plugins: [status, settings, peers], recipes: [], image: { language: 'de' } });
  const papers: string[] = [];
  let isThere = false;
  node.kernel.hooks.notice.tapPromise('paper', async (lines) => {
    if (isThere) papers.push(JSON.stringify(lines));
    return isThere;
  });
  let double: string | undefined;
  const slip = new DoubleSlip(node.kernel, () => double);
  await slip.print();
  double = '192.168.1.9';
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
