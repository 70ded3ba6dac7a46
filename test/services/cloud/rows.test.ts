/** Rows of the cloud that are wrong, or differ from what the node would do: seen on devices that are plugged in. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { until } from '../../node.ts';
import { startCloudNode, TOKEN } from './node.ts';
import { folder, startCloud } from './reference.ts';

interface Status {
  readonly peripherals: { endpoint: string; condition: string; recipe?: Record<string, unknown> }[];
  readonly rejections: { reason: string; detail?: string }[];
}

const CODECS: Readonly<Record<string, string>> = {
  printer: 'escpos',
  scanner: 'hid-pos',
  scale: 'hid-scale',
  camera: 'mjpeg',
};
const ID_VENDOR = 8;
/** As its device descriptor has them (USB 2.0, 9.6.1). */
function idsOf({ descriptors }: VirtualDevice) {
  const word = (at: number) => Buffer.from(descriptors).readUInt16LE(at).toString(16).padStart(4, '0');
  return { vendorId: word(ID_VENDOR), productId: word(ID_VENDOR + 2) };
}
/** No row of the image is for these. */
const UNLISTED = { vendorId: 0xabcd, productId: 0x0043 };
const rowOf = ({ vendorId, productId }: { vendorId: string; productId: string }, over: object) => ({
  ...{ id: 'acme-wrong', vendorId, productId, make: 'Acme', model: 'Wrong' },
  ...over,
});
const says = (kind: string, codec = CODECS[kind]) => ({ kind, codec });

/** A device is plugged into a node whose cloud has these rows for it. */
async function plugged(device: VirtualDevice, ...rows: readonly object[]) {
  const node = await startCloudNode({ plugged: false });
  const ids = idsOf(device);
  const table = JSON.stringify({ rows: rows.map((row) => rowOf(ids, row)) });
  const { url } = await startCloud({ recipes: join(folder({ 'rows.json': table }), 'rows.json') });
  await node.call('PUT', '/cloud', { url, token: TOKEN });
  await until(() => node.kernel.recipes.resolve(ids)?.tier === 'cloud');
  node.bench.usb.plug(device);
  const status = async () => (await node.call('GET', '/status')).body as unknown as Status;
  const at = async (endpoint: string) => (await status()).peripherals.find((each) => each.endpoint === endpoint);
  const bound = (endpoint: string) => until(async () => (await at(endpoint))?.condition === 'bound');
  return { node, status, at, bound };
}

const reads = async (
  device: VirtualPosScanner | VirtualWedgeScanner,
  { node }: Awaited<ReturnType<typeof plugged>>,
) => {
  device.scan('4006381333931');
  await until(async () => JSON.stringify((await node.call('GET', '/scans')).body).includes('4006381333931'));
};

describe('a scanner that reads as HID POS', { timeout: 20_000 }, () => {
  it.each([
    ['printer', says('printer')],
    ['scale', says('scale')],
    ['scanner that types', says('scanner', 'hid-keyboard')],
    ['scanner on a serial line', says('scanner', 'serial-lines')],
    ['printer that is refused', { kind: 'printer', refuse: 'ZPL' }],
  ])(
    'of which the cloud says that it is a %s still reads, and the status names the row and why',
    async (_what, row) => {
      const device = new VirtualPosScanner(UNLISTED);
      const there = await plugged(device, row);
      await there.bound('scanner');
      await reads(device, there);
      const { kind, ...how } = row as { kind: string; codec?: string };
      expect((await there.at('scanner'))?.recipe).toMatchObject({
        codec: 'hid-pos',
        disagreement: {
          derived: { kind: 'scanner', codec: 'hid-pos' },
          row: { id: 'acme-wrong', kind, ...('codec' in how && { codec: how.codec }) },
          followed: false,
          reason: expect.stringMatching(/\w/),
        },
      });
    },
  );
});

describe('a scanner that types', { timeout: 20_000 }, () => {
  it.each([
    ['scale', says('scale')],
    ['printer', says('printer')],
    ['scanner that reads as HID POS', says('scanner', 'hid-pos')],
  ])(
    'of which the cloud says that it is a %s still reads, and the status names the row and why',
    async (_what, row) => {
      const device = new VirtualWedgeScanner();
      const there = await plugged(device, row);
      await there.bound('scanner');
      await reads(device, there);
      expect((await there.at('scanner'))?.recipe).toMatchObject({
        codec: 'hid-keyboard',
        disagreement: { row: { id: 'acme-wrong', ...row }, followed: false, reason: expect.stringMatching(/\w/) },
      });
    },
  );

  it('of which the cloud says something right is driven by its row, and nothing disagrees', async () => {
    const device = new VirtualWedgeScanner();
    const there = await plugged(device, says('scanner', 'hid-keyboard'));
    await there.bound('scanner');
    const recipe = (await there.at('scanner'))?.recipe;
    expect(recipe).toMatchObject({ id: 'acme-wrong', tier: 'cloud' });
    expect(recipe).not.toHaveProperty('disagreement');
  });
});

describe('other devices', { timeout: 20_000 }, () => {
  it('a printer of which the cloud says that it is a scanner prints', async () => {
    const device = new VirtualPrinter();
    const there = await plugged(device, says('scanner', 'hid-keyboard'));
    await there.bound('receipt');
    const print = { type: 'print', id: 'a1', endpoint: 'receipt', lines: [{ type: 'text', value: 'x' }] };
    expect((await there.node.call('POST', '/print', print)).status).toBe(200);
    expect((await there.at('receipt'))?.recipe).toMatchObject({
      codec: 'escpos',
      disagreement: { row: { id: 'acme-wrong', kind: 'scanner' }, followed: false },
    });
  });

  it('a scale of which the cloud says that it is a scanner weighs', async () => {
    const there = await plugged(new VirtualScale(), says('scanner', 'hid-keyboard'));
    await there.bound('scale');
    await until(async () => (await there.node.call('GET', '/scale')).body['status'] === 'reading');
    expect((await there.at('scale'))?.recipe).toMatchObject({
      disagreement: { row: { id: 'acme-wrong', kind: 'scanner' }, followed: false },
    });
  });

  it.each([
    ['of the table', {}],
    ['that only its report descriptor tells', { vendorId: 0xabcd, productId: 0x0043 }],
  ])('a scale %s of which the cloud says that it is a scanner weighs beside a scanner, too', async (_, ids) => {
    const scale = new VirtualScale(ids);
    const there = await plugged(scale, says('scanner', 'hid-pos'));
    await there.bound('scale');
    const { usb } = there.node.bench;
    usb.unplug(scale);
    usb.plug(new VirtualWedgeScanner());
    await there.bound('scanner');
    usb.plug(scale);
    await there.bound('scale');
    expect((await there.at('scale'))?.recipe).toMatchObject({
      disagreement: {
        row: { id: 'acme-wrong', kind: 'scanner' },
        followed: false,
        reason: expect.stringContaining('second scanner'),
      },
    });
  });

  it('one that waits for an endpoint is what the rows say once that is free, not what they said when it came', async () => {
    const first = new VirtualWedgeScanner();
    const other = new VirtualWedgeScanner({ ...UNLISTED, boot: false, hidesReportDescriptor: true });
    const there = await plugged(other, says('scanner', 'hid-pos'));
    await there.bound('scanner');
    const { kernel, bench } = there.node;
    bench.usb.unplug(other);
    bench.usb.plug(first);
    await there.bound('scanner');
    bench.usb.plug(other);
    await until(async () => (await there.status()).rejections[0]?.reason === 'second_scanner');
    kernel.recipes.replace('cloud', [rowOf(idsOf(other), says('scale'))]);
    bench.usb.unplug(first);
    await there.bound('scale');
    expect((await there.at('scanner'))?.condition).toBe('gone');
  });

  it.each([
    ['scale', says('scale')],
    ['scanner', says('scanner', 'hid-pos')],
  ])(
    'a %s by its row, which does not say itself what it is, is driven so, and the status says what the node would have done',
    async (endpoint, row) => {
      const there = await plugged(new VirtualWedgeScanner({ boot: false, hidesReportDescriptor: true }), row);
      await there.bound(endpoint);
      expect((await there.at(endpoint))?.recipe).toMatchObject({
        tier: 'cloud',
        disagreement: {
          derived: says('scanner', 'hid-keyboard'),
          row: { id: 'acme-wrong', ...row },
          followed: true,
          reason: expect.stringMatching(/\w/),
        },
      });
    },
  );

  it('a scanner that the cloud refuses is refused, and the rejection names the row', async () => {
    const there = await plugged(new VirtualPosScanner(), { kind: 'scanner', refuse: 'SNAPI' });
    await until(async () => (await there.status()).rejections.length > 0);
    expect((await there.status()).rejections[0]).toMatchObject({
      reason: 'unsupported_language',
      detail: 'SNAPI, by row acme-wrong of the cloud',
    });
  });

  it('that nothing here drives are named with the row that did not help', async () => {
    const there = await plugged(new VirtualPosScanner({ ...UNLISTED, hidesReportDescriptor: true }), says('printer'));
    await until(async () => (await there.status()).rejections.length > 0);
    expect((await there.status()).rejections[0]?.detail).toContain('row acme-wrong not followed');
  });
});
