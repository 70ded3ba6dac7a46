/** What printers may still wait for outlives the process; a record that cannot be read is none. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Debts } from '../../../plugins/printer/debts.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import type { UsbIdentity } from '../../../runtime/bindings/bindings.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { wifiPlugins } from '../../plugins.ts';
import { plugIn } from './on-the-bus.ts';

const OWED = 'printer.owed';
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
const loaded = async () => {
  const debts = new Debts(node.kernel);
  await debts.load();
  return debts;
};
const identity = async (serial: string, ids: object = {}): Promise<UsbIdentity> => ({
  ...(await plugIn(new VirtualPrinter({ serial }))).device.identity,
  ...ids,
});

describe('a debt', () => {
  it('is that of one printer: of its vendor, its product and its serial number', async () => {
    await start();
    const debts = await loaded();
    const owing = await identity('A');
    await debts.set(owing, 77);
    for (const known of [debts, await loaded()]) {
      expect(known.of({ ...owing, port: '9-9' })).toBe(77);
      expect(known.of(await identity('B'))).toBe(0);
      expect(known.of({ ...owing, vendorId: 'ffff' })).toBe(0);
      expect(known.of({ ...owing, productId: 'ffff' })).toBe(0);
    }
    await debts.set(await identity('B'), 0);
    expect(debts.of(owing)).toBe(77);
    await debts.set(owing, 0);
    expect([debts.of(owing), await storage.read(OWED)]).toEqual([0, undefined]);
  });

  it('is kept of the last four printers', async () => {
    await start();
    const debts = await loaded();
    const printers = await Promise.all(['1', '2', '3', '4', '5'].map((serial) => identity(serial)));
    for (const [index, printer] of printers.entries()) await debts.set(printer, index + 1);
    await debts.set(printers[1] as UsbIdentity, 20);
    expect(printers.map((printer) => debts.of(printer))).toEqual([0, 20, 3, 4, 5]);
    const again = await loaded();
    expect(printers.map((printer) => again.of(printer))).toEqual([0, 20, 3, 4, 5]);
  });
});

describe.each([OWED, MACROS])('a broken record %s', (name) => {
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
