/** FTDI FT232 and its kin (AN232B-04 and AN232B-05; numbers as in Linux, drivers/usb/serial/ftdi_sio.h). */
import type { LineSettings } from '../../../codecs/serial-line.ts';
import type { UsbDevice } from '../usb.ts';
import { type Adapter, type AdapterPipes, PARITY, requestsTo, vendorPipes } from './adapter.ts';

/** FT232B/R, FT2232, FT4232, FT232H, FT-X; a display and a cable of Bixolon that are one. */
const IDS = new Set(['0403:6001', '0403:6010', '0403:6011', '0403:6014', '0403:6015', '1504:008c', '1504:0011']);
/** Chips of several lines are told which: 1 is the first. */
const SEVERAL = new Set(['6010', '6011']);

const VENDOR_OUT = 0x40;
const RESET = 0;
const MODEM_CONTROL = 1;
const SET_FLOW = 2;
const SET_BAUD_RATE = 3;
const SET_DATA = 4;
const SET_EVENT_CHARACTER = 6;
const SET_LATENCY = 9;
const DTR_AND_RTS = 0x0303;
const EVENT_CHARACTER_ON = 0x100;
/**
 * Interval at which a chip without data sends its status (ms): as seldom as it can. What does not end with the event character
 * waits as long (AN232B-04, Small Amounts of Data; Adjusting the Receive Buffer Latency Timer: 1 to 255).
 */
const LATENCY_MS = 255;

/** The base of the divisor, in eighths of the clock of 3 MHz. */
const EIGHTHS = 24_000_000;
/** By the eighths of a divisor: their code in bits 14 to 16 (AN232B-05). */
const FRACTIONS = [0, 3, 2, 4, 1, 5, 6, 7] as const;

const STATUS_BYTES = 2;
/** Errors in the second status byte: overrun, parity, framing and break. */
const LINE_ERRORS = 0x1e;

/** The adapter. */
export const ftdi: Adapter = {
  name: 'FTDI',
  pipes: (identity) => vendorPipes(IDS, identity),
  async set(
    device: UsbDevice,
    { interfaces: [at = 0] }: AdapterPipes,
    { baudRate, ...line }: LineSettings,
    last?: string,
  ) {
    const port = SEVERAL.has(device.identity.productId) ? at + 1 : 0;
    const send = requestsTo(device, VENDOR_OUT, port);
    const eighths = Math.round(EIGHTHS / baudRate);
    const divisor = (eighths >> 3) | (FRACTIONS[eighths & 7]! << 14);
    await send(RESET, 0);
    await send(SET_BAUD_RATE, divisor & 0xffff, undefined, port === 0 ? divisor >> 16 : ((divisor >> 16) << 8) | port);
    await send(SET_DATA, line.dataBits | (PARITY[line.parity] << 8) | ((line.stopBits - 1) << 12));
    await send(SET_FLOW, 0);
    await send(SET_LATENCY, LATENCY_MS);
    await send(SET_EVENT_CHARACTER, last === undefined ? 0 : EVENT_CHARACTER_ON | last.charCodeAt(0));
    await send(MODEM_CONTROL, DTR_AND_RTS);
  },
  unpack: (packet) => ({
    bytes: packet.subarray(STATUS_BYTES),
    broken: packet.length > STATUS_BYTES && ((packet[1] ?? 0) & LINE_ERRORS) !== 0,
  }),
};
