/** Profiles through PUT /config, on a node whose links are only said to be there. */
import { describe, expect, it } from 'vitest';
import { until } from '../../node.ts';
import { contest, LINK, startProfileNode as node } from './node.ts';
import { find } from './responder.ts';

const isGoodbye = ({ answers }: { answers: readonly object[] }) => answers.some((own) => 'ttl' in own && own.ttl === 0);

describe.concurrent('a node', { timeout: 60_000 }, () => {
  it('is found by its host name and its generic profile, on the ports that it really has', async (test) => {
    const { wire, kernel, deviceId, instance, isUp, url, raw } = await node(test);
    await until(isUp);
    expect(kernel.listening.get('mdns')).toBe(`node-${deviceId}.local`);
    expect(instance()).toBe(`Receipt Printer node-${deviceId}`);
    const port = (type: string) =>
      (find(wire.sent, 'SRV', `${instance()}.${type}.local`)?.data as { port: number } | undefined)?.port;
    expect(port('_http._tcp')).toBe(Number(new URL(url).port));
    expect(port('_pdl-datastream._tcp')).toBe(Number(raw?.split(':').at(-1)));
    expect(port('_printer._tcp')).toBe(0);
  });

  it('advertises nothing on loopback, and switches profiles there at once', async (test) => {
    const { wire, put } = await node(test, { host: '127.0.0.1' });
    expect(await put({ profile: 'epson-tm-t88v' })).toMatchObject({ status: 200 });
    expect(wire.links).toEqual([]);
    expect(wire.sent).toEqual([]);
  });

  it('takes back port 9100 as soon as it is switched off, and offers it again when it is on', async (test) => {
    const { wire, put, instance, isUp } = await node(test);
    await until(isUp);
    wire.take();
    await put({ raw: { enabled: false } });
    await until(() => wire.sent.some(isGoodbye));
    const gone = wire
      .take()
      .filter(isGoodbye)
      .flatMap(({ answers }) => answers);
    expect(gone.some(({ name }) => name.includes('_http'))).toBe(false);
    await put({ raw: { enabled: true } });
    await until(() => instance() !== undefined);
  });

  it('takes back the printer within two seconds when it is pulled out, and offers it again on the same port', async (test) => {
    const { wire, bench, device, raw, instance, isUp, kernel } = await node(test);
    await until(isUp);
    wire.take();
    const pulledAt = performance.now();
    bench.usb.unplug(device);
    await until(() => wire.sent.some(isGoodbye));
    expect(performance.now() - pulledAt).toBeLessThan(2000);
    const gone = wire
      .take()
      .filter(isGoodbye)
      .flatMap(({ answers }) => answers.map(({ name }) => name));
    expect(gone).toContain('_pdl-datastream._tcp.local');
    expect(gone).toContain('_printer._tcp.local');
    expect(gone.some((name) => name.includes('_http'))).toBe(false);
    bench.usb.plug(device);
    await until(() => instance() !== undefined);
    const { data } = find(wire.sent, 'SRV', `${instance()}._pdl-datastream._tcp.local`) ?? {};
    expect(data).toMatchObject({ port: Number(raw?.split(':').at(-1)) });
    expect(kernel.listening.get('raw')).toBe(raw);
  });

  it('says how it stands in its status', async (test) => {
    const { url, deviceId, isUp } = await node(test);
    const discovery = async () =>
      ((await (await fetch(`${url}/status`)).json()) as { discovery: { state: string; since: number } }).discovery;
    await until(isUp);
    await until(async () => (await discovery()).state === 'announced');
    expect(await discovery()).toEqual({
      state: 'announced',
      name: `node-${deviceId}.local`,
      instance: `Receipt Printer node-${deviceId}`,
      since: expect.any(Number),
    });
    const lone = await node(test, { host: '127.0.0.1' });
    const { discovery: off } = (await (await fetch(`${lone.url}/status`)).json()) as { discovery: object };
    expect(off).toMatchObject({ state: 'off', name: `node-${lone.deviceId}.local` });
  });

  it('says where it is, once it has been given a name', async (test) => {
    const { wire, kernel, isUp } = await node(test);
    await until(isUp);
    wire.take();
    await kernel.settings.update((draft) => {
      draft['name'] = 'Bar, left till';
    });
    kernel.hooks.presence.call();
    const txt = () => (find(wire.sent, 'TXT')?.data as Buffer[] | undefined)?.map(String);
    await until(() => txt() !== undefined);
    expect(txt()).toContain('note=Bar, left till');
    expect(wire.sent.some(isGoodbye)).toBe(false);
  });

  it('says goodbye when it stops', async (test) => {
    const { wire, isUp, kernel } = await node(test);
    await until(isUp);
    wire.take();
    await kernel.stop();
    expect(wire.take().every(isGoodbye)).toBe(true);
    expect(wire.closed).toBe(true);
  });

  it('goes on on the links that it has while another cannot be opened', async (test) => {
    const { wire, virtual, isUp } = await node(test, { host: '0.0.0.0' });
    await until(isUp);
    wire.take();
    wire.shut = 'lan1';
    virtual.set([LINK, { ...LINK, name: 'lan1' }]);
    await until(() => wire.sent.some(({ link }) => link === 'lan0'));
    wire.shut = undefined;
    wire.take();
    await until(() => wire.sent.some(({ link, response }) => link === 'lan1' && response));
    expect(wire.sent.find(({ link }) => link === 'lan1')?.response).toBe(false);
  });
});

describe.concurrent('PUT /config of a profile', { timeout: 60_000 }, () => {
  it('answers once the old name is withdrawn and the new one announced', async (test) => {
    const { wire, put, config, deviceId, instance, isUp } = await node(test);
    await until(isUp);
    wire.take();
    expect(await put({ profile: 'epson-tm-t88v' })).toMatchObject({ status: 200 });
    const first = (wanted: (message: (typeof wire.sent)[number]) => boolean) => wire.sent.findIndex(wanted);
    expect(first(isGoodbye)).toBeGreaterThanOrEqual(0);
    expect(first(isGoodbye)).toBeLessThan(first((message) => JSON.stringify(message).includes('EPSON TM-T88V')));
    expect(instance()).toBe(`EPSON TM-T88V node-${deviceId}`);
    expect(await config()).toMatchObject({ profile: 'epson-tm-t88v' });
  });

  it('custom goes by the text it is given, and follows it', async (test) => {
    const { wire, put, instance, isUp } = await node(test);
    await until(isUp);
    expect(await put({ profile: 'custom', customProfile: { make: 'ACME', model: 'Roadrunner 80.2' } })).toMatchObject({
      status: 200,
    });
    expect(instance()).toBe('ACME Roadrunner 80-2');
    await put({ customProfile: { ty: 'Desert printer' } });
    expect(instance()).toBe('Desert printer');
    wire.take();
    await put({ customProfile: { pdl: 'application/octet-stream' } });
    expect(wire.sent.some(isGoodbye)).toBe(false);
    expect((find(wire.sent, 'TXT')?.data as Buffer[] | undefined)?.map(String)).toContain(
      'pdl=application/octet-stream',
    );
  });

  it('that cannot be announced in time restores the old one: profile_switch_failed', async (test) => {
    const { wire, put, config, instance, isUp, deviceId } = await node(test);
    await until(isUp);
    contest(wire, 'EPSON');
    expect(await put({ profile: 'epson-tm-t88v', printWidthCols: 32 })).toEqual({
      status: 500,
      error: 'profile_switch_failed',
    });
    expect(await config()).toMatchObject({ profile: 'generic', printWidthCols: 48 });
    expect(instance()).toBe(`Receipt Printer node-${deviceId}`);
  });

  it('that can be sent nowhere, like the way back, is profile_rollback_failed', async (test) => {
    const { wire, put, config, isUp } = await node(test);
    await until(isUp);
    wire.broken = true;
    expect(await put({ profile: 'epson-tm-t88v' })).toEqual({ status: 500, error: 'profile_rollback_failed' });
    expect(await config()).toMatchObject({ profile: 'generic' });
  });

  it('that cannot be stored is taken back from the network too', async (test) => {
    const { storage, put, instance, isUp, deviceId } = await node(test);
    await until(isUp);
    const write = storage.write.bind(storage);
    storage.write = async () => {
      throw new Error('no space');
    };
    expect(await put({ profile: 'epson-tm-t88v' })).toEqual({ status: 500, error: 'persist_failed' });
    expect(instance()).toBe(`Receipt Printer node-${deviceId}`);
    storage.write = write;
  });

  it('that cannot be stored and cannot be taken back either is profile_rollback_failed', async (test) => {
    const { wire, storage, put, isUp } = await node(test);
    await until(isUp);
    storage.write = async () => {
      contest(wire, 'Receipt');
      throw new Error('no space');
    };
    expect(await put({ profile: 'epson-tm-t88v' })).toEqual({ status: 500, error: 'profile_rollback_failed' });
  });
});
