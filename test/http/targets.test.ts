import { describe, expect, it } from 'vitest';
import { VirtualLinks } from '../../runtime/bindings/virtual/links.ts';
import { targetsOf } from '../../runtime/http/targets.ts';

type Parts = Parameters<typeof targetsOf>[0];
const run = { host: '0.0.0.0', port: 80, ports: {}, appliance: false };

/** A node with these links and ports, which can change. */
function aNode() {
  const links = new VirtualLinks();
  links.set([
    {
      name: 'eth0',
      mac: '02:00:00:00:00:01',
      addresses: [
        { family: 4, address: '192.168.7.20', prefix: 22 },
        { family: 6, address: 'fe80::7', prefix: 64, scope: 2 },
        { family: 6, address: '2001:db8::7', prefix: 64 },
      ],
    },
    { name: 'lan1', mac: '', addresses: [{ family: 4, address: '10.8.8.8', prefix: 31 }] },
    { name: 'ppp0', mac: '02:00:00:00:00:02', addresses: [{ family: 4, address: '10.9.9.9', prefix: 32 }] },
  ]);
  const listening = new Map([
    ['http', '0.0.0.0:8080'],
    ['raw', '[::]:9100'],
  ]);
  return { links, listening, refuses: targetsOf({ bindings: { links }, listening, run } as unknown as Parts) };
}
const { refuses } = aNode();

describe('a target', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '0.255.255.255',
    '224.0.0.251',
    '239.255.255.250',
    '255.255.255.255',
    '192.168.7.255',
    '169.254.169.254',
    '::',
    'ff02::fb',
    'ff0e::1',
    'ffff::1',
    '::ffff:0.0.0.0',
    '::ffff:224.0.0.1',
    '::ffff:255.255.255.255',
    '::ffff:192.168.7.255',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    'fe80::a9fe:a9fe',
    'fe80::a9fe:a9fe%eth0',
    'fd00:ec2::254',
  ])('that no receiver is at is refused on every port: %s', (address) => {
    expect([1, 443, 8080, 50_000].map((port) => refuses(address, port))).toEqual([true, true, true, true]);
  });

  it.each([
    '127.0.0.1',
    '127.200.3.4',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '192.168.7.20',
    '::ffff:192.168.7.20',
    '10.9.9.9',
    'fe80::7',
    'fe80::7%eth0',
    '2001:db8::7',
    '2001:0db8:0:0::0007',
  ])('that is the node itself is refused on the ports it serves, and on no other: %s', (address) => {
    expect([80, 8080, 9100].map((port) => refuses(address, port))).toEqual([true, true, true]);
    expect([81, 808, 910, 443, 50_000].map((port) => refuses(address, port))).toEqual(Array(5).fill(false));
  });

  it.each([
    '192.168.7.21',
    '10.8.8.9',
    '10.9.9.8',
    '10.9.9.255',
    '169.254.1.1',
    '8.8.8.8',
    '2001:db8::8',
    'fe80::8',
    '240.0.0.1',
  ])('that is somebody else is not refused: %s', (address) => {
    expect([80, 9100, 443].map((port) => refuses(address, port))).toEqual([false, false, false]);
  });

  it('on port 0 is refused, which Node would read as the scheme’s own', () => {
    expect(refuses('8.8.8.8', 0)).toBe(true);
  });

  it('is the node itself where the connection ends at the address it began at', () => {
    expect(refuses('10.44.0.1', 9100, '10.44.0.1')).toBe(true);
    expect(refuses('10.44.0.1', 9101, '10.44.0.1')).toBe(false);
    expect(refuses('10.44.0.1', 9100, '10.44.0.2')).toBe(false);
  });

  it('is checked against the ports and addresses of that moment', () => {
    const { links, listening, refuses } = aNode();
    expect([refuses('127.0.0.1', 7777), refuses('192.168.7.30', 8080)]).toEqual([false, false]);
    listening.set('portal', '10.42.0.1:7777');
    links.set([{ name: 'eth0', mac: '', addresses: [{ family: 4, address: '192.168.7.30', prefix: 24 }] }]);
    expect([refuses('127.0.0.1', 7777), refuses('192.168.7.30', 8080)]).toEqual([true, true]);
  });
});
