/** The HID interfaces of a scanner. All are claimed, so that a scan never types into a console. */
import type { ReportDescriptor } from '../../codecs/hid-report.ts';
import type { UsbDevice, UsbIdentity, UsbInterface, UsbPipe } from '../../runtime/bindings/usb.ts';
import { HID_CLASS, outputPipe, readReportDescriptor, reportPipe } from '../../runtime/bindings/usb-hid.ts';

const BOOT_SUBCLASS = 1;
const BOOT_KEYBOARD = 1;

/** A claimed HID interface. */
export interface HidInterface {
  readonly number: number;
  readonly bootKeyboard: boolean;
  /** The interrupt IN pipe of its reports. */
  readonly pipe: UsbPipe;
  /** The interrupt OUT pipe for its lights, if it has one. */
  readonly out: UsbPipe | undefined;
  /** Undefined where it cannot be read or is invalid. */
  readonly descriptor: ReportDescriptor | undefined;
}

/** The HID interfaces with an interrupt IN pipe, in alternate setting 0. */
export const hidInterfaces = ({ interfaces }: UsbIdentity): readonly UsbInterface[] =>
  interfaces.filter(
    (candidate) => candidate.class === HID_CLASS && candidate.alternate === 0 && reportPipe(candidate) !== undefined,
  );

/** True for boot devices, whose protocol number names the kind without a report descriptor (HID 1.11, 4.2). */
export const isBoot = ({ subclass }: UsbInterface): boolean => subclass === BOOT_SUBCLASS;

/** True for a HID interface of subclass 1, protocol 1 (HID 1.11, 4.2 and 4.3). */
export const isBootKeyboard = (candidate: UsbInterface): boolean =>
  isBoot(candidate) && candidate.protocol === BOOT_KEYBOARD;

/** Claims every HID interface and reads its report descriptor. Rejects with a UsbError where a claim fails. */
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
      out: outputPipe(candidate),
      descriptor: await readReportDescriptor(device, candidate),
    });
  }
  return claimed;
}
