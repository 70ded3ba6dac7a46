/** What printers may still wait for outlives the process; a record that cannot be read is none. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrinterMemory } from '../../../../plugins/printer/jobs/memory.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import type { UsbIdentity } from '../../../../runtime/bindings/usb.ts';
import { VirtualStorage } from '../../../../runtime/bindings/virtual/storage.ts';
import { startTestNode, type TestNode } from '../../../../runtime/node/testing.ts';
import { wifiPlugins } from '../../../plugins.ts';
import { plugIn } from '../on-the-bus.ts';

const PAYLOADS = 'printer.owed';
const MACROS = 'printer.macros';
let node: TestNode;
let storage: VirtualStorage;
beforeEach(() => {
  storage = new VirtualStorage();
});
afterEach(() => node.stop());
const start = async (devices = {}) => {
  node = await startTestNode({ plugins: wifiPlugins, storage, devices });
};
const loaded = async (endpoints?: readonly string[]) => {
  const memory = new PrinterMemory(node.kernel, endpoints);
  await memory.load();
  return memory;
};
const identity = async (serial: string, ids: object = {}): Promise<UsbIdentity> => ({
  ...(await plugIn(new VirtualPrinter({ serial }))).device.identity,
  ...ids,
});

describe('an interrupted payload', () => {
  it('is that of one printer: of its vendor, its product and its serial number', async () => {
    await start();
    const memory = await loaded();
    const owing = await identity('A');
    await memory.setExpectedBytes(owing, 77);
    for (const known of [memory, await loaded()]) {
      expect(known.expectedBytes({ ...owing, port: '9-9' })).toBe(77);
      expect(known.expectedBytes(await identity('B'))).toBe(0);
      expect(known.expectedBytes({ ...owing, vendorId: 'ffff' })).toBe(0);
      expect(known.expectedBytes({ ...owing, productId: 'ffff' })).toBe(0);
    }
    await memory.setExpectedBytes(await identity('B'), 0);
    expect(memory.expectedBytes(owing)).toBe(77);
    await memory.setExpectedBytes(owing, 0);
    expect([memory.expectedBytes(owing), await storage.read(PAYLOADS)]).toEqual([0, undefined]);
  });

  it('that the image before an update stored is known after it', async () => {
    const of = await identity('A');
    const { vendorId, productId, serial } = of;
    await storage.write('printer.owed', Buffer.from(JSON.stringify([{ vendorId, productId, serial, bytes: 77 }])));
    await start();
    expect((await loaded()).expectedBytes(of)).toBe(77);
  });

  it('of one of two printers that nothing tells apart is not settled by the other', async () => {
    await start();
    const memory = await loaded();
    const alike = await identity('');
    await memory.setExpectedBytes(alike, 77, 'receipt');
    await memory.setExpectedBytes(alike, 0, 'kitchen');
    for (const known of [memory, await loaded()])
      expect([known.expectedBytes(alike, 'receipt'), known.expectedBytes(alike, 'kitchen')]).toEqual([77, 0]);
  });

  const ENDPOINTS = ['receipt', 'kitchen'];

  it('that an image with one printer stored is known at each endpoint of an image with two, until it is completed there', async () => {
    await start();
    const alike = await identity('');
    await (await loaded()).setExpectedBytes(alike, 77);
    const two = await loaded(ENDPOINTS);
    expect(ENDPOINTS.map((endpoint) => two.expectedBytes(alike, endpoint))).toEqual([77, 77]);
    await two.setExpectedBytes(alike, 0, 'kitchen');
    for (const known of [two, await loaded(ENDPOINTS)])
      expect(ENDPOINTS.map((endpoint) => known.expectedBytes(alike, endpoint))).toEqual([77, 0]);
    await two.setExpectedBytes(alike, 0, 'receipt');
    expect([two.expectedBytes(alike, 'receipt'), await storage.read(PAYLOADS)]).toEqual([0, undefined]);
  });

  it('that an image with two printers stored is known to an image with one', async () => {
    await start();
    const alike = await identity('');
    const two = await loaded(ENDPOINTS);
    await two.setExpectedBytes(alike, 99, 'kitchen');
    await two.setExpectedBytes(alike, 77, 'receipt');
    const one = await loaded();
    expect(one.expectedBytes(alike)).toBe(99);
    expect(one.expectedBytes(await identity('B'))).toBe(0);
    await one.setExpectedBytes(alike, 0);
    expect([one.expectedBytes(alike), await storage.read(PAYLOADS)]).toEqual([0, undefined]);
  });

  it('is kept of the last four printers', async () => {
    await start();
    const memory = await loaded();
    const printers = await Promise.all(['1', '2', '3', '4', '5'].map((serial) => identity(serial)));
    for (const [index, printer] of printers.entries()) await memory.setExpectedBytes(printer, index + 1);
    await memory.setExpectedBytes(printers[1] as UsbIdentity, 20);
    expect(printers.map((printer) => memory.expectedBytes(printer))).toEqual([0, 20, 3, 4, 5]);
    const again = await loaded();
    expect(printers.map((printer) => again.expectedBytes(printer))).toEqual([0, 20, 3, 4, 5]);
  });
});

describe.each([PAYLOADS, MACROS])('a broken record %s', (name) => {
  it.each(['null', '{', '[null]', '[{"vendorId":"04b8"}]', '{"begun":1}', ''])(
    'of %j costs no print',
    async (stored) => {
      await storage.write(name, Buffer.from(stored));
      await start({ printer: () => new VirtualPrinter() });
      const lines = [{ type: 'text', value: 'printed' }];
      const body = JSON.stringify({ type: 'print', id: '1', endpoint: 'receipt', lines });
      expect((await fetch(`${node.url}/print`, { method: 'POST', body })).status).toBe(200);
    },
  );
});
