/** A virtual printer as the driver meets it: plugged in, opened and claimed, and no node around it. */
import { onTestFinished } from 'vitest';
import type { UsbDevice, UsbPipe } from '../../../runtime/bindings/usb.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { VirtualUsb } from '../../../runtime/bindings/virtual/usb.ts';

export async function plugIn(virtual: VirtualDevice) {
  const usb = new VirtualUsb();
  const device = await new Promise<UsbDevice>((connect) => {
    void usb.start({ connect, disconnect: () => {} }).then(() => usb.plug(virtual));
  });
  const [found] = device.identity.interfaces;
  if (found === undefined) throw new Error('no interface');
  await device.open();
  await device.claim(found.number, found.alternate);
  onTestFinished(() => usb.stop());
  const pipe = (wanted: UsbPipe['direction']) => found.pipes.find(({ direction }) => direction === wanted);
  const out = pipe('out');
  if (out === undefined) throw new Error('no bulk OUT pipe');
  return { device, interface: found.number, out, in: pipe('in') };
}
