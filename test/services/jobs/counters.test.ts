/** What each device has done: since the start of the node, and in all. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { withEndpoints } from '../../../runtime/kernel/composition.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import type { JobsStatus } from '../../../runtime/services/jobs/contract.ts';
import { Counters } from '../../../runtime/services/jobs/counters.ts';
import { startPrintingNode, until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';
import { newest } from './node.ts';

const LINES = [{ type: 'text', value: 'x' }, { type: 'cut' }];
const ZEROS = { receipts: 0, cuts: 0, kicks: 0 };

type Status = { readonly counters: JobsStatus['counters'] };

async function start(storage = new VirtualStorage(), printer = new VirtualPrinter({ serial: 'A' })) {
  const node = await startTestNode({ plugins: wifiPlugins, storage, devices: { printer: () => printer } });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(node.url + path, { method, ...(body && { body: JSON.stringify(body) }) });
    return (await response.json()) as Record<string, unknown>;
  };
  const counters = async () => ((await ask('GET', '/status')) as unknown as Status).counters;
  await until(async () => (await counters()).length > 0);
  const print = () => ask('POST', '/print', { type: 'print', id: 'p', endpoint: 'receipt', lines: LINES });
  return { ...node, storage, printer, ask, counters, print };
}

describe('the counters of a device', () => {
  it('are receipts, cuts and drawer pulses of a printer, by whatever way they come', async () => {
    const node = await startPrintingNode();
    onTestFinished(() => node.stop());
    const counters = async () => (await node.get<Status>('/status')).body.counters;
    expect(await counters()).toEqual([{ endpoint: 'receipt', sinceStart: ZEROS, total: ZEROS }]);
    await node.print([...LINES, ...LINES]);
    await node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: 'receipt' });
    const cut = Buffer.from('\x1dV\0').toString('base64');
    await node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data: cut });
    expect((await counters())[0]?.sinceStart).toEqual({ receipts: 1, cuts: 3, kicks: 1 });
    for (const job of ['one\n', 'two\n\x1dVB\0three\n\x1di\x1bi', '\x1bp\0\x19\xfa']) {
      const socket = await node.dial();
      socket.end(Buffer.from(job, 'latin1'));
      await new Promise((resolve) => socket.resume().once('end', resolve));
    }
    await until(async () => (await counters())[0]?.sinceStart.receipts === 4);
    expect((await counters())[0]).toEqual({
      endpoint: 'receipt',
      sinceStart: { receipts: 4, cuts: 5, kicks: 1 },
      total: { receipts: 4, cuts: 5, kicks: 1 },
    });
  });

  it('are those of each printer by itself where there are several, and so is the endpoint of a job', async () => {
    const node = await startPrintingNode(
      { serial: 'R' },
      withEndpoints(wifiPlugins, { printer: ['receipt', 'kitchen'] }),
    );
    onTestFinished(() => node.stop());
    node.bench.usb.plug(new VirtualPrinter({ serial: 'K' }));
    await until(() => node.kernel.endpoint('kitchen')?.condition === 'bound');
    await node.print(LINES, { endpoint: 'kitchen' });
    expect(await newest(node)).toMatchObject({ endpoint: 'kitchen', outcome: 'accepted' });
    const { counters } = (await node.get<Status>('/status')).body;
    expect(counters.map(({ endpoint, total }) => [endpoint, total.receipts])).toEqual([
      ['receipt', 0],
      ['kitchen', 1],
    ]);
  });

  it('are accepted reads of a scanner', async () => {
    const { bench, kernel, counters, stop } = await start();
    onTestFinished(stop);
    const scanner = new VirtualWedgeScanner();
    bench.usb.plug(scanner);
    await kernel.hotplug.settled();
    scanner.scan('4006381333931');
    const scans = async () => (await counters()).find(({ endpoint }) => endpoint === 'scanner');
    await until(async () => (await scans())?.total.scans === 1);
    expect(await scans()).toEqual({ endpoint: 'scanner', sinceStart: { scans: 1 }, total: { scans: 1 } });
  });

  it('count nothing that failed', async () => {
    const { bench, kernel, printer, print, counters, stop } = await start();
    onTestFinished(stop);
    await print();
    bench.usb.unplug(printer);
    await kernel.hotplug.settled();
    await print();
    expect((await counters())[0]?.total).toEqual({ receipts: 1, cuts: 1, kicks: 0 });
  });

  it('are kept when the node is stopped, and are those of the device that is plugged in', async () => {
    const before = await start();
    await before.print();
    await before.stop();
    const after = await start(before.storage);
    onTestFinished(after.stop);
    const kept = { receipts: 1, cuts: 1, kicks: 0 };
    expect(await after.counters()).toEqual([{ endpoint: 'receipt', sinceStart: ZEROS, total: kept }]);
    await after.print();
    after.bench.usb.unplug(after.printer);
    after.bench.usb.plug(new VirtualPrinter({ serial: 'B' }));
    await until(async () => (await after.counters())[0]?.total.receipts === 0);
    after.bench.usb.plug(after.printer);
  });

  it('are not written where nothing was counted, and begin anew where what was kept is damaged', async () => {
    const storage = new VirtualStorage();
    await (await start(storage)).stop();
    expect(await storage.read('counters')).toBeUndefined();
    await storage.write('counters', Buffer.from('{"devices":7}'));
    const { counters, stop } = await start(storage);
    onTestFinished(stop);
    expect(await counters()).toEqual([{ endpoint: 'receipt', sinceStart: ZEROS, total: ZEROS }]);
  });
});

describe('the disk', () => {
  const DAY = 86_400_000;
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };

  it('is written once a day at most, after some hours of running, and only where something was counted', async () => {
    const storage = new VirtualStorage();
    const counters = new Counters();
    expect(counters.isDue(DAY)).toBe(false);
    counters.count('receipt', 'receipts');
    expect([counters.isDue(60_000), counters.isDue(DAY)]).toEqual([false, true]);
    await counters.store({ bindings: { storage }, log: quiet } as unknown as Parameters<Counters['store']>[0]);
    counters.count('receipt', 'receipts');
    const now = Date.now();
    expect([counters.isDue(DAY, now + DAY / 2), counters.isDue(DAY, now + DAY + 1000)]).toEqual([false, true]);
    // The clock was wrong when they were stored.
    expect(counters.isDue(DAY, now - 2 * DAY)).toBe(true);
  });
});
