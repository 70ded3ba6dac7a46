import { describe, expect, it } from 'vitest';
import { bytes, printerOnBus } from './bench.ts';

const ENTER = bytes([0x1d, 0x28, 0x45, 3, 0, 1], 'IN');
const LEAVE = bytes([0x1d, 0x28, 0x45, 4, 0, 2], 'OUT');

describe('setup mode (GS ( E) of the virtual printer', () => {
  it('is entered with a notice, swallows receipts whatever they say, and is left with a reset', async () => {
    const { printer, ask, write } = await printerOnBus();
    expect(await ask('before\n', [0x1b, 0x61, 2], ENTER)).toEqual([0x37, 0x20, 0]);
    expect(printer.inSetup).toBe(true);
    await write('swallowed\n', [0x1b, 0x40, 0x1b, 0x3d, 1], 'and this\n', [0x1d, 0x76, 0x30, 0, 1, 0, 1, 0, 0xff]);
    await write([0x1b, 0x70, 0, 10, 10]);
    expect(printer.pulses).toEqual([]);
    expect(printer.paperText()).toBe('before\n');
    await write(LEAVE, 'after\n');
    expect(printer.inSetup).toBe(false);
    expect(printer.paperText()).toBe('before\nafter\n');
  });

  it('answers GS I and real-time status, and ends where the power goes', async () => {
    const { printer, usb, ask } = await printerOnBus();
    await ask(ENTER);
    expect(await ask([0x1d, 0x49, 67])).toEqual([...bytes(0x5f, 'TM-T20III', 0)]);
    expect(await ask([0x10, 4, 1])).toEqual([0x12]);
    usb.unplug(printer);
    expect(printer.inSetup).toBe(false);
  });

  it('is entered and left by these bytes alone', async () => {
    const { printer, ask, write } = await printerOnBus();
    await write([0x1d, 0x28, 0x45, 3, 0, 1], 'ON', LEAVE, 'printed\n');
    expect(printer.inSetup).toBe(false);
    await ask(ENTER);
    await write([0x1d, 0x28, 0x45, 3, 0, 2], 'OUT', 'swallowed\n');
    expect(printer.inSetup).toBe(true);
    expect(printer.paperText()).toBe('printed\n');
  });
});
