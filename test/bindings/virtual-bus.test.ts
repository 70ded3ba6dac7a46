import { afterEach, describe, expect, it, vi } from 'vitest';
import { type UsbBinding, UsbError, type UsbListener } from '../../runtime/bindings/usb.ts';
import { VirtualUsb } from '../../runtime/bindings/virtual/usb.ts';
import { count, LATER, OUT, plugged, Recorder, SOON } from './virtual-plugged.ts';

/** Writes down what a bus reports, by port. */
const diary = (): UsbListener & { readonly entries: string[] } => {
  const entries: string[] = [];
  return {
    entries,
    connect: ({ identity }) => entries.push(`+${identity.port}`),
    disconnect: ({ identity }) => entries.push(`-${identity.port}`),
  };
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.useRealTimers());

describe('the virtual bus', () => {
  it('reports what is plugged in at start, then changes later than their cause and in its order', async () => {
    const usb = new VirtualUsb();
    const [first, second] = [new Recorder(), new Recorder()];
    const seen = diary();
    usb.plug(first);
    await usb.start(seen);
    expect(seen.entries).toEqual(['+1-1']);
    usb.plug(second, '1-2.4');
    usb.unplug(first);
    usb.plug(first);
    expect(seen.entries).toEqual(['+1-1']);
    await turn();
    expect(seen.entries).toEqual(['+1-1', '+1-2.4', '-1-1', '+1-1']);
    expect([usb.isPlugged(first), usb.isPlugged(second)]).toEqual([true, true]);
  });

  it('knows a device before it is opened', async () => {
    const { host } = await plugged(new Recorder());
    expect(host.identity).toMatchObject({ vendorId: '1209', productId: '0001', make: 'Test', model: 'Recorder' });
    expect(host.identity).toMatchObject({ serial: '7', port: '1-1' });
    expect(host.identity.interfaces[0]?.pipes.map((pipe) => pipe.address)).toEqual([0x01, 0x82]);
  });

  it.each(['no_bus', 'no_access'] as const)(
    'with %s starts all the same and reports no device until there is one',
    async (state) => {
      const usb: VirtualUsb & UsbBinding = new VirtualUsb();
      const seen = diary();
      usb.state = state;
      usb.plug(new Recorder());
      await usb.start(seen);
      expect(seen.entries).toEqual([]);
      usb.state = 'ok';
      usb.state = state;
      await turn();
      expect(seen.entries).toEqual(['+1-1', '-1-1']);
    },
  );

  it('reports nothing after stop, not even what happened before, and has released everything', async () => {
    const device = new Recorder();
    const { usb } = await plugged(device);
    expect(usb.claimedInterfaces(device)).toEqual([0]);
    const seen = diary();
    await usb.stop();
    expect(usb.claimedInterfaces(device)).toEqual([]);
    await usb.start(seen);
    usb.plug(new Recorder());
    await usb.stop();
    usb.unplug(device);
    await turn();
    expect(seen.entries).toEqual(['+1-1']);
  });

  it('leaves no timer behind when a device is unplugged under load', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const device = new Recorder();
    device.misbehave({ bytesPerSecond: 100 });
    const { usb, host } = await plugged(device);
    const sent = host.transferOut(OUT, count(1000), LATER).catch((error: UsbError) => error.fault);
    await turn();
    expect(vi.getTimerCount()).toBeGreaterThan(1);
    usb.unplug(device);
    expect(await sent).toBe('disconnected');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('opening and claiming', () => {
  it('is refused with access, busy or io, and nothing can be sent without it', async () => {
    const device = new Recorder();
    const { host } = await plugged(device);
    await host.close();
    await expect(host.transferOut(OUT, count(1), SOON)).rejects.toMatchObject({ fault: 'io', bytesTransferred: 0 });
    device.misbehave({ denied: true, heldElsewhere: true });
    await expect(host.open()).rejects.toMatchObject({ fault: 'access' });
    device.misbehave({ denied: false });
    await host.open();
    await expect(host.claim(0)).rejects.toMatchObject({ fault: 'busy' });
    await expect(host.claim(5)).rejects.toMatchObject({ fault: 'io' });
    await expect(host.transferOut(OUT, count(1), SOON)).rejects.toMatchObject({ fault: 'io' });
    device.misbehave({ heldElsewhere: false });
    await host.claim(0);
    await host.transferOut(OUT, count(1), LATER);
    expect(device.taken).toEqual([0]);
  });

  it('is undone by close, which ends what is pending and may be called again, even unplugged', async () => {
    const device = new Recorder();
    device.room = 5;
    const { usb, host } = await plugged(device);
    const sent = host.transferOut(OUT, count(9), LATER).catch((error: unknown) => error);
    await turn();
    await host.close();
    expect(await sent).toEqual(new UsbError('cancelled', 5));
    expect(usb.claimedInterfaces(device)).toEqual([]);
    await host.close();
    usb.unplug(device);
    await host.close();
    await expect(host.open()).rejects.toMatchObject({ fault: 'disconnected' });
  });
});
