/** Serial lines over USB: CDC-ACM (Communications Class 1.2, PSTN Subclass 1.2), for rooms of serial devices. */
import { EIGHT_NONE, type LineSettings } from '../../../codecs/serial-line.ts';
import type { UsbDevice, UsbIdentity, UsbInterface, UsbPipe } from '../usb.ts';
import { answered } from '../usb-transfers.ts';
import { type Adapter, PARITY, requestsTo } from './adapter.ts';

const COMMUNICATIONS = 0x02;
const ABSTRACT_CONTROL_MODEL = 0x02;
/** bInterfaceClass of the interface with the bulk pipes. */
export const CDC_DATA_CLASS = 0x0a;
/** Union functional descriptor: a control interface and the data interfaces it has (Communications Class 1.2, 5.2.3.2). */
const CS_INTERFACE = 0x24;
const UNION = 0x06;

const TO_INTERFACE = 0x21;
const SET_LINE_CODING = 0x20;
const SET_CONTROL_LINE_STATE = 0x22;
const DATA_TERMINAL_READY = 0x01;
const REQUEST_TO_SEND = 0x02;

/** The two interfaces of a CDC-ACM function and its pipes. */
export interface AcmInterfaces {
  readonly control: UsbInterface;
  readonly data: UsbInterface;
  /** Bulk IN: data from the device. */
  readonly in: UsbPipe;
  /** Bulk OUT; undefined if the device has none. */
  readonly out: UsbPipe | undefined;
}

/** The first CDC-ACM function of a device; undefined if it has none with a bulk IN pipe. */
export function acmInterfaces({ interfaces }: UsbIdentity): AcmInterfaces | undefined {
  const control = interfaces.find(
    (each) => each.class === COMMUNICATIONS && each.subclass === ABSTRACT_CONTROL_MODEL && each.alternate === 0,
  );
  if (control === undefined) return undefined;
  const united = unionOf(control.extra);
  for (const data of interfaces) {
    const belongs = data.class === CDC_DATA_CLASS && data.alternate === 0 && (united?.has(data.number) ?? true);
    const bulk = (way: UsbPipe['direction']) =>
      data.pipes.find(({ type, direction }) => type === 'bulk' && direction === way);
    const pipe = bulk('in');
    if (belongs && pipe !== undefined) return { control, data, in: pipe, out: bulk('out') };
  }
  return undefined;
}

function unionOf(extra: Uint8Array): ReadonlySet<number> | undefined {
  for (let at = 0; (extra[at] ?? 0) > 4; at += extra[at] ?? 0) {
    if (extra[at + 1] === CS_INTERFACE && extra[at + 2] === UNION)
      return new Set(extra.subarray(at + 4, at + (extra[at] ?? 0)));
  }
  return undefined;
}

/** The 7 bytes of SET_LINE_CODING (PSTN Subclass 1.2, 6.3.11). */
export function lineCoding({ baudRate, dataBits, parity, stopBits }: LineSettings): Uint8Array<ArrayBuffer> {
  const coding = new Uint8Array(7);
  new DataView(coding.buffer).setUint32(0, baudRate, true);
  coding.set([stopBits === 2 ? 2 : 0, PARITY[parity], dataBits], 4);
  return coding;
}

/** Sets the line of a claimed interface, and raises DTR and RTS. A device without a real line may stall both. */
export async function sendLineCoding(device: UsbDevice, index: number, coding: Uint8Array<ArrayBuffer>): Promise<void> {
  const send = requestsTo(device, TO_INTERFACE, index);
  await answered(send(SET_LINE_CODING, 0, coding));
  await answered(send(SET_CONTROL_LINE_STATE, DATA_TERMINAL_READY | REQUEST_TO_SEND));
}

/**
 * Claims both interfaces of an open device, sets the line coding (baud rate, 8 data bits, no parity, 1 stop bit) and
 * raises DTR and RTS. A device without a real serial line may stall both requests. Rejects with a UsbError.
 */
export async function openAcmLine(
  device: UsbDevice,
  { control, data }: AcmInterfaces,
  baudRate: number,
): Promise<void> {
  // Closing gives the interfaces back in this order: cdc_acm takes both once the control interface is free.
  await device.claim(data.number);
  await device.claim(control.number);
  await sendLineCoding(device, control.number, lineCoding({ ...EIGHT_NONE, baudRate }));
}

/** The adapter. */
export const acm: Adapter = {
  name: 'CDC-ACM',
  pipes(identity) {
    const found = acmInterfaces(identity);
    if (found?.out === undefined) return undefined;
    return { interfaces: [found.data.number, found.control.number], in: found.in, out: found.out };
  },
  set: (device, { interfaces }, line) => sendLineCoding(device, interfaces.at(-1) ?? 0, lineCoding(line)),
};
