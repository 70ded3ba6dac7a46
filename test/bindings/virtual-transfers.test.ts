import { describe, expect, it } from 'vitest';
import { count, failure, IN, LATER, OUT, plugged, Recorder, SOON } from './virtual-plugged.ts';

describe('an OUT transfer', () => {
  it('resolves once the device took the last byte, however little it takes at a time', async () => {
    const device = new Recorder();
    device.misbehave({ maxAccept: 7 });
    const { host } = await plugged(device);
    await host.transferOut(OUT, count(100), LATER);
    expect(device.taken).toEqual([...count(100)]);
  });

  it('to a device that NAKs ends by its deadline and says how many bytes went out', async () => {
    const device = new Recorder();
    device.room = 130;
    const { host } = await plugged(device);
    expect(await failure(host.transferOut(OUT, count(200), SOON))).toMatchObject({
      fault: 'timeout',
      bytesTransferred: 130,
    });
    expect(await failure(host.transferOut(OUT, count(200), SOON))).toMatchObject({
      fault: 'timeout',
      bytesTransferred: 0,
    });
    expect(device.taken).toHaveLength(130);
  });

  it('is cancelled by its signal, before or after its first byte', async () => {
    const device = new Recorder();
    device.room = 3;
    const { host } = await plugged(device);
    const early = host.transferOut(OUT, count(9), { ...LATER, signal: AbortSignal.abort() });
    expect(await failure(early)).toMatchObject({ fault: 'cancelled', bytesTransferred: 0 });
    const abort = new AbortController();
    const late = host.transferOut(OUT, count(9), { ...LATER, signal: abort.signal });
    setImmediate(() => abort.abort());
    expect(await failure(late)).toMatchObject({ fault: 'cancelled', bytesTransferred: 3 });
  });

  it.each([0, 1, 64, 4095])(
    'to a device that leaves after %i bytes says so exactly, as do all behind it',
    async (after) => {
      const device = new Recorder();
      device.misbehave({ disconnectAfter: after });
      const { usb, host } = await plugged(device);
      const [first, second] = [host.transferOut(OUT, count(4096), LATER), host.transferOut(OUT, count(8), LATER)];
      const reading = failure(host.transferIn(IN, 64, LATER));
      expect(await failure(first)).toMatchObject({ fault: 'disconnected', bytesTransferred: after });
      expect(await failure(second)).toMatchObject({ fault: 'disconnected', bytesTransferred: 0 });
      expect(await reading).toMatchObject({ fault: 'disconnected' });
      expect(await failure(host.transferOut(OUT, count(1), LATER))).toMatchObject({ fault: 'disconnected' });
      expect(usb.isPlugged(device)).toBe(false);
      expect(device.taken).toHaveLength(after);
    },
  );

  it('is whole even if the device leaves with the last byte', async () => {
    const device = new Recorder();
    device.misbehave({ disconnectAfter: 64 });
    const { usb, host } = await plugged(device);
    await host.transferOut(OUT, count(64), LATER);
    await Promise.resolve();
    expect(usb.isPlugged(device)).toBe(false);
  });

  it('keeps its place behind earlier ones on a slow device', async () => {
    const device = new Recorder();
    device.misbehave({ bytesPerSecond: 20_000 });
    const { host } = await plugged(device);
    const chunks = [count(700), new Uint8Array(300).fill(1), Uint8Array.of(2)];
    await Promise.all(chunks.map((chunk) => host.transferOut(OUT, chunk, LATER)));
    expect(device.taken).toEqual(chunks.flatMap((chunk) => [...chunk]));
  });

  it('lets the next one go when it ends early', async () => {
    const device = new Recorder();
    device.room = 0;
    const { host } = await plugged(device);
    const first = failure(host.transferOut(OUT, Uint8Array.of(1), SOON));
    const second = host.transferOut(OUT, Uint8Array.of(2), LATER);
    expect((await first).fault).toBe('timeout');
    device.makeRoom(1);
    await second;
    expect(device.taken).toEqual([2]);
  });

  it('goes on by itself when the device has room again', async () => {
    const device = new Recorder();
    device.room = 4;
    const { host } = await plugged(device);
    const sent = host.transferOut(OUT, count(10), LATER);
    setImmediate(() => device.makeRoom(6));
    await sent;
    expect(device.taken).toEqual([...count(10)]);
  });
});

describe('an IN transfer', () => {
  it('ends with a short packet, a zero-length packet or the length asked for', async () => {
    const device = new Recorder();
    const { host } = await plugged(device);
    const first = host.transferIn(IN, 512, LATER);
    device.say(Uint8Array.of(0x12));
    expect([...(await first)]).toEqual([0x12]);
    device.say(new Uint8Array());
    expect(await host.transferIn(IN, 512, LATER)).toHaveLength(0);
    device.say(count(130));
    expect(await host.transferIn(IN, 64, LATER)).toHaveLength(64);
    expect([...(await host.transferIn(IN, 512, LATER))]).toEqual([...count(130).subarray(64)]);
  });

  it('from a device with nothing to say ends by its deadline', async () => {
    const { host } = await plugged(new Recorder());
    expect(await failure(host.transferIn(IN, 64, SOON))).toMatchObject({ fault: 'timeout' });
  });

  it('too small for what the device sends is an error, and the next message is whole', async () => {
    const device = new Recorder();
    const { host } = await plugged(device);
    device.say(count(10));
    device.say(count(3));
    expect(await failure(host.transferIn(IN, 4, LATER))).toMatchObject({ fault: 'io' });
    expect(await host.transferIn(IN, 64, LATER)).toHaveLength(3);
  });

  it('that nobody asks for costs a device what it cannot hold: it drops it', async () => {
    const device = new Recorder();
    await plugged(device);
    const kept = Array.from({ length: 200 }, () => device.say(new Uint8Array(1000)));
    expect(kept.filter(Boolean)).toHaveLength(64);
  });
});
