/** A fixed address is tried, then kept (RFC 5227): else the node takes DHCP, says why, and does not have the address. */
import { describe, expect, it } from 'vitest';
import { cabled, radioInShop, SHOP, type TestRadio } from '../../bindings/test-radio.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { type NetworkNode, startNetworkNode } from './node.ts';

const LONG = 60_000;
const MASK = { netmask: '255.255.255.0' };
const GATEWAY = '192.168.1.1';
const FIXED = { address: '192.168.1.50', ...MASK, gateway: GATEWAY };
const ALONE = { address: '192.168.1.50', ...MASK };
const ELSEWHERE = { address: '10.0.0.9', ...MASK };
const wifi = { ...SHOP, band: 'auto', proven: true };

/** Starts a node on a network with a router, unless `hosts` says who is there. */
async function start(radio: TestRadio, ipv4: object, hosts: readonly string[] = [GATEWAY], timings = {}) {
  for (const host of hosts) radio.hosts.add(host);
  return startNetworkNode({ radio, storage: await storageWith({ wifi, ipv4 }), timings });
}
const ipv4Of = async (node: NetworkNode) => (await node.get('/network')).body['ipv4'] as Record<string, unknown>;
const becomes = (node: NetworkNode, wanted: object) =>
  until(async () => expect.objectContaining(wanted).asymmetricMatch(await ipv4Of(node)));

const links: readonly (readonly [string, () => TestRadio])[] = [
  ['on a cable', cabled],
  ['on Wi-Fi', radioInShop],
];

describe.each(links)('a fixed address %s', (_, link) => {
  it('stays where nobody has it and its gateway answers, be it late', async () => {
    const radio = link();
    const node = await start(radio, FIXED, [], { silenceMs: LONG });
    await becomes(node, { method: 'static', address: FIXED.address });
    radio.hosts.add(GATEWAY);
    const asked = radio.count('wire') + radio.count(`join ${SHOP.ssid}`);
    for (let look = 0; look < 10; look += 1) expect(await ipv4Of(node)).toMatchObject({ method: 'static' });
    expect(await ipv4Of(node)).not.toHaveProperty('fault');
    expect(radio.count('wire') + radio.count(`join ${SHOP.ssid}`)).toBe(asked);
  });

  it('that another device has is left to it', async () => {
    const node = await start(link(), FIXED, [GATEWAY, FIXED.address]);
    await becomes(node, { method: 'dhcp', address: '192.168.1.20', fault: 'taken', fixed: FIXED });
  });

  it('that is the router’s is left to it', async () => {
    const node = await start(link(), { address: GATEWAY, ...MASK });
    await becomes(node, { method: 'dhcp', address: '192.168.1.20', fault: 'taken' });
  });

  it('whose gateway is silent is given up for DHCP', async () => {
    const node = await start(link(), { ...FIXED, gateway: '192.168.1.254' });
    await becomes(node, { method: 'dhcp', address: '192.168.1.20', fault: 'no_gateway' });
  });

  it('comes back as soon as its gateway answers', async () => {
    const radio = link();
    const node = await start(radio, FIXED, []);
    await becomes(node, { method: 'dhcp', fault: 'no_gateway' });
    radio.hosts.add(GATEWAY);
    await becomes(node, { method: 'static', address: FIXED.address });
    expect(await ipv4Of(node)).not.toHaveProperty('fault');
  });

  it('of another network than the router’s is given up for DHCP, with a gateway and without', async () => {
    const without = await start(link(), ELSEWHERE);
    await becomes(without, { method: 'dhcp', fault: 'outside' });
    const withOne = await start(link(), { ...ELSEWHERE, gateway: '10.0.0.1' });
    await becomes(withOne, { method: 'dhcp', fault: 'outside' });
  });

  it('without a gateway stays where somebody is heard in its network', async () => {
    const radio = link();
    radio.lease = undefined;
    const node = await start(radio, ALONE, ['192.168.1.99']);
    await becomes(node, { method: 'static', address: ALONE.address });
    for (let look = 0; look < 10; look += 1) await node.get('/network');
    expect([await ipv4Of(node), radio.setup]).toEqual([expect.not.objectContaining({ fault: 'outside' }), undefined]);
  });

  it('without a gateway stays where nobody is heard but the router assigns addresses of its network', async () => {
    const radio = link();
    const node = await start(radio, ALONE, []);
    // Fixed, by DHCP, and fixed again.
    await until(() => radio.count('wire') >= 3 || radio.count(`join ${SHOP.ssid}`) === 3);
    await becomes(node, { method: 'static', address: ALONE.address });
    expect(await ipv4Of(node)).not.toHaveProperty('fault');
  });

  it('without a gateway, whose netmask leaves out others of the router’s network, is given up for DHCP', async () => {
    const node = await start(link(), { address: '192.168.1.50', netmask: '255.255.255.252' });
    await becomes(node, { method: 'dhcp', address: '192.168.1.20', fault: 'outside' });
    const wide = await start(link(), { address: '192.168.1.50', netmask: '255.255.0.0' }, []);
    await until(() => wide.radio.count('wire') >= 3 || wide.radio.count(`join ${SHOP.ssid}`) === 3);
    await becomes(wide, { method: 'static', address: '192.168.1.50' });
  });

  it('that failed stays stored, and waits for nothing', async () => {
    const node = await start(link(), FIXED, [FIXED.address]);
    await becomes(node, { fault: 'taken' });
    expect((await node.get('/network')).body).not.toHaveProperty('pendingIpv4');
    expect(node.kernel.settings.read('ipv4')).toEqual(FIXED);
  });
});

describe('a fixed address on a cable', () => {
  it('is tried again after the cable was out for a moment: others may be there now', async () => {
    const radio = cabled();
    const heard: string[] = [];
    radio.answers = async (address) => radio.hosts.has(address) && heard.push(address) > 0;
    const node = await start(radio, FIXED);
    await becomes(node, { method: 'static', address: FIXED.address });
    // Its gateway was heard: it is kept.
    await until(() => heard.includes(GATEWAY));
    await node.get('/network');
    radio.cable = false;
    radio.hosts.clear();
    radio.lease = { address: '172.20.0.100', netmask: '255.255.255.0', gateway: '172.20.0.1' };
    radio.cable = true;
    await becomes(node, { method: 'dhcp', address: '172.20.0.100', fault: 'outside', fixed: FIXED });
  });

  it('that is the address of a router that starts slower than the node is left to it', async () => {
    const radio = cabled();
    const slow = { address: GATEWAY, ...MASK };
    const node = await start(radio, slow, ['192.168.1.99'], { againMs: 100 });
    await becomes(node, { method: 'static', address: GATEWAY });
    radio.hosts.add(GATEWAY);
    await becomes(node, { method: 'dhcp', address: '192.168.1.20', fault: 'taken', fixed: slow });
  });

  it('is probed once more where it has no gateway, and not where it has one', async () => {
    for (const [ipv4, probes] of [
      [ALONE, 2],
      [FIXED, 1],
    ] as const) {
      const radio = cabled();
      const node = await start(radio, ipv4, [GATEWAY], { againMs: 30 });
      await becomes(node, { method: 'static', address: ipv4.address });
      await until(() => radio.count('wire') === probes);
      for (let look = 0; look < 20; look += 1) await node.get('/network');
      expect([radio.count('wire'), await ipv4Of(node)]).toEqual([
        probes,
        expect.not.objectContaining({ fault: 'taken' }),
      ]);
    }
  });

  it('by DHCP is asked for again after the cable was out for a moment', async () => {
    const radio = cabled();
    const node = await startNetworkNode({ radio });
    await becomes(node, { method: 'dhcp', address: '192.168.1.20' });
    await until(async () => (await node.get('/network')).body['trying'] === undefined && radio.count('leave') > 0);
    radio.cable = false;
    radio.cable = true;
    await until(() => radio.count('renew') === 1);
    for (let look = 0; look < 10; look += 1) await node.get('/network');
    expect(radio.count('renew')).toBe(1);
  });
});

describe('where there is no DHCP either', () => {
  const noWifi = async (radio: TestRadio, ipv4: object, timings = {}) =>
    startNetworkNode({ radio, storage: await storageWith({ ipv4 }), timings });

  it('setup opens, and the address stays out of the interface, if its gateway is silent', async () => {
    const radio = cabled();
    radio.lease = undefined;
    await noWifi(radio, FIXED, { quietMs: LONG });
    await until(() => radio.is('setup'));
    expect(radio.wired).toBeUndefined();
  });

  it('it is tried again from time to time while nobody uses the portal', async () => {
    const radio = cabled();
    radio.lease = undefined;
    await noWifi(radio, FIXED);
    await until(() => radio.is('setup'));
    radio.hosts.add(GATEWAY);
    // Not over the API: to the portal that would be somebody who uses it.
    await until(async () => (await radio.read()).ipv4?.address === FIXED.address && radio.calls.at(-1) === 'leave');
  });

  it('setup opens beside the address if it has no gateway: nobody may be there, or one other device', async () => {
    const radio = cabled();
    radio.lease = undefined;
    const node = await noWifi(radio, ALONE, { quietMs: LONG });
    await until(() => radio.setup !== undefined);
    await becomes(node, { method: 'static', address: ALONE.address, fault: 'outside' });
    radio.hosts.add('192.168.1.99');
    await until(() => radio.calls.at(-1) === 'leave');
    await until(async () => !('fault' in (await ipv4Of(node))));
  });
});

it('a cable that is plugged into another network gets the address another try', async () => {
  const radio = cabled();
  const node = await startNetworkNode({ radio, storage: await storageWith({ ipv4: ELSEWHERE }) });
  radio.hosts.add(GATEWAY);
  await becomes(node, { fault: 'outside' });
  radio.cable = false;
  await until(() => radio.setup !== undefined);
  radio.lease = { address: '10.0.0.77', ...MASK, gateway: '10.0.0.1' };
  radio.hosts.clear();
  radio.cable = true;
  await becomes(node, { method: 'static', address: ELSEWHERE.address });
});

it('the gesture that forgets Wi-Fi drops it, at once and on a cable too', async () => {
  const radio = cabled();
  radio.hosts.add(GATEWAY);
  const node = await startNetworkNode({ radio, storage: await storageWith({ ipv4: FIXED }) });
  await becomes(node, { method: 'static', address: FIXED.address });
  await node.kernel.offered('custody')?.forgetNetwork.promise();
  await becomes(node, { method: 'dhcp', address: '192.168.1.20' });
  expect(node.kernel.settings.read('ipv4')).toBeUndefined();
  expect((await node.get('/network')).body).not.toHaveProperty('pendingIpv4');
});
