/** The sink that every print bench writes to: the virtual printer on the virtual bus, opened as the node opens it. */
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import type { UsbDevice } from '../../runtime/bindings/usb.ts';
import { VirtualUsb } from '../../runtime/bindings/virtual/usb.ts';

export async function openSink(): Promise<(bytes: Uint8Array) => Promise<void>> {
  const usb = new VirtualUsb();
  usb.plug(new VirtualPrinter());
  const device = await new Promise<UsbDevice>((resolve) => void usb.start({ connect: resolve, disconnect() {} }));
  await device.open();
  await device.claim(0);
  const pipe = device.identity.interfaces[0]?.pipes.find(({ direction }) => direction === 'out');
  if (pipe === undefined) throw new Error('the virtual printer has no OUT pipe');
  return (bytes) => device.transferOut(pipe, bytes, { timeoutMs: 10_000 });
}
