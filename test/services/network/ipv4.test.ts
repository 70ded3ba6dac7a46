/** PUT /network/ipv4 (specification 2.10). */
import { describe, expect, it } from 'vitest';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { radioInShop, SHOP, TestRadio } from '../../bindings/test-radio.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { startNetworkNode } from './node.ts';

const FIXED = { address: '192.168.1.50', netmask: '255.255.255.0', gateway: '192.168.1.1', dns: '192.168.1.1' };

describe('a fixed address', () => {
  const good: readonly (readonly [what: string, body: object])[] = [
    ['all four', FIXED],
    ['no gateway and no name server', { address: '10.0.0.7', netmask: '255.0.0.0' }],
    ['a gateway alone', { address: '10.0.0.7', netmask: '255.0.0.0', gateway: '10.255.255.254' }],
    ['a name server elsewhere', { ...FIXED, dns: '9.9.9.9' }],
    ['the smallest network', { address: '192.168.1.1', netmask: '255.255.255.252', gateway: '192.168.1.2' }],
    ['a network cut inside a byte', { address: '172.16.5.9', netmask: '255.255.240.0', gateway: '172.16.15.254' }],
    ['a host part of .0 that is not the network', { address: '172.16.1.0', netmask: '255.255.240.0' }],
    ['the widest network', { address: '192.168.1.1', netmask: '128.0.0.0' }],
    ['nothing: back to DHCP', {}],
  ];

  const bad: readonly (readonly [what: string, body: unknown, field: string])[] = [
    ['no netmask', { address: '10.0.0.7' }, 'netmask'],
    ['no address', { netmask: '255.0.0.0' }, 'address'],
    ['a gateway by itself', { gateway: '10.0.0.1' }, 'gateway'],
    ['a name server by itself', { dns: '10.0.0.1' }, 'dns'],
    ['leading zeros', { ...FIXED, address: '192.168.001.050' }, 'address'],
    ['an octal look', { ...FIXED, address: '0300.0250.1.1' }, 'address'],
    ['hexadecimal', { ...FIXED, address: '0xc0a80132' }, 'address'],
    ['one number', { ...FIXED, address: '3232235826' }, 'address'],
    ['three parts', { ...FIXED, address: '192.168.50' }, 'address'],
    ['five parts', { ...FIXED, address: '192.168.1.50.1' }, 'address'],
    ['a part over 255', { ...FIXED, address: '192.168.1.256' }, 'address'],
    ['a space', { ...FIXED, address: ' 192.168.1.50' }, 'address'],
    ['a line feed', { ...FIXED, address: '192.168.1.50\n' }, 'address'],
    ['a prefix', { ...FIXED, address: '192.168.1.50/24' }, 'address'],
    ['IPv6', { ...FIXED, address: 'fd00::1' }, 'address'],
    ['an empty address', { ...FIXED, address: '' }, 'address'],
    ['the unspecified address', { address: '0.0.0.0', netmask: '255.255.255.0' }, 'address'],
    ['an address of network 0', { address: '0.1.2.3', netmask: '255.255.255.0' }, 'address'],
    ['loopback', { address: '127.0.0.9', netmask: '255.0.0.0' }, 'address'],
    ['link-local', { address: '169.254.3.3', netmask: '255.255.0.0' }, 'address'],
    ['the setup network', { address: '192.0.2.1', netmask: '255.255.255.0' }, 'address'],
    [
      'a gateway on the setup network',
      { address: '192.0.3.7', netmask: '255.255.254.0', gateway: '192.0.2.7' },
      'gateway',
    ],
    ['multicast', { address: '224.0.0.251', netmask: '255.255.255.0' }, 'address'],
    ['reserved', { address: '240.0.0.1', netmask: '255.255.255.0' }, 'address'],
    ['everybody', { address: '255.255.255.255', netmask: '255.255.255.0' }, 'address'],
    ['the network itself', { ...FIXED, address: '192.168.1.0' }, 'address'],
    ['the broadcast address', { ...FIXED, address: '192.168.1.255' }, 'address'],
    ['the broadcast address of a part', { address: '10.0.0.127', netmask: '255.255.255.128' }, 'address'],
    ['a mask with a hole', { ...FIXED, netmask: '255.0.255.0' }, 'netmask'],
    ['a mask the wrong way round', { ...FIXED, netmask: '0.0.0.255' }, 'netmask'],
    ['a mask of nothing', { ...FIXED, netmask: '0.0.0.0' }, 'netmask'],
    ['a mask for two', { ...FIXED, netmask: '255.255.255.254' }, 'netmask'],
    ['a mask for one', { ...FIXED, netmask: '255.255.255.255' }, 'netmask'],
    ['a mask as a length', { ...FIXED, netmask: '24' }, 'netmask'],
    ['a gateway in another network', { ...FIXED, gateway: '192.168.2.1' }, 'gateway'],
    ['the node as its own gateway', { ...FIXED, gateway: '192.168.1.50' }, 'gateway'],
    ['the network as gateway', { ...FIXED, gateway: '192.168.1.0' }, 'gateway'],
    ['the broadcast address as gateway', { ...FIXED, gateway: '192.168.1.255' }, 'gateway'],
    ['a gateway that is none', { ...FIXED, gateway: 'router' }, 'gateway'],
    ['a multicast name server', { ...FIXED, dns: '224.0.0.1' }, 'dns'],
    ['a name server on loopback', { ...FIXED, dns: '127.0.0.53' }, 'dns'],
    ['the node as its own name server', { ...FIXED, dns: '192.168.1.50' }, 'dns'],
    ['the broadcast address as name server', { ...FIXED, dns: '192.168.1.255' }, 'dns'],
    ['two name servers', { ...FIXED, dns: '9.9.9.9,1.1.1.1' }, 'dns'],
    ['null', { ...FIXED, gateway: null }, 'gateway'],
    ['a number', { ...FIXED, address: 42 }, 'address'],
    ['an unknown key', { ...FIXED, mtu: 1500 }, 'mtu'],
    ['a key of every object', JSON.parse('{"__proto__": {}}'), '__proto__'],
    ['a list', [], ''],
    ['null instead of an object', null, ''],
  ];

  it('is stored and comes into effect with the next boot, or is 422 invalid_config and nothing changes', async () => {
    const node = await startNetworkNode();
    for (const [what, body] of good) {
      const answer = await node.send('PUT', '/network/ipv4', body);
      expect([what, answer.status, answer.body]).toEqual([what, 200, { ok: true, ...body, effective: 'next_boot' }]);
    }
    await node.send('PUT', '/network/ipv4', FIXED);
    for (const [what, body, field] of bad) {
      const { status, body: answer } = await node.send('PUT', '/network/ipv4', body);
      expect([what, status, answer['error']]).toEqual([what, 422, 'invalid_config']);
      expect(String(answer['detail']), what).toContain(field);
    }
    expect((await node.get('/network')).body['pendingIpv4']).toEqual(FIXED);
  });

  it('replaces what was stored: a field that is left out is cleared', async () => {
    const node = await startNetworkNode();
    await node.send('PUT', '/network/ipv4', FIXED);
    const { address, netmask } = FIXED;
    await node.send('PUT', '/network/ipv4', { address, netmask });
    expect((await node.get('/network')).body['pendingIpv4']).toEqual({ address, netmask });
  });

  it('waits for the next boot, which shows as pendingIpv4 until then', async () => {
    const storage = await storageWith({ wifi: { ...SHOP, band: 'auto', proven: true } });
    const radio = radioInShop();
    radio.hosts.add(FIXED.gateway);
    const first = await startNetworkNode({ radio, storage });
    await until(() => radio.is('station'));
    expect((await first.get('/network')).body).not.toHaveProperty('pendingIpv4');
    await first.send('PUT', '/network/ipv4', FIXED);
    expect((await first.get('/network')).body).toMatchObject({ ipv4: { method: 'dhcp' }, pendingIpv4: FIXED });
    await first.stop();

    const second = await startNetworkNode({ radio, storage });
    await until(() => radio.count('join Shop') === 2);
    expect(radio.wired).toEqual(FIXED);
    const view = (await second.get('/network')).body;
    expect(view).toMatchObject({ ipv4: { method: 'static', ...FIXED } });
    expect(view).not.toHaveProperty('pendingIpv4');
    await second.send('PUT', '/network/ipv4', {});
    expect((await second.get('/network')).body).toMatchObject({ ipv4: FIXED, pendingIpv4: {} });
    await second.stop();

    await startNetworkNode({ radio, storage });
    await until(() => radio.count('join Shop') === 3);
    expect(radio.wired).toBeUndefined();
  });

  it('is 500 persist_failed where it cannot be stored, and nothing changes', async () => {
    const storage = new VirtualStorage();
    const node = await startNetworkNode({ storage });
    await node.send('PUT', '/network/ipv4', FIXED);
    storage.failure = (operation) => (operation === 'write' ? new Error('EIO') : undefined);
    expect(await node.send('PUT', '/network/ipv4', {})).toMatchObject({
      status: 500,
      body: { error: 'persist_failed' },
    });
    expect((await node.get('/network')).body['pendingIpv4']).toEqual(FIXED);
  });

  it('is refused with the way to it where the machine is not the node’s own, and nothing is stored', async () => {
    const node = await startNetworkNode({ appliance: false });
    const { status, body } = await node.send('PUT', '/network/ipv4', FIXED);
    expect([status, body['error']]).toEqual([409, 'not_appliance']);
    expect(body['detail']).toContain('--appliance');
    expect((await node.get('/network')).body).not.toHaveProperty('pendingIpv4');
  });
});

it('setup mode ignores a fixed address', async () => {
  const radio = new TestRadio();
  const node = await startNetworkNode({ radio, storage: await storageWith({ ipv4: FIXED }) });
  await until(() => radio.setup !== undefined);
  expect((await node.get('/network')).body).toMatchObject({ mode: 'setup', ipv4: { address: '127.0.0.1' } });
});
