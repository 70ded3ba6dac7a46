/** GET /network (specification 2.10). */
import { describe, expect, it } from 'vitest';
import { RadioError } from '../../../runtime/bindings/network.ts';
import { cabled, radioInShop, SHOP, TestRadio } from '../../bindings/test-radio.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { startNetworkNode } from './node.ts';

const NO_IPV4 = { method: null, address: null, netmask: null, gateway: null, dns: null };
const LINK = {
  name: 'eth0',
  mac: '02:00:00:00:00:77',
  addresses: [
    { family: 6, address: 'fe80::1', prefix: 64, scope: 2 },
    { family: 4, address: '169.254.7.7', prefix: 16 },
    { family: 4, address: '10.1.2.3', prefix: 20 },
  ],
} as const;

describe('GET /network', () => {
  it('tells what the node is on, and never a password', async () => {
    const radio = radioInShop();
    const wifi = { ...SHOP, band: 'auto', proven: true };
    const node = await startNetworkNode({
      radio,
      storage: await storageWith({ wifi, identity: { deviceId: '0a1b2c3d' } }),
    });
    await until(() => radio.is('station'));
    const { status, body } = await node.get('/network');
    expect(status).toBe(200);
    expect(body).toEqual({
      mode: 'station',
      ssid: 'Shop',
      band: '2.4',
      bands: ['2.4', '5'],
      signalDbm: -51,
      ipv4: {
        method: 'dhcp',
        address: '192.168.1.20',
        netmask: '255.255.255.0',
        gateway: '192.168.1.1',
        dns: '192.168.1.1',
      },
      lan: { gateway: false, others: false },
      mac: '02:00:00:00:00:01',
      hostname: 'node-0a1b2c3d.local',
      custodyHold: false,
    });
  });

  it('tells of setup mode, without the key of its network', async () => {
    const node = await startNetworkNode();
    await until(() => node.radio.is('setup'));
    const { body } = await node.get('/network');
    expect(body).toMatchObject({ mode: 'setup', ssid: node.radio.setup?.ssid, ipv4: { address: '127.0.0.1' } });
    expect(JSON.stringify(body)).not.toContain(node.radio.setup?.password);
  });

  it('is the same on somebody’s own computer, where nothing is changed', async () => {
    const radio = cabled();
    const node = await startNetworkNode({ radio, appliance: false });
    expect((await node.get('/network')).body).toMatchObject({ mode: 'ethernet', ipv4: { address: '192.168.1.20' } });
    expect(radio.calls).toEqual([]);
  });

  it.each([
    ['there is no network manager', { unmanaged: true }],
    [
      'it cannot be asked',
      { radio: Object.assign(new TestRadio(), { read: () => Promise.reject(new RadioError('unmanaged')) }) },
    ],
  ])('tells what the kernel knows where %s', async (_, options) => {
    const node = await startNetworkNode({ ...options, appliance: false });
    expect((await node.get('/network')).body).toMatchObject({ mode: 'offline', mac: '', ipv4: NO_IPV4 });
    node.links.set([{ ...LINK, addresses: LINK.addresses.slice(0, 2) }]);
    expect((await node.get('/network')).body).toMatchObject({ mode: 'offline', mac: LINK.mac });
    node.links.set([LINK]);
    expect((await node.get('/network')).body).toMatchObject({
      mode: 'ethernet',
      mac: LINK.mac,
      ipv4: { ...NO_IPV4, address: '10.1.2.3', netmask: '255.255.240.0' },
    });
  });

  it('goes by the name that the node is announced under', async () => {
    const node = await startNetworkNode();
    node.kernel.listening.set('mdns', 'node-0a1b2c3d-2.local');
    expect((await node.get('/network')).body['hostname']).toBe('node-0a1b2c3d-2.local');
  });
});
