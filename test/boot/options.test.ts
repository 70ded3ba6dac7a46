/** Where a node listens: on every address there is, IPv4 and IPv6, unless it is told otherwise. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { variants } from '../../build.config.ts';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { listenable, parseOptions } from '../../runtime/boot/options.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { wifiPlugins } from '../plugins.ts';

it('the listen address of every variant for a shop is every address by default, and the twin’s is loopback', () => {
  const hosts = Object.entries(variants).map(([name, { defaults }]) => [name, parseOptions([], defaults).host]);
  expect(Object.fromEntries(hosts)).toEqual({ wifi: '::', 'station-hub': '::', camera: '::', twin: '127.0.0.1' });
});

it.each([
  ['::', true, '::'],
  ['::', false, '0.0.0.0'],
  ['::1', false, '::1'],
  ['0.0.0.0', true, '0.0.0.0'],
])('the listen address for %s with IPv6 %s is %s', (host, hasIpv6, expected) => {
  expect(listenable(host, hasIpv6)).toBe(expected);
});

it('on every address are both the HTTP front and port 9100, over IPv4 and IPv6', async () => {
  const node = await startTestNode({
    plugins: wifiPlugins,
    devices: { printer: () => new VirtualPrinter() },
    run: { host: '::' },
  });
  onTestFinished(() => node.stop());
  const { port } = new URL(node.url);
  const raw = Number(node.raw?.split(':').at(-1));
  for (const address of ['127.0.0.1', '::1']) {
    const authority = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
    expect((await fetch(`http://${authority}/status`)).status).toBe(200);
    const socket = connect(raw, address);
    await once(socket, 'connect');
    socket.resume().end();
    await once(socket, 'close');
  }
  expect(await node.works()).toBe(true);
});

it('a node waits at the start for the ports that it cannot do without, and for those that were named', () => {
  const { defaults } = variants['twin']!;
  const needed = (...args: string[]) => parseOptions(args, defaults).needed;
  expect(needed('--raw-port', '0')).toEqual([['raw-port', 0]]);
  expect(needed('--ipp-port', '8632')).toEqual([
    ['raw-port', 9100],
    ['ipp-port', 8632],
  ]);
});
