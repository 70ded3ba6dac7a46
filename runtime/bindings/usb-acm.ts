/** Serial lines over USB: CDC-ACM (Communications Class 1.2, PSTN Subclass 1.2), for rooms of serial devices. */
import type { UsbDevice, UsbIdentity, UsbInterface, UsbPipe } from './bindings.ts';
import { answered } from './usb-transfers.ts';

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
const REQUEST_MS = 1000;

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
  const coding = new Uint8Array(7);
  new DataView(coding.buffer).setUint32(0, baudRate, true);
  coding.set([0, 0, 8], 4);
  const index = control.number;
  const send = (request: number, value: number, bytes: Uint8Array) =>
    answered(device.controlOut({ requestType: TO_INTERFACE, request, value, index }, bytes, { timeoutMs: REQUEST_MS }));
  await send(SET_LINE_CODING, 0, coding);
  await send(SET_CONTROL_LINE_STATE, DATA_TERMINAL_READY | REQUEST_TO_SEND, new Uint8Array(0));
}
