/** Serial adapters: nothing is sent to one before a person has said what hangs on it, and each chip is set by its own requests. */
import { describe, expect, it } from 'vitest';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import type { SerialAdaptersAnswer, SerialTriedAnswer } from '../../../plugins/serial/contract.ts';
import { VirtualSerialScale } from '../../../plugins/serial/virtual-scale.ts';
import { stationHubPlugins } from '../../plugins.ts';
import { startScaleNode } from '../scale/node.ts';
import { type Chip, ChipWithScale } from './chips.ts';
import { ended, holdClock, until } from './clock.ts';
import { PORT, startSerialNode } from './node.ts';

holdClock();

const start = () => startScaleNode({ plugins: stationHubPlugins });
type Node = Awaited<ReturnType<typeof start>>;
const assign = (node: Node, key: string, change: object = {}) =>
  node.put('/config', { serial: { [key]: { kind: 'scale', protocol: 'toledo-8217', ...change } } });
const adapters = async (node: Node) => (await node.get<SerialAdaptersAnswer>('/serial')).body.adapters;
const unknown = async (node: Node) => {
  const { devices } = (await node.get<{ devices: Record<string, unknown>[] }>('/devices/unknown')).body;
  return devices[0];
};
const attempt = async (node: Node, port: string) => node.post<SerialTriedAnswer>('/serial/try', { port });

describe('an adapter that nobody has said anything about', () => {
  it.each(['ftdi', 'cp210x', 'ch340', 'pl2303'] as const)(
    'is parked as a serial adapter, and told nothing: %s',
    async (chip) => {
      const node = await start();
      const device = new ChipWithScale(chip, 'A50285BI');
      await node.plug(device, PORT);
      expect(
        await until(
          () => unknown(node),
          (seen) => seen?.['state'] === 'unknown',
        ),
      ).toMatchObject({
        reason: 'no_codec',
      });
      const { rejections } = (await node.status()) as { rejections: object[] };
      expect(rejections).toEqual([expect.objectContaining({ detail: expect.stringMatching(/^serial adapter \(/) })]);
      expect(device.requests).toEqual([]);
      expect(device.heard).toEqual([]);
      expect(node.usb.claimedInterfaces(device)).toEqual([]);
      expect(await adapters(node)).toEqual([expect.objectContaining({ port: PORT, serial: 'A50285BI' })]);
      expect(await node.scale()).toMatchObject({ status: 'absent', weight: null });
    },
  );
});

describe('an adapter of which the configuration says that a scale hangs on it', () => {
  it.each([
    ['port path', PORT],
    ['serial number', 'A50285BI'],
  ])('is a scale from then on, by its %s', async (_, key) => {
    const node = await start();
    const device = new ChipWithScale('ftdi', 'A50285BI');
    await node.plug(device, PORT);
    expect(await assign(node, key)).toMatchObject({ status: 200, body: { serial: { [key]: { kind: 'scale' } } } });
    await until(node.scale, ({ weight }) => weight === 4.876);
    expect(await adapters(node)).toEqual([
      expect.objectContaining({ adapter: 'FTDI', key, kind: 'scale', protocol: 'toledo-8217', endpoint: 'scale' }),
    ]);
    expect(await unknown(node)).toBeUndefined();
    // Taken away again, it is told nothing more.
    expect(await node.put('/config', { serial: { [key]: null } })).toMatchObject({ body: { serial: {} } });
    await until(node.scale, ({ status }) => status === 'absent');
    await node.settled();
    expect(node.usb.claimedInterfaces(device)).toEqual([]);
    const heard = device.heard.length;
    await until(
      () => unknown(node),
      (seen) => seen?.['state'] === 'unknown',
    );
    expect(device.heard).toHaveLength(heard);
  });

  it.each<[Chip, string[]]>([
    // 3 MHz / 312.5 = 9600: divisor 138 hex with the code of a half; 7 bits, even (2).
    ['ftdi', ['40 0 0 0', '40 3 4138 0', '40 4 207 0', '40 2 0 0', '40 9 ff 0', '40 6 10d 0', '40 1 303 0']],
    ['cp210x', ['41 0 1 0', '41 1e 0 0 80250000', '41 3 720 0', '41 7 303 0']],
    ['ch340', ['40 a1 0 0', '40 9a 1312 b282', '40 9a 2518 da', '40 a4 ff9f 0']],
    ['pl2303', ['40 1 0 1', '40 1 1 0', '40 1 2 44', '21 20 0 0 80250000000207', '21 22 3 0']],
  ])('has its line set as the chip takes it: %s', async (chip, requests) => {
    const node = await start();
    await assign(node, PORT);
    const device = new ChipWithScale(chip);
    await node.plug(device, PORT);
    await until(node.scale, ({ weight }) => weight === 4.876);
    expect(device.requests).toEqual(requests);
  });

  it('has the line that the configuration gives it', async () => {
    const node = await start();
    const line = { baudRate: 2400, dataBits: 8, parity: 'odd', stopBits: 2 };
    await assign(node, PORT, { line });
    const device = new ChipWithScale('cp210x');
    await node.plug(device, PORT);
    expect(device.requests).toEqual(['41 0 1 0', '41 1e 0 0 60090000', '41 3 812 0', '41 7 303 0']);
    const scale = new VirtualSerialScale();
    await assign(node, '1-2', { line });
    await node.plug(scale, '1-2');
    await node.unplug(device);
    await until(
      () => scale.lineCoding,
      (coding) => coding === '60090000020108',
    );
  });

  it('whose chip says that parity is wrong has a fault, not what the bytes look like', async () => {
    const node = await start();
    const device = new ChipWithScale('ftdi');
    device.lineStatus = 0x04;
    await assign(node, PORT);
    await node.plug(device, PORT);
    await until(node.scale, ({ fault }) => fault === 'fault');
    expect(await node.scale()).toMatchObject({ weight: null });
    expect(await node.peripheral('scale')).toMatchObject({ condition: 'silent', reason: 'garbled' });
  });

  it('that spoils one message has no zero of it, and no weight that is stable', async () => {
    const node = await start();
    const device = new ChipWithScale('ch340');
    await assign(node, PORT);
    await node.plug(device, PORT);
    await until(node.scale, ({ stable }) => stable);
    for (const spoilt of ['00.000', '24.876']) {
      device.spoilt = spoilt;
      await until(() => device.spoilt === undefined);
      await until(node.scale, ({ weight, stable }) => weight === 4.876 && stable);
    }
    const told = node.events('scale_weight_changed').map(({ weight, stable }) => [weight, stable]);
    expect(told).toContainEqual([24.876, false]);
    expect(told).not.toContainEqual([24.876, true]);
    expect(told).not.toContainEqual([0, expect.anything()]);
    device.weight = '00.000';
    await until(node.scale, ({ weight, stable }) => weight === 0 && stable);
  });

  it('gives way to a scale that has the endpoint, and takes it when that is gone', async () => {
    const node = await start();
    const hid = new VirtualScale();
    await node.plug(hid, '1-2');
    await assign(node, PORT);
    await node.plug(new ChipWithScale('ch340'), PORT);
    const { rejections } = (await node.status()) as { rejections: object[] };
    expect(rejections).toEqual([expect.objectContaining({ reason: 'second_scale' })]);
    await node.unplug(hid);
    await until(node.scale, ({ weight }) => weight === 4.876);
  });

  it.each([
    ['another kind', { kind: 'display', protocol: 'nci' }],
    ['another protocol', { kind: 'scale', protocol: 'guess' }],
    ['a line that no adapter has', { kind: 'scale', protocol: 'nci', line: { baudRate: 1 } }],
    ['a key that is none', { kind: 'scale', protocol: 'nci', port: 1 }],
  ])('is refused, and nothing is stored: %s', async (_, assignment) => {
    const node = await start();
    expect(await node.put('/config', { serial: { [PORT]: assignment } })).toMatchObject({
      status: 422,
      body: { error: 'invalid_config' },
    });
    expect((await node.get('/config')).body).toMatchObject({ serial: {} });
  });

  it.each([
    ['no key', ''],
    ['a key that is longer than a serial number can be', 'x'.repeat(127)],
    ['a key of two lines', 'A1\nB2'],
    ['a key with a control character', 'A1\u0000B2'],
    ['a key that ends in a blank', 'A1 '],
    ['a key that is no text', '\ud800'],
    ['the key of a prototype', '__proto__'],
  ])('is refused under %s', async (_, key) => {
    const node = await start();
    const serial = Object.fromEntries([[key, { kind: 'scale', protocol: 'nci' }]]);
    const refused = { status: 422, body: { error: 'invalid_config' } };
    expect(await node.put('/config', { serial })).toMatchObject(refused);
    expect((await node.get('/config')).body['serial']).toEqual({});
  });

  it('is one of 16 at most', async () => {
    const node = await start();
    for (let n = 0; n < 16; n += 1) expect((await assign(node, `1-${n}`)).status).toBe(200);
    expect(await assign(node, '2-1')).toMatchObject({ status: 422 });
    expect((await node.put('/config', { serial: { '1-0': null } })).status).toBe(200);
    expect((await assign(node, '2-1')).status).toBe(200);
  });
});

describe('trying the protocols', () => {
  it.each(['scale-stream', 'mt-sics', 'toledo-8217', 'nci', 'cas-pd2'])('finds %s', async (protocol) => {
    const node = await start();
    const scale = new VirtualSerialScale({ protocol, everyMs: 20 });
    scale.set({ grams: 250 });
    await node.plug(scale, PORT);
    await until(
      () => unknown(node),
      (seen) => seen?.['state'] === 'unknown',
    );
    const { status, body } = await ended(attempt(node, PORT));
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true, protocol } });
    expect(body.tried.at(-1)).toEqual({ protocol, heard: 'weight', weight: 0.25, unit: 'kg' });
    expect(node.usb.claimedInterfaces(scale)).toEqual([]);
    expect(await node.scale()).toMatchObject({ status: 'absent' });
  });

  it('finds nothing where nothing answers, and lets the adapter go', async () => {
    const node = await start();
    const scale = new VirtualSerialScale();
    scale.set({ line: 'silence' });
    await node.plug(scale, PORT);
    await until(
      () => unknown(node),
      (seen) => seen?.['state'] === 'unknown',
    );
    const trying = attempt(node, PORT);
    await until(
      () => node.usb.claimedInterfaces(scale),
      ({ length }) => length > 0,
    );
    expect(await attempt(node, PORT)).toMatchObject({ status: 409, body: { error: 'busy' } });
    const { body } = await ended(trying);
    expect(body.protocol).toBeUndefined();
    expect(new Set(body.tried.map(({ heard }) => heard))).toEqual(new Set(['nothing']));
    expect(node.usb.claimedInterfaces(scale)).toEqual([]);
  });

  it('is refused where there is no adapter, one that is in use, or one that was pulled', async () => {
    const { node, scale } = await startSerialNode('toledo-8217');
    const no = { status: 409, body: { error: 'no_adapter' } };
    expect(await attempt(node, '9-9')).toMatchObject(no);
    expect(await attempt(node, PORT)).toMatchObject(no);
    await node.put('/config', { serial: { [PORT]: null } });
    await until(
      () => unknown(node),
      (seen) => seen?.['state'] === 'unknown',
    );
    await node.unplug(scale);
    expect(await attempt(node, PORT)).toMatchObject(no);
  });
});
