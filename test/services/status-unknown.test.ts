/** GET /devices/unknown (specification 2.12). */
import { describe, expect, it } from 'vitest';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { checkRow } from '../../runtime/recipes/row.ts';
import { RecipeTable } from '../../runtime/recipes/table.ts';
import { startDeviceNode } from '../device-node.ts';
import { Gadget, SHY } from '../kernel/hotplug-gadget.ts';

interface Unknown {
  readonly draftRow: Record<string, unknown> & { readonly kind: string };
  readonly [field: string]: unknown;
}
const start = async () => {
  const node = await startDeviceNode();
  const unknown = async () => (await node.get<{ devices: Unknown[] }>('/devices/unknown')).body.devices;
  return { ...node, unknown };
};
/** A printer whose device id says nothing of its language, in a vendor class that no row names. */
const mute = () => new VirtualPrinter({ vendorId: 0x1234, productId: 0x00ab, make: '', model: '', deviceId: 'CMD:;' });

describe('GET /devices/unknown', () => {
  it('lists no device that is driven', async () => {
    const node = await start();
    await node.plug(new VirtualPrinter());
    expect(await node.get('/devices/unknown')).toEqual({ status: 200, body: { devices: [] } });
  });

  it('shows what is known of a device nobody knows', async () => {
    const node = await start();
    await node.plug(new Gadget(0xbeef, SHY));
    expect(await node.unknown()).toEqual([
      {
        ...{ vendorId: '1234', productId: 'beef', make: 'Acme', model: 'Gadget', class: 'unknown' },
        interfaces: [{ number: 0, alternate: 0, class: 'ff', subclass: '01', protocol: '02', pipes: [] }],
        ...{ state: 'parked', reason: null, draftRow: expect.any(Object), ageMs: expect.any(Number) },
      },
    ]);
  });

  it('keeps a device that has left, newest first', async () => {
    const node = await start();
    const first = new Gadget(1, SHY);
    await node.plug(first);
    await node.unplug(first);
    await node.plug(new Gadget(2, SHY));
    expect(await node.unknown()).toMatchObject([
      { productId: '0002', state: 'parked' },
      { productId: '0001', state: 'gone' },
    ]);
  });

  it.each([
    ['a device of no known kind', () => new Gadget(1, SHY), { kind: 'printer', codec: 'escpos' }],
    ['one that gives neither make nor model', () => new Gadget(7, SHY, {}), { kind: 'printer', codec: 'escpos' }],
  ])('drafts for %s a row that is a recipe once kind and codec are filled in', async (_what, create, completion) => {
    const node = await start();
    const { codecs } = node.kernel.composition;
    await node.plug(create());
    const { draftRow } = (await node.unknown())[0]!;
    expect(checkRow(draftRow, codecs)).toBeDefined();
    const row = { ...draftRow, ...completion };
    expect(checkRow(row, codecs)).toBeUndefined();
    const table = new RecipeTable([], codecs);
    expect(table.replace('cached', [row]).refused).toEqual([]);
  });

  it('lists a device whose kind is known and whose language is not, with the kind filled in', async () => {
    const node = await start();
    node.kernel.hooks.bind.for('printer').tapPromise({ name: 'test', stage: -1 }, async () => ({ reason: 'no_codec' }));
    await node.plug(mute());
    const [device] = await node.unknown();
    expect(device).toMatchObject({ class: 'printer', state: 'refused', reason: 'no_codec', draftRow: { codec: '' } });
    const row = { ...device?.draftRow, codec: 'escpos' };
    expect(checkRow(row, node.kernel.composition.codecs)).toBeUndefined();
  });

  it('answers 500 record_alloc_failed while the node is short of memory, and answers again when it is not', async () => {
    const node = await start();
    const { memory } = node.host;
    node.host.memory = 4096;
    expect(await node.get('/devices/unknown')).toMatchObject({
      status: 500,
      body: { ok: false, error: 'record_alloc_failed' },
    });
    node.host.memory = memory;
    expect((await node.get('/devices/unknown')).status).toBe(200);
  });
});
