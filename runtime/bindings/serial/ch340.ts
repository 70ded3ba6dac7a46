/** WCH CH340 and CH341 (numbers as in Linux, drivers/usb/serial/ch341.c: the maker publishes none). */
import { type Adapter, requestsTo, vendorPipes } from './adapter.ts';

const IDS = new Set(['1a86:7523', '1a86:7522', '1a86:5523', '4348:5523']);

const VENDOR_OUT = 0x40;
const WRITE_REGISTERS = 0x9a;
const SERIAL_INIT = 0xa1;
const MODEM_CONTROL = 0xa4;
/** Prescaler (12 hex) and divisor (13 hex); line control (18 hex) and its second register (25 hex). */
const RATE = 0x1312;
const LINE_CONTROL = 0x2518;

const RATE_FACTOR = 1_532_620_800;
const MOST_PRESCALER = 3;
const MOST_FACTOR = 0xfff0;
/** Bit that has the chip send what is there; else it sends a packet only when 32 bytes are. */
const AT_ONCE = 0x80;

const RECEIVE_AND_TRANSMIT = 0xc0;
const EVEN = 0x10;
const WITH_PARITY = 0x08;
const TWO_STOP_BITS = 0x04;
const DTR_AND_RTS = 0x60;

function rateOf(baudRate: number): number {
  let factor = Math.floor(RATE_FACTOR / baudRate);
  let prescaler = MOST_PRESCALER;
  for (; factor > MOST_FACTOR && prescaler > 0; prescaler -= 1) factor >>= 3;
  return ((0x1_0000 - factor) & 0xff00) | AT_ONCE | prescaler;
}

/** The adapter. */
export const ch340: Adapter = {
  name: 'CH340',
  pipes: (identity) => vendorPipes(IDS, identity),
  async set(device, _pipes, { baudRate, dataBits, parity, stopBits }) {
    const send = requestsTo(device, VENDOR_OUT, 0);
    const checks = parity === 'none' ? 0 : WITH_PARITY | (parity === 'even' ? EVEN : 0);
    const control = RECEIVE_AND_TRANSMIT | (dataBits - 5) | checks | (stopBits === 2 ? TWO_STOP_BITS : 0);
    await send(SERIAL_INIT, 0);
    await send(WRITE_REGISTERS, RATE, undefined, rateOf(baudRate));
    await send(WRITE_REGISTERS, LINE_CONTROL, undefined, control);
    await send(MODEM_CONTROL, ~DTR_AND_RTS & 0xffff);
  },
};
