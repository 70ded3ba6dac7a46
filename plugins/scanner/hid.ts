/** The HID interfaces of a scanner, held so that nothing of it types into a console. */
import type { ReportDescriptor } from '../../codecs/hid-report.ts';
import type { UsbDevice, UsbIdentity, UsbInterface, UsbPipe } from '../../runtime/bindings/bindings.ts';
import { HID_CLASS, readReportDescriptor, reportPipe } from '../../runtime/bindings/usb-hid.ts';

const BOOT_SUBCLASS = 1;
const BOOT_KEYBOARD = 1;

/** A HID interface that this process holds. */
export interface HidInterface {
  readonly number: number;
  readonly bootKeyboard: boolean;
  /** Interrupt IN: where its reports come. */
  readonly pipe: UsbPipe;
  /** Undefined where the device does not give it, or gives one that cannot be used. */
  readonly descriptor: ReportDescriptor | undefined;
}

/** HID interfaces that can report something, in their first setting. */
export const hidInterfaces = ({ interfaces }: UsbIdentity): readonly UsbInterface[] =>
  interfaces.filter(
    (candidate) => candidate.class === HID_CLASS && candidate.alternate === 0 && reportPipe(candidate) !== undefined,
  );

/** Boot devices say what they are without a report descriptor (HID 1.11, 4.2). */
export const isBoot = ({ subclass }: UsbInterface): boolean => subclass === BOOT_SUBCLASS;

export const isBootKeyboard = (candidate: UsbInterface): boolean =>
  isBoot(candidate) && candidate.protocol === BOOT_KEYBOARD;

/** Claims every HID interface, so that nothing of the device types into a console, and reads what each one reports. */
export async function claimInterfaces(device: UsbDevice): Promise<HidInterface[]> {
  const claimed: HidInterface[] = [];
  for (const candidate of hidInterfaces(device.identity)) {
    const pipe = reportPipe(candidate);
    if (pipe === undefined) continue;
    await device.claim(candidate.number);
    claimed.push({
      number: candidate.number,
      bootKeyboard: isBootKeyboard(candidate),
      pipe,
      descriptor: await readReportDescriptor(device, candidate),
    });
  }
  return claimed;
}
