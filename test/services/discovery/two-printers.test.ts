/** A node with two printers is found as two, each at its own port, on a wire that the test holds. */
import { describe, expect, it } from 'vitest';
import { until } from '../../node.ts';
import { contest, startProfileNode } from './node.ts';
import { type FakeWire, find } from './responder.ts';

const PDL = '_pdl-datastream._tcp.local';

interface Found {
  readonly state: string;
  readonly instance?: string;
  readonly printers?: readonly { endpoint: string; instance: string; port: number }[];
}
const statusOf = async (url: string) =>
  ((await (await fetch(`${url}/status`)).json()) as { discovery: Found }).discovery;

/** Port and note that were last announced under an instance name. */
const announced = (wire: FakeWire, instance: string) => {
  const newest = [...wire.sent].reverse();
  const port = (find(newest, 'SRV', `${instance}.${PDL}`)?.data as { port: number } | undefined)?.port;
  const txt = (find(newest, 'TXT', `${instance}.${PDL}`)?.data as Buffer[] | undefined)?.map(String);
  return { port, note: txt?.find((text) => text.startsWith('note=')) };
};
const goodbyes = (wire: FakeWire) =>
  wire.sent.flatMap(({ answers }) => answers).filter((own) => 'ttl' in own && own.ttl === 0);

/** A node that has announced both. */
async function start(test: Parameters<typeof startProfileNode>[0]) {
  const node = await startProfileNode(test, { printers: ['receipt', 'kitchen'], switchMs: 30_000 });
  const kitchen = `Receipt Printer kitchen node-${node.deviceId}`;
  await until(() => announced(node.wire, kitchen).port !== undefined);
  await until(async () => (await statusOf(node.url)).state === 'announced');
  return node;
}

describe.concurrent('a node with two printers', { timeout: 60_000 }, () => {
  it('announces each at its own port, under its own name, and says so in its status', async (test) => {
    const { wire, url, kernel, deviceId } = await start(test);
    const ports = ['raw', 'raw:kitchen'].map((name) => Number(kernel.listening.get(name)?.split(':').at(-1)));
    const names = [`Receipt Printer node-${deviceId}`, `Receipt Printer kitchen node-${deviceId}`];
    expect(names.map((name) => announced(wire, name))).toEqual([
      { port: ports[0], note: `note=node-${deviceId}, receipt` },
      { port: ports[1], note: `note=node-${deviceId}, kitchen` },
    ]);
    expect(await statusOf(url)).toMatchObject({
      instance: names[0],
      printers: [
        { endpoint: 'receipt', instance: names[0], port: ports[0] },
        { endpoint: 'kitchen', instance: names[1], port: ports[1] },
      ],
    });
    wire.take();
    wire.ask(PDL, 'PTR', { from: { address: '127.77.0.9', port: 5353 } });
    const pointers = () =>
      new Set(
        wire.sent.flatMap(({ answers }) =>
          answers.flatMap((own) => (own.type === 'PTR' && own.name === PDL ? [own.data] : [])),
        ),
      );
    await until(() => pointers().size > 1);
    expect([...pointers()].sort()).toEqual(names.map((name) => `${name}.${PDL}`).sort());
  });

  it('takes back the one that is pulled out, leaves the other, and offers it again on its port', async (test) => {
    const { wire, url, bench, devices, deviceId } = await start(test);
    const kitchen = `Receipt Printer kitchen node-${deviceId}`;
    const { port } = announced(wire, kitchen);
    wire.take();
    bench.usb.unplug(devices[1]!);
    await until(() => goodbyes(wire).length > 0);
    expect(goodbyes(wire).every((own) => JSON.stringify(own).includes(' kitchen '))).toBe(true);
    expect((await statusOf(url)).printers).toMatchObject([{ endpoint: 'receipt' }]);
    wire.take();
    bench.usb.plug(devices[1]!);
    await until(() => announced(wire, kitchen).port !== undefined);
    expect(announced(wire, kitchen).port).toBe(port);
    expect(goodbyes(wire)).toEqual([]);
  });

  it('offers the second where the first is not there', async (test) => {
    const { wire, url, bench, devices, deviceId } = await start(test);
    wire.take();
    bench.usb.unplug(devices[0]!);
    await until(() => goodbyes(wire).length > 0);
    expect(goodbyes(wire).some((own) => JSON.stringify(own).includes(' kitchen '))).toBe(false);
    const { state, printers } = await statusOf(url);
    expect([state, printers]).toEqual([
      'announced',
      [expect.objectContaining({ endpoint: 'kitchen', instance: `Receipt Printer kitchen node-${deviceId}` })],
    ]);
  });

  it('renames both with the profile, and tells both where they are', async (test) => {
    const { wire, url, put, kernel, deviceId } = await start(test);
    wire.take();
    expect(await put({ profile: 'epson-tm-t88v' })).toMatchObject({ status: 200 });
    const names = [`EPSON TM-T88V node-${deviceId}`, `EPSON TM-T88V kitchen node-${deviceId}`];
    expect((await statusOf(url)).printers?.map(({ instance }) => instance)).toEqual(names);
    const withdrawn = goodbyes(wire).flatMap((own) => (own.type === 'SRV' ? own.name : []));
    for (const place of ['', 'kitchen '])
      expect(withdrawn).toContain(`Receipt Printer ${place}node-${deviceId}.${PDL}`);
    wire.take();
    await kernel.settings.update((draft) => {
      draft['name'] = 'Bar';
    });
    kernel.hooks.presence.call();
    await until(() => names.every((name) => announced(wire, name).note !== undefined));
    expect(names.map((name) => announced(wire, name).note)).toEqual(['note=Bar, receipt', 'note=Bar, kitchen']);
    expect(goodbyes(wire)).toEqual([]);
  });

  it('gives up the name that somebody else has, and that name alone', async (test) => {
    const { wire, url, put, deviceId } = await start(test);
    contest(wire, `EPSON TM-T88V kitchen node-${deviceId}.`);
    expect(await put({ profile: 'epson-tm-t88v' })).toMatchObject({ status: 200 });
    const { state, printers } = await statusOf(url);
    expect(state).toBe('renamed');
    expect(printers?.map(({ instance }) => instance)).toEqual([
      `EPSON TM-T88V node-${deviceId}`,
      `EPSON TM-T88V kitchen node-${deviceId} (2)`,
    ]);
  });

  it('says goodbye to both when it stops', async (test) => {
    const { wire, kernel, deviceId } = await start(test);
    wire.take();
    await kernel.stop();
    const gone = goodbyes(wire).flatMap((own) => (own.type === 'TXT' ? own.name : []));
    for (const place of ['', 'kitchen ']) expect(gone).toContain(`Receipt Printer ${place}node-${deviceId}.${PDL}`);
  });
});
