import { describe, expect, it } from 'vitest';
import { bytes, DLE_DC4, ESC_P, printerOnBus, REALTIME_PULSE_OFF, raster } from './bench.ts';

/** An image whose dots spell a pulse. */
const imageOf = (pulse: Uint8Array): Uint8Array =>
  raster(8, bytes('ABC', pulse, new Uint8Array(16 - 3 - pulse.length)));

describe('the drawer of the virtual printer', () => {
  it('is pulsed by ESC p, on the pin and for the times it says', async () => {
    const { printer, write } = await printerOnBus();
    await write(ESC_P, [0x1b, 0x70, 0x31, 0x20, 0x10]);
    expect(printer.pulses).toEqual([
      { pin: 2, onMs: 50, offMs: 500, realtime: false },
      { pin: 5, onMs: 64, offMs: 64, realtime: false },
    ]);
    expect(printer.state.drawer).toBe('open');
  });

  it('is pulsed by DLE DC4 1 at once, even with the cover open', async () => {
    const { printer, write } = await printerOnBus();
    printer.set({ cover: 'open' });
    await write(ESC_P, [0x10, 0x14, 0x01, 0x01, 0x02]);
    expect(printer.pulses).toEqual([{ pin: 5, onMs: 200, offMs: 200, realtime: true }]);
    printer.set({ cover: 'closed', drawer: 'closed' });
    expect(printer.pulses).toHaveLength(2);
  });

  it.each([
    [[0x10, 0x14, 0x01, 0x02, 0x01]],
    [[0x10, 0x14, 0x01, 0x00, 0x09]],
    [[0x10, 0x14, 0x01, 0x00, 0x00]],
    [[0x1b, 0x70, 0x02, 1, 1]],
  ])('stays shut on %j, which is out of range', async (wrong) => {
    const { printer, write } = await printerOnBus();
    await write(wrong);
    expect(printer.pulses).toEqual([]);
    expect(printer.state.drawer).toBe('closed');
  });

  it('stays shut on ESC p inside an image, and opens on DLE DC4 there', async () => {
    const { printer, write } = await printerOnBus();
    await write(imageOf(ESC_P));
    expect(printer.pulses).toEqual([]);
    await write(imageOf(DLE_DC4));
    expect(printer.pulses).toHaveLength(1);
  });

  it('stays shut on DLE DC4 after GS ( D, until ESC @', async () => {
    const { printer, write } = await printerOnBus();
    await write(REALTIME_PULSE_OFF, imageOf(DLE_DC4), DLE_DC4);
    expect(printer.pulses).toEqual([]);
    await write('\x1b@', DLE_DC4);
    expect(printer.pulses).toHaveLength(1);
  });

  it('stays shut on DLE DC4 inside an image of a printer that does not look there', async () => {
    const { printer, write } = await printerOnBus({ realtimeInPayload: false });
    await write(imageOf(DLE_DC4));
    expect(printer.pulses).toEqual([]);
    await write(DLE_DC4);
    expect(printer.pulses).toHaveLength(1);
  });

  it.each([
    ['a QR code', bytes([0x1d, 0x28, 0x6b, 8, 0, 0x31, 0x50, 0x30], ESC_P)],
    ['stored graphics', bytes([0x1d, 0x28, 0x4c, 15, 0, 0x30, 0x70, 0x30, 1, 1, 0x31, 40, 0, 1, 0], ESC_P)],
    ['large stored graphics', bytes([0x1d, 0x38, 0x4c, 15, 0, 0, 0, 0x30, 0x70, 0x30, 1, 1, 0x31, 40, 0, 1, 0], ESC_P)],
    ['columns of dots', bytes([0x1b, 0x2a, 0x00, 5, 0], ESC_P)],
    ['a tab list', bytes([0x1b, 0x44, 0x01, 0x1b, 0x70, 0x00])],
    ['a position', bytes([0x1b, 0x24, 0x1b, 0x70, 0x00])],
    ['an NV image', bytes([0x1c, 0x71, 1, 1, 0, 1, 0], ESC_P, [0, 0, 0])],
    ['user-defined characters', bytes([0x1b, 0x26, 3, 0x41, 0x42, 1, 1, 2, 3, 2], ESC_P, 0)],
    ['a downloaded image', bytes([0x1d, 0x2a, 1, 1], ESC_P, [0, 0, 0])],
  ])(
    'stays shut on ESC p inside %s, and opens on the one behind it, however the bytes are cut',
    async (_what, command) => {
      for (const size of [1, 3, 512]) {
        const { printer, write } = await printerOnBus();
        for (let at = 0; at < command.length; at += size) await write(command.subarray(at, at + size));
        expect(printer.pulses).toEqual([]);
        await write(ESC_P);
        expect(printer.pulses).toHaveLength(1);
      }
    },
  );

  it.each([
    ['an image with a mode that does not exist', bytes([0x1d, 0x76, 0x30, 9, 8, 0, 1, 0], ESC_P)],
    ['a bar code behind text of its line', bytes('text', [0x1d, 0x6b, 0x49, 5], ESC_P)],
    ['bar code data that its alphabet does not hold', bytes([0x1d, 0x6b, 67, 6, 0x31], ESC_P)],
    ['the end of a bar code without length', bytes([0x1d, 0x6b, 4], 'A', ESC_P)],
    ['a lead that begins no command', bytes(0x1b, ESC_P)],
  ])('opens on ESC p behind %s', async (_what, job) => {
    const { printer, write } = await printerOnBus();
    await write(job);
    expect(printer.pulses).toHaveLength(1);
  });

  it.each([255, 256, 257, 16_639, 16_640, 60_000])('opens on ESC p behind %i characters of text', async (length) => {
    const { printer, write } = await printerOnBus();
    await write('x'.repeat(length), ESC_P, 'more text', ESC_P);
    expect(printer.pulses).toHaveLength(2);
  });

  it('is left to real-time commands by ESC =, which deselects the printer', async () => {
    const { printer, write } = await printerOnBus();
    await write([0x1b, 0x3d, 2], ESC_P, 'unseen\n');
    expect(printer.pulses).toEqual([]);
    await write(DLE_DC4, [0x1b, 0x3d, 1], ESC_P);
    expect(printer.pulses.map((pulse) => pulse.realtime)).toEqual([true, false]);
    expect(printer.paperText()).toBe('');
  });
});
