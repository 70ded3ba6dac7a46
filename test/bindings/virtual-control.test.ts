import { describe, expect, it } from 'vitest';
import type { UsbDevice } from '../../runtime/bindings/usb.ts';
import { VirtualUsb } from '../../runtime/bindings/virtual/usb.ts';
import { count, failure, LATER, plugged, Recorder, SOON } from './virtual-plugged.ts';

describe('a control transfer', () => {
  const setup = { requestType: 0xc0, request: 1, value: 9, index: 0 };
  const answer = async (host: UsbDevice, length: number): Promise<number[]> => [
    ...(await host.controlIn(setup, length, LATER)),
  ];

  it('brings the answer, the descriptors and the strings of the device', async () => {
    const device = new Recorder();
    const { host } = await plugged(device);
    expect(await answer(host, 64)).toEqual([9]);
    const descriptor = { requestType: 0x80, request: 6, value: 0x0100, index: 0 };
    expect(await host.controlIn(descriptor, 18, LATER)).toEqual(device.descriptors.slice(0, 18));
    const text = await host.controlIn({ ...descriptor, value: 0x0302, index: 0x0409 }, 255, LATER);
    expect(Buffer.from(text).subarray(2).toString('utf16le')).toBe('Recorder');
  });

  it('fails with stall, or by its deadline where the device does not answer', async () => {
    const device = new Recorder();
    const { host } = await plugged(device);
    expect(await failure(host.controlOut({ ...setup, request: 2 }, count(2), LATER))).toMatchObject({ fault: 'stall' });
    device.misbehave({ nak: true });
    expect(await failure(host.controlIn(setup, 1, SOON))).toMatchObject({ fault: 'timeout' });
  });
});

describe('a device with descriptors that make no sense', () => {
  it('is reported with its ids and the reason', async () => {
    const device = new Recorder({ raw: new Recorder().descriptors.slice(0, 20) });
    const usb = new VirtualUsb();
    usb.plug(device);
    const found: UsbDevice[] = [];
    await usb.start({ connect: (each) => found.push(each), disconnect: () => undefined });
    expect(found[0]?.identity).toMatchObject({ vendorId: '1209', productId: '0001', interfaces: [] });
    expect(found[0]?.identity.malformed).toBeTypeOf('string');
  });
});
