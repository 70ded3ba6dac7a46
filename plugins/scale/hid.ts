/** Which interfaces of a device may be a scale's, and the report descriptors that say so. */
import type { ReportDescriptor } from '../../codecs/hid-report.ts';
import type { UsbDevice, UsbIdentity, UsbInterface } from '../../runtime/bindings/bindings.ts';
import { HID_CLASS, readReportDescriptor, reportPipe } from '../../runtime/bindings/usb-hid.ts';

/** Interfaces 3/0/0 that send reports. Boot keyboards and mice (subclass 1) say by that what they are. */
export const reportInterfaces = ({ interfaces }: UsbIdentity): UsbInterface[] =>
  interfaces.filter(
    (each) => each.class === HID_CLASS && each.subclass === 0 && each.protocol === 0 && reportPipe(each),
  );

/** The report descriptor of each interface, on a device that is not open: claims them, and closes it again. */
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
