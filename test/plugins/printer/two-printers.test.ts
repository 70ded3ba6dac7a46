/** A node with two printers: each endpoint has its own, prints on it, kicks its drawer, loses it and finds it again. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter, type VirtualPrinterOptions } from '../../../plugins/printer/virtual/device.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { withEndpoints } from '../../../runtime/kernel/composition.ts';
import { OptionError } from '../../../runtime/kernel/errors.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';

const plugins = withEndpoints(wifiPlugins, { printer: ['receipt', 'kitchen'] });
const ALIKE = { vendorId: 0x0416, productId: 0x5011 } as const;

interface Peripheral {
  readonly endpoint: string;
  readonly condition: string;
  readonly knownBy?: string;
  readonly replaces?: { readonly serial: string; readonly port: string };
  readonly device?: { readonly port: string };
}

/** Each with the port that it is plugged into. */
type Plugged = readonly (readonly [printer: VirtualPrinter, port: string])[];

async function start(plugged: Plugged, storage = new VirtualStorage()) {
  const node: TestNode = await startTestNode({ plugins, storage });
  onTestFinished(node.stop);
  const settled = async () => {
    await Promise.resolve();
    await node.kernel.hotplug.settled();
  };
  const plug = async (...devices: Plugged) => {
    for (const [printer, port] of devices) node.bench.usb.plug(printer, port);
    await settled();
  };
  const unplug = async (...printers: readonly VirtualPrinter[]) => {
    for (const printer of printers) node.bench.usb.unplug(printer);
    await settled();
  };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${node.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
  };
  const print = (endpoint: string, value: string) =>
    post('/print', { type: 'print', id: value, endpoint, lines: [{ type: 'text', value }] });
  const status = async () => {
    const { peripherals, printers } = (await (await fetch(`${node.url}/status`)).json()) as {
      peripherals: Peripheral[];
      printers: { endpoint: string; condition: string; paperOut: boolean; rawPort?: number }[];
    };
    return { peripherals: peripherals.filter(({ endpoint }) => /receipt|kitchen/.test(endpoint)), printers };
  };
  await plug(...plugged);
  return { ...node, plug, unplug, post, print, status };
}

const pair = (receipt: VirtualPrinterOptions = { serial: 'R1' }, kitchen: VirtualPrinterOptions = { serial: 'K1' }) =>
  [new VirtualPrinter(receipt), new VirtualPrinter(kitchen)] as const;

describe('two printers', () => {
  it('print each what is sent to it, and kick each its own drawer', async () => {
    const [receipt, kitchen] = pair();
    const { print, post } = await start([
      [receipt, '1-1'],
      [kitchen, '1-2'],
    ]);
    expect(await print('receipt', 'Total 3,80')).toMatchObject({ status: 200, endpoint: 'receipt' });
    expect(await print('kitchen', 'Two soups')).toMatchObject({ status: 200, endpoint: 'kitchen' });
    expect(receipt.paperText()).toContain('Total 3,80');
    expect(receipt.paperText()).not.toContain('soups');
    expect(kitchen.paperText()).toContain('Two soups');
    await post('/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: 'kitchen' });
    expect([receipt.pulses.length, kitchen.pulses.length]).toEqual([0, 1]);
  });

  it('have each the port that GET /status names, while it listens', async () => {
    const [receipt, kitchen] = pair();
    const { status, unplug, kernel } = await start([
      [receipt, '1-1'],
      [kitchen, '1-2'],
    ]);
    const ports = ['raw', 'raw:kitchen'].map((name) => Number(kernel.listening.get(name)?.split(':').at(-1)));
    expect((await status()).printers.map(({ rawPort }) => rawPort)).toEqual(ports);
    await unplug(kitchen);
    expect((await status()).printers.map(({ rawPort }) => rawPort)).toEqual([ports[0], undefined]);
  });

  it.each([
    [
      { ports: { raw: 65_535 } },
      '--raw-port 65535: each printer has the port after that of the one before, and kitchen has none after 65535',
    ],
    [
      { port: 9101, ports: { raw: 9100 } },
      '--raw-port 9100 gives the endpoint kitchen port 9101, which is that of --port',
    ],
  ])('do not start with %j, which leaves one without a port', async (run, message) => {
    await expect(startTestNode({ plugins, run })).rejects.toThrow(new OptionError(message));
  });

  it('are lost and found each by itself', async () => {
    const [receipt, kitchen] = pair();
    const { print, status, plug, unplug } = await start([
      [receipt, '1-1'],
      [kitchen, '1-2'],
    ]);
    await unplug(kitchen);
    expect((await status()).printers).toMatchObject([
      { endpoint: 'receipt', condition: 'bound' },
      { endpoint: 'kitchen', condition: 'gone' },
    ]);
    expect(await print('kitchen', 'lost')).toMatchObject({ status: 409, error: 'no_printer' });
    expect(await print('receipt', 'stays')).toMatchObject({ status: 200 });
    await plug([kitchen, '1-3']);
    expect(await print('kitchen', 'found')).toMatchObject({ status: 200 });
    expect(kitchen.paperText()).toContain('found');
    expect(receipt.paperText()).not.toContain('lost');
  });

  it('have a port each, the second beside the first, open while its own printer is bound', async () => {
    const [receipt, kitchen] = pair();
    const { kernel, unplug } = await start([
      [receipt, '1-1'],
      [kitchen, '1-2'],
    ]);
    const send = async (name: string, text: string) => {
      await until(() => kernel.listening.has(name));
      const [host = '', port = ''] = (kernel.listening.get(name) ?? '').split(':');
      const socket = connect({ host, port: Number(port) });
      socket.resume();
      socket.end(text);
      await once(socket, 'close');
    };
    await send('raw:kitchen', 'for the kitchen\n');
    await send('raw', 'for the guest\n');
    expect(kitchen.paperText()).toContain('for the kitchen');
    expect(receipt.paperText()).toContain('for the guest');
    expect(receipt.paperText()).not.toContain('kitchen');
    await unplug(kitchen);
    expect([kernel.listening.has('raw'), kernel.listening.has('raw:kitchen')]).toEqual([true, false]);
  });

  it('tell each its own state', async () => {
    const [receipt, kitchen] = pair();
    const { status, print } = await start([
      [receipt, '1-1'],
      [kitchen, '1-2'],
    ]);
    kitchen.set({ paper: 'out' });
    await print('receipt', 'x');
    await until(async () => (await status()).printers[1]?.paperOut === true);
    expect((await status()).printers[0]?.paperOut).toBe(false);
  });
});

describe('a printer goes back to the endpoint it had', () => {
  const bound = ({ peripherals }: { peripherals: Peripheral[] }) =>
    peripherals.map(({ condition, knownBy, device }) => [condition, knownBy, condition === 'bound' && device?.port]);

  it('by its serial number, whatever the port and the order', async () => {
    const storage = new VirtualStorage();
    const first = await start(
      [...pair()].map((printer, n) => [printer, `1-${n + 1}`] as const),
      storage,
    );
    await first.stop();
    const [receipt, kitchen] = pair();
    const { status } = await start(
      [
        [kitchen, '1-1'],
        [receipt, '1-4'],
      ],
      storage,
    );
    expect(bound(await status())).toEqual([
      ['bound', 'serial', '1-4'],
      ['bound', 'serial', '1-1'],
    ]);
  });

  it.each([
    ['it has no serial number', ALIKE],
    ['both have the same serial number', { serial: '00000000' }],
  ])('by its port where %s, and says so', async (_, options) => {
    const storage = new VirtualStorage();
    const first = await start(
      pair(options, options).map((printer, n) => [printer, `1-${n + 1}`] as const),
      storage,
    );
    expect(bound(await first.status())).toEqual([
      ['bound', 'port', '1-1'],
      ['bound', 'port', '1-2'],
    ]);
    await first.stop();
    const [receipt, kitchen] = pair(options, options);
    const { status, print } = await start(
      [
        [kitchen, '1-2'],
        [receipt, '1-1'],
      ],
      storage,
    );
    await print('kitchen', 'Two soups');
    expect(kitchen.paperText()).toContain('Two soups');
    expect(bound(await status())).toEqual([
      ['bound', 'port', '1-1'],
      ['bound', 'port', '1-2'],
    ]);
  });

  describe.each([
    ['no serial number', ALIKE],
    ['the same serial number', { serial: '00000000' }],
  ])('where both have %s, also when it comes alone', (_, options) => {
    const alone = [
      ['gone', undefined, false],
      ['bound', 'port', '1-2'],
    ];

    it('while the node runs, and the other finds its own after it', async () => {
      const [receipt, kitchen] = pair(options, options);
      const { status, print, plug, unplug } = await start([
        [receipt, '1-1'],
        [kitchen, '1-2'],
      ]);
      await unplug(receipt, kitchen);
      await plug([kitchen, '1-2']);
      expect(bound(await status())).toEqual(alone);
      expect(await print('receipt', 'Total 3,80')).toMatchObject({ status: 409, error: 'no_printer' });
      await plug([receipt, '1-1']);
      await print('receipt', 'Total 3,80');
      expect(receipt.paperText()).toContain('Total 3,80');
      expect(kitchen.paperText()).toBe('');
    });

    it('after a restart', async () => {
      const storage = new VirtualStorage();
      const [receipt, kitchen] = pair(options, options);
      const before = await start(
        [
          [receipt, '1-1'],
          [kitchen, '1-2'],
        ],
        storage,
      );
      await before.stop();
      for (const printer of [receipt, kitchen]) before.bench.usb.unplug(printer);
      const { status, plug } = await start([[kitchen, '1-2']], storage);
      expect(bound(await status())).toEqual([['never_seen', undefined, false], alone[1]]);
      await plug([receipt, '1-1']);
      expect(bound(await status())).toEqual([['bound', 'port', '1-1'], alone[1]]);
    });
  });

  it('and the status says that a serial number is no longer enough when a second printer with it comes', async () => {
    const [receipt, kitchen] = pair({ serial: '00000000' }, { serial: '00000000' });
    const { status, plug } = await start([[receipt, '1-1']]);
    expect(bound(await status())[0]).toEqual(['bound', 'serial', '1-1']);
    await plug([kitchen, '1-2']);
    expect(bound(await status())).toEqual([
      ['bound', 'port', '1-1'],
      ['bound', 'port', '1-2'],
    ]);
  });

  it('never to the one of its neighbour, though that is free', async () => {
    const [receipt, kitchen] = pair();
    const { status, plug, unplug } = await start([
      [receipt, '1-1'],
      [kitchen, '1-2'],
    ]);
    await unplug(receipt, kitchen);
    await plug([kitchen, '1-1']);
    expect(bound(await status())).toEqual([
      ['gone', undefined, false],
      ['bound', 'serial', '1-1'],
    ]);
  });

  it('and another takes the place of one that is not there', async () => {
    const [receipt, kitchen] = pair();
    const { status, plug, unplug } = await start([
      [receipt, '1-1'],
      [kitchen, '1-2'],
    ]);
    await unplug(receipt);
    await plug([new VirtualPrinter({ serial: 'NEW' }), '1-5']);
    expect(bound(await status())[0]).toEqual(['bound', 'serial', '1-5']);
  });

  it('and after a restart a strange one takes the place of one that did not appear, which the status names', async () => {
    const storage = new VirtualStorage();
    const [receipt, kitchen] = pair();
    const before = await start(
      [
        [receipt, '1-1'],
        [kitchen, '1-2'],
      ],
      storage,
    );
    await before.stop();
    for (const printer of [receipt, kitchen]) before.bench.usb.unplug(printer);
    const fresh = new VirtualPrinter({ serial: 'NEW' });
    const { status, print } = await start(
      [
        [fresh, '1-5'],
        [receipt, '1-1'],
      ],
      storage,
    );
    await until(async () => (await status()).peripherals[1]?.device?.port === '1-5');
    const { peripherals } = await status();
    expect(peripherals.map(({ device, replaces }) => [device?.port, replaces])).toEqual([
      ['1-1', undefined],
      ['1-5', expect.objectContaining({ serial: 'K1', port: '1-2' })],
    ]);
    await print('kitchen', 'Two soups');
    expect(fresh.paperText()).toContain('Two soups');
  });

  it('that nothing tells apart, one stopped in the middle of an image: under the next node it prints the next job whole', async () => {
    const storage = new VirtualStorage();
    const [receipt, kitchen] = pair({ ...ALIKE, keepsPower: true }, { ...ALIKE, keepsPower: true });
    const node = await start(
      [
        [receipt, '1-1'],
        [kitchen, '1-2'],
      ],
      storage,
    );
    receipt.set({ slow: 4000 });
    const raster = { type: 'raster', width: 576, height: 1000, data: Buffer.alloc(72_000).toString('base64') };
    const answer = node.post('/print', { type: 'print', id: 'image', endpoint: 'receipt', lines: [raster] });
    await until(() => receipt.paperBytes().length > 100);
    await node.stop();
    expect(await answer).toMatchObject({ error: 'write_failed' });
    for (const printer of [receipt, kitchen]) node.bench.usb.unplug(printer);
    receipt.set({ slow: 0 });
    const later = await start(
      [
        [kitchen, '1-2'],
        [receipt, '1-1'],
      ],
      storage,
    );
    expect(await later.print('receipt', 'whole again')).toMatchObject({ status: 200 });
    expect(receipt.paperText()).toContain('whole again');
    expect(kitchen.paperText()).toBe('');
  });
});
