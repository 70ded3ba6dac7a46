/** The HID interfaces that may belong to a scale, and their report descriptors. */
import type { ReportDescriptor } from '../../codecs/hid-report.ts';
import type { UsbDevice, UsbIdentity, UsbInterface } from '../../runtime/bindings/usb.ts';
import { HID_CLASS, readReportDescriptor, reportPipe } from '../../runtime/bindings/usb-hid.ts';

/** HID interfaces (3/0/0) that send reports. Subclass 1 is left out: those are boot keyboards and mice. */
export const reportInterfaces = ({ interfaces }: UsbIdentity): UsbInterface[] =>
  interfaces.filter(
    (each) => each.class === HID_CLASS && each.subclass === 0 && each.protocol === 0 && reportPipe(each),
  );

/** Opens the device, claims its interfaces, reads the report descriptor of each, and closes the device. */
export async function readReportDescriptors(
  device: UsbDevice,
  interfaces: readonly UsbInterface[],
): Promise<(ReportDescriptor | undefined)[]> {
  const descriptors: (ReportDescriptor | undefined)[] = [];
  await device.open();
  try {
    for (const each of interfaces) {
      await device.claim(each.number, each.alternate);
      descriptors.push(await readReportDescriptor(device, each));
    }
  } finally {
    await device.close();
  }
  return descriptors;
}
