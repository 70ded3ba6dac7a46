import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../runtime/base/loopback.ts';
import { broadcastOf, contains } from '../../../runtime/bindings/ipv4.ts';
import type { NetworkLink } from '../../../runtime/bindings/network.ts';
import { servedLinks } from '../../../runtime/bindings/served-links.ts';
import { subnetsOf } from '../../../runtime/services/peers/subnets.ts';
import { PeerTable } from '../../../runtime/services/peers/table.ts';
import { beaconOf } from './air.ts';

const NOW = 1_000_000;
const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

/** As the socket does it. True where the datagram was read. */
function hear(table: PeerTable, from: string, now: number, name = ''): boolean {
  if (!table.admits(from, now)) return false;
  table.hear(from, beaconOf('0000000b', { name }), now);
  return true;
}

describe('a peer', () => {
  it('lives 15 seconds after its last beacon', () => {
    const table = new PeerTable();
    hear(table, '10.0.0.1', NOW);
    hear(table, '10.0.0.1', NOW + 5000);
    expect(table.list(NOW + 5000 + 14_999)).toMatchObject([{ address: '10.0.0.1', ageMs: 14_999 }]);
    expect(table.list(NOW + 5000 + 15_000)).toEqual([]);
  });

  it('is keyed by its address: two of one id are two, a new id on the address takes its place', () => {
    const table = new PeerTable();
    hear(table, '10.0.0.1', NOW);
    hear(table, '10.0.0.2', NOW);
    table.admits('10.0.0.2', NOW + 5000);
    table.hear('10.0.0.2', beaconOf('0000000c'), NOW + 5000);
    expect(table.list(NOW + 5000).map(({ id, address: from }) => [id, from])).toEqual([
      ['0000000b', '10.0.0.1'],
      ['0000000c', '10.0.0.2'],
    ]);
  });

  it('is listed in the order of the addresses, as numbers', () => {
    const table = new PeerTable();
    const addresses = ['10.0.0.9', '10.0.0.10', '10.0.1.1', '192.168.0.1'];
    for (const from of addresses.toReversed()) hear(table, from, NOW);
    expect(table.list(NOW).map(({ address: from }) => from)).toEqual(addresses);
  });

  it('is read once a second, even where what it sends is no beacon', () => {
    const table = new PeerTable();
    hear(table, '10.0.0.1', NOW, 'first');
    expect(table.admits('10.0.0.1', NOW + 999)).toBe(false);
    expect(table.admits('10.0.0.1', NOW + 1000)).toBe(true);
    expect(table.admits('10.0.0.1', NOW + 1001)).toBe(false);
    expect(hear(table, '10.0.0.1', NOW + 2000, 'second')).toBe(true);
    expect(table.list(NOW + 2000)[0]?.name).toBe('second');
  });
});

describe('a flood', () => {
  it('of 10,000 invented sources hides no node, be it listed or new', () => {
    const table = new PeerTable();
    for (let index = 0; index < 10; index += 1) hear(table, `192.168.1.${index}`, NOW, 'real');
    let now = NOW;
    for (let index = 0; index < 10_000; index += 1) {
      now += 1;
      hear(table, address(index), now);
      if (now % 5000 === 0) for (let real = 0; real < 20; real += 1) hear(table, `192.168.1.${real}`, now, 'real');
    }
    const peers = table.list(now);
    expect(peers.filter(({ name }) => name === 'real')).toHaveLength(20);
  });

  it('takes 16,384 seats at most, and none that is taken; it leaves them 15 seconds after it ended', () => {
    const table = new PeerTable();
    hear(table, '192.168.1.1', NOW, 'real');
    for (let index = 0; index < 20_000; index += 1) hear(table, address(index), NOW + index / 4);
    expect(table.size).toBe(16_384);
    expect(hear(table, '192.168.1.1', NOW + 5000, 'real')).toBe(true);
    expect(hear(table, '192.168.1.2', NOW + 5000)).toBe(false);
    const later = NOW + 5000 + 15_000;
    table.forget(later);
    expect(hear(table, '192.168.1.2', later)).toBe(true);
    expect(table.list(later)).toHaveLength(1);
  });

  it('of datagrams that are no beacons is read 8 times a second of each source, 8,192 times in all', () => {
    const table = new PeerTable();
    let read = 0;
    for (let index = 0; index < 60_000; index += 1) if (table.admits(address(index), NOW + index / 60)) read += 1;
    expect(read).toBeLessThanOrEqual(8192);
    read = 0;
    for (let index = 0; index < 60_000; index += 1) if (table.admits('10.0.0.1', NOW + 2000 + index / 60)) read += 1;
    expect(read).toBe(8);
    // The others on a network of 16 bits are not in its way.
    expect(hear(table, '10.0.0.2', NOW + 2999)).toBe(true);
  });

  it('of them is read on in the next second, as much', () => {
    const table = new PeerTable();
    const read = (now: number) =>
      Array.from({ length: 10_000 }, (_, index) => table.admits(address(index), now)).filter(Boolean).length;
    expect([NOW, NOW + 999, NOW + 1000, NOW + 1999, NOW + 2000].map(read)).toEqual([8192, 0, 8192, 0, 8192]);
  });
});

const link = (name: string, ...cidrs: string[]): NetworkLink => ({
  name,
  mac: '',
  addresses: cidrs.map((cidr) => {
    const [at = '', prefix = ''] = cidr.split('/');
    return { family: at.includes(':') ? 6 : 4, address: at, prefix: Number(prefix) };
  }),
});

describe('the links', () => {
  it.each([
    ['192.168.1.20/24', '192.168.1.255'],
    ['192.168.1.20/25', '192.168.1.127'],
    ['10.1.2.3/8', '10.255.255.255'],
    ['172.16.5.5/20', '172.16.15.255'],
    ['169.254.7.9/16', '169.254.255.255'],
    ['203.0.113.9/30', '203.0.113.11'],
    ['130.0.0.1/1', '255.255.255.255'],
  ])('with the address %s are told at %s', (cidr, broadcast) => {
    expect(subnetsOf([link('lan0', cidr)]).map(broadcastOf)).toEqual([broadcast]);
  });

  it('without a broadcast address are told nothing', () => {
    expect(subnetsOf([link('lan0', 'fe80::1/64', '192.0.2.1/32', '192.0.2.2/31', '192.0.2.3/0')])).toEqual([]);
  });

  it('on one network count once', () => {
    const links = [link('lan0', '192.168.1.20/24', '10.0.0.1/8'), link('wlan0', '192.168.1.21/24')];
    expect(subnetsOf(links).map(broadcastOf)).toEqual(['192.168.1.255', '10.255.255.255']);
  });

  it.each([
    ['192.168.1.128', true],
    ['192.168.1.191', true],
    ['192.168.1.127', false],
    ['192.168.1.192', false],
    ['10.168.1.130', false],
  ])('tell whether 192.168.1.130/26 has %s: %s', (from, on) => {
    expect(subnetsOf([link('lan0', '192.168.1.130/26')]).some((subnet) => contains(subnet, from))).toBe(on);
  });

  it('are all of them, or the one with the address the node listens on', () => {
    const links = [link('lan0', '192.168.1.20/24', 'fe80::1/64'), link('wlan0', '10.0.0.1/8')];
    const names = (host: string) => servedLinks(host, links).map(({ name }) => name);
    expect(names('0.0.0.0')).toEqual(['lan0', 'wlan0']);
    expect(names('::')).toEqual(['lan0', 'wlan0']);
    expect(names('10.0.0.1')).toEqual(['wlan0']);
    expect(names('fe80::1')).toEqual(['lan0']);
    expect(names('192.168.1.21')).toEqual([]);
  });

  it('do not count loopback', () => {
    expect(['127.0.0.1', '127.1.2.3', 'localhost', '::1'].map(isLoopback)).toEqual([true, true, true, true]);
    expect(['0.0.0.0', '::', '192.168.1.20', '12.7.0.1'].map(isLoopback)).toEqual([false, false, false, false]);
  });
});
