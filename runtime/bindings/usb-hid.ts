/** HID class requests to a USB device, for rooms of HID devices (HID 1.11, 6.2 and 7). */
import { parseReportDescriptor, type ReportDescriptor } from '../../codecs/hid-report.ts';
import type { UsbDevice, UsbInterface, UsbPipe } from './usb.ts';
import { answered } from './usb-transfers.ts';

/** bInterfaceClass of HID. */
export const HID_CLASS = 0x03;

const HID_DESCRIPTOR = 0x21;
const REPORT_DESCRIPTOR = 0x22;
/** Linux reads no longer one either (HID_MAX_DESCRIPTOR_SIZE). */
const MAX_DESCRIPTOR_BYTES = 4096;
const OUTPUT_REPORT = 2;
const FEATURE_REPORT = 3;
const REQUEST_MS = 1000;

/** The pipe of an interface's input reports (interrupt IN); undefined if it has none. */
export const reportPipe = ({ pipes }: UsbInterface): UsbPipe | undefined =>
  pipes.find(({ type, direction }) => type === 'interrupt' && direction === 'in');

/** The pipe of its output reports (interrupt OUT); undefined if they are sent by SET_REPORT alone. */
export const outputPipe = ({ pipes }: UsbInterface): UsbPipe | undefined =>
  pipes.find(({ type, direction }) => type === 'interrupt' && direction === 'out');

/**
 * Reads and parses the report descriptor of an interface; undefined if the device has none that is valid. The interface
 * must be claimed: Linux passes a request to an interface only from the program that has claimed it.
 */
export async function readReportDescriptor(
  device: UsbDevice,
  { number, extra }: UsbInterface,
): Promise<ReportDescriptor | undefined> {
  // HID 1.0 devices may state it behind the pipe: asked for the most, a device gives what it has.
  const length = reportDescriptorLength(extra) ?? MAX_DESCRIPTOR_BYTES;
  if (length > MAX_DESCRIPTOR_BYTES) return undefined;
  const setup = { requestType: 0x81, request: 0x06, value: REPORT_DESCRIPTOR << 8, index: number };
  const raw = await answered(device.controlIn(setup, length, { timeoutMs: REQUEST_MS }));
  const parsed = raw && parseReportDescriptor(raw);
  return parsed?.ok ? parsed.value : undefined;
}

/** wDescriptorLength of the report descriptor, out of the HID descriptor (HID 1.11, 6.2.1). */
function reportDescriptorLength(extra: Uint8Array): number | undefined {
  for (let at = 0; (extra[at] ?? 0) > 1; at += extra[at] ?? 0) {
    if (extra[at + 1] !== HID_DESCRIPTOR) continue;
    const end = Math.min(at + (extra[at] ?? 0), extra.length);
    for (let entry = at + 6; entry + 2 < end; entry += 3) {
      if (extra[entry] === REPORT_DESCRIPTOR) return (extra[entry + 1] ?? 0) | ((extra[entry + 2] ?? 0) << 8);
    }
  }
  return undefined;
}

/** SET_PROTOCOL (HID 1.11, 7.2.6): the 8-byte reports of the boot protocol, or those of the report descriptor. */
export async function setProtocol(device: UsbDevice, index: number, protocol: 'boot' | 'report'): Promise<void> {
  const setup = { requestType: 0x21, request: 0x0b, value: protocol === 'boot' ? 0 : 1, index };
  await answered(device.controlOut(setup, new Uint8Array(0), { timeoutMs: REQUEST_MS }));
}

/** SET_REPORT of a feature report; the first byte is its id. A stall is ignored. */
export const setFeatureReport = (device: UsbDevice, index: number, report: Uint8Array): Promise<void> =>
  setReport(device, index, FEATURE_REPORT, report[0] ?? 0, report);

/**
 * Sends an output report, as transferred: `id` is 0 where reports have none in front. Where the interface has a pipe for
 * it, that is its way (HID 1.11, 4.4; Linux, too); without one, or where the pipe takes nothing, it is SET_REPORT. A stall
 * of that is ignored.
 */
export async function sendOutputReport(
  device: UsbDevice,
  { number, out }: { readonly number: number; readonly out: UsbPipe | undefined },
  id: number,
  report: Uint8Array,
): Promise<void> {
  const sent = out && device.transferOut(out, report, { timeoutMs: REQUEST_MS }).then(() => true);
  if (sent === undefined || !(await answered(sent))) await setReport(device, number, OUTPUT_REPORT, id, report);
}

async function setReport(device: UsbDevice, index: number, type: number, id: number, report: Uint8Array) {
  const setup = { requestType: 0x21, request: 0x09, value: (type << 8) | id, index };
  await answered(device.controlOut(setup, report, { timeoutMs: REQUEST_MS }));
}
