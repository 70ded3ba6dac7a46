/** Scanners that are a modem to USB (CDC-ACM, Communications Class 1.2, PSTN Subclass 1.2): bytes on a bulk pipe. */
import { DEFAULT_BAUD_RATE, type SerialOptions } from '../../codecs/serial-lines.ts';
import type { UsbDevice, UsbIdentity, UsbInterface, UsbPipe } from '../../runtime/bindings/bindings.ts';
import { answered } from '../../runtime/bindings/usb-hid.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/hotplug.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';
import type { ScannerSettings } from './contract.ts';
import { type ReadSink, Scanner } from './scanner.ts';
import { SerialReader } from './serial-reader.ts';

const COMMUNICATIONS = 0x02;
const ABSTRACT_CONTROL_MODEL = 0x02;
const DATA = 0x0a;
/** Union functional descriptor: a control interface and the data interfaces it has (Communications Class 1.2, 5.2.3.2). */
const CS_INTERFACE = 0x24;
const UNION = 0x06;

const TO_INTERFACE = 0x21;
const SET_LINE_CODING = 0x20;
const SET_CONTROL_LINE_STATE = 0x22;
const DATA_TERMINAL_READY = 0x01;
const REQUEST_TO_SEND = 0x02;
const REQUEST_MS = 1000;

export interface AcmInterfaces {
  readonly control: UsbInterface;
  readonly data: UsbInterface;
  /** Bulk IN: where what was read comes. */
  readonly pipe: UsbPipe;
}

/** The first modem of a device. */
export function acmInterfaces({ interfaces }: UsbIdentity): AcmInterfaces | undefined {
  const control = interfaces.find(
    (each) => each.class === COMMUNICATIONS && each.subclass === ABSTRACT_CONTROL_MODEL && each.alternate === 0,
  );
  if (control === undefined) return undefined;
  const united = unionOf(control.extra);
  for (const data of interfaces) {
    const belongs = data.class === DATA && data.alternate === 0 && (united?.has(data.number) ?? true);
    const pipe = data.pipes.find(({ type, direction }) => type === 'bulk' && direction === 'in');
    if (belongs && pipe !== undefined) return { control, data, pipe };
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

/** Drives a scanner whose row says that it is one: a modem could be anything. */
export async function bindSerial(
  { device }: Candidate,
  recipe: Resolution,
  settings: () => ScannerSettings,
  sink: ReadSink,
): Promise<Scanner | Refusal> {
  const acm = acmInterfaces(device.identity);
  if (acm === undefined) return { reason: 'bad_descriptor', detail: 'no CDC-ACM interface with a bulk IN pipe' };
  await device.open();
  try {
    // Closing gives the interfaces back in this order: cdc_acm takes both once the control interface is free.
    await device.claim(acm.data.number);
    await device.claim(acm.control.number);
    await openLine(device, acm.control.number, recipe.row.options);
  } catch (error) {
    await device.close();
    throw error;
  }
  const reader = new SerialReader(() => settings().interKeyTimeoutMs, sink);
  // One packet at a time: a read that fills its packets may be followed by none to end a longer transfer.
  return new Scanner({ device, recipe, pipe: acm.pipe, reportBytes: acm.pipe.maxPacketSize, reader });
}

/** 8 data bits, no parity, 1 stop bit; then the host is there. A device without a line of its own may stall both. */
async function openLine(
  device: UsbDevice,
  index: number,
  { baudRate = DEFAULT_BAUD_RATE }: SerialOptions,
): Promise<void> {
  const coding = new Uint8Array(7);
  new DataView(coding.buffer).setUint32(0, baudRate, true);
  coding.set([0, 0, 8], 4);
  const send = (request: number, value: number, data: Uint8Array) =>
    answered(device.controlOut({ requestType: TO_INTERFACE, request, value, index }, data, { timeoutMs: REQUEST_MS }));
  await send(SET_LINE_CODING, 0, coding);
  await send(SET_CONTROL_LINE_STATE, DATA_TERMINAL_READY | REQUEST_TO_SEND, new Uint8Array(0));
}
