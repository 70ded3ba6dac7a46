import { describe, expect, it } from 'vitest';
import { bytes, type Part, pictured, printed, printerOnBus } from './bench.ts';

const graphics = (colour: number, ...rows: number[]) =>
  bytes([0x1d, 0x28, 0x4c, 10 + rows.length, 0, 0x30, 0x70, 0x30, 1, 1, colour, 8, 0, rows.length, 0], rows);
const PRINT = [0x1d, 0x28, 0x4c, 2, 0, 0x30, 0x32];
const ignored = async (...parts: Part[]): Promise<string[]> => {
  const { printer, write } = await printerOnBus();
  await write(...parts);
  return printer.paperFacts().ignored.map(({ command, count }) => `${command} x${count}`);
};

describe('graphics of GS ( L', () => {
  it('keep the first colour under an empty second one, and show both', async () => {
    const svg = await pictured(graphics(49, 0xf0), graphics(50, 0x00), PRINT);
    expect(svg).toContain('d="M0 0.5h4" stroke="#000"');
    const both = await pictured(graphics(49, 0xf0), graphics(50, 0x0f), PRINT, 'below\n');
    expect(both).toContain('d="M0 0.5h4" stroke="#000"');
    expect(both).toContain('d="M4 0.5h4" stroke="#d00"');
    expect(both).toContain('translate(0 1)');
  });

  it('are lost with ESC @ where they are in RAM, and not where they are in flash', async () => {
    const store = (fn: number) => bytes([0x1d, 0x28, 0x4c, 12, 0, 0x30, fn, 0x30], 'AB', [1, 8, 0, 1, 0, 0x31, 0xff]);
    const show = (fn: number) => bytes([0x1d, 0x28, 0x4c, 6, 0, 0x30, fn], 'AB', [1, 1]);
    expect(await printed(store(67), [0x1b, 0x40], show(69))).toBe('▀▀▀▀▀▀▀▀\n');
    expect(await printed(store(83), [0x1b, 0x40], show(85))).toBe('');
    expect(await ignored(show(69))).toEqual(['GS ( L 69 x1']);
  });
});

describe('macros', () => {
  it('are obeyed while they are defined, and again as often as GS ^ says', async () => {
    expect(await printed([0x1d, 0x3a], 'one\n', [0x1d, 0x3a], 'two\n', [0x1d, 0x5e, 2, 0, 0])).toBe(
      'one\ntwo\none\none\n',
    );
  });

  it('open the drawer again, are given up by GS ^ within, and do not run without end', async () => {
    const { printer, write } = await printerOnBus();
    await write([0x1d, 0x3a, 0x1b, 0x70, 0, 10, 10, 0x1d, 0x3a, 0x1d, 0x5e, 3, 0, 0]);
    expect(printer.pulses).toHaveLength(4);
    expect(await ignored([0x1d, 0x3a], 'a\n', [0x1d, 0x5e, 1, 0, 0, 0x1d, 0x5e, 1, 0, 0])).toEqual(['GS ^ x2']);
    const many = Array.from({ length: 200 }, () => [0x1d, 0x5e, 255, 0, 0]).flat();
    const [told = ''] = await ignored([0x1d, 0x3a], 'x'.repeat(2000), [0x1d, 0x3a], many);
    expect(told).toMatch(/^GS \^ x1\d\d$/);
  });
});

describe('characters', () => {
  it("of one's own are printed in the place of their codes, until ESC ? or ESC @", async () => {
    const define = [0x1b, 0x26, 3, 65, 65, 1, 0xff, 0, 0];
    const svg = await pictured(define, [0x1b, 0x25, 1, 0x1d, 0x21, 0x11], 'AB\n');
    expect(svg).toContain('scale(2 2)" d="M0 0.5h1M0 1.5h1');
    expect(svg).toContain('>B<');
    expect(await printed(define, [0x1b, 0x25, 1, 0x1b, 0x3f, 65], 'A\n')).toBe('A\n');
    expect(await printed(define, [0x1b, 0x25, 1, 0x1b, 0x40, 0x1b, 0x25, 1], 'A\n')).toBe('A\n');
  });

  it('stand on their heads from the right edge, or lie on their sides', async () => {
    const svg = await pictured([0x1b, 0x7b, 1], 'head\n');
    expect(svg).toMatch(/<g transform="rotate\(180 552 12\)">.*translate\(528 0\).*>head</);
    expect(await printed([0x1b, 0x7b, 1, 0x1b, 0x61, 2], 'head\n')).toBe('head\n');
    expect(await pictured([0x1b, 0x56, 1], 'ab\n')).toMatch(
      /translate\(24 0\) rotate\(90\).*>a<.*translate\(48 0\) rotate\(90\).*>b</,
    );
  });
});

describe('what the paper does not show', () => {
  it('is named where it stood and takes no room, and an unknown command, too', async () => {
    expect(await ignored([0x1b, 0x55, 1, 0x1b, 0x55, 0, 0x1b, 0x5a], 'x\n')).toEqual(['ESC U x2', 'ESC Z x1']);
    const svg = await pictured([0x1d, 0x28, 0x4b, 2, 0, 0x31, 3], 'text\n');
    expect(svg).toContain('>not shown: GS ( K 49<');
    expect(svg).toContain('translate(0 0)');
    expect(await printed([0x1b, 0x55, 1], 'text\n')).toBe('text\n');
  });

  it('is a frame with its data where the printer has ink', async () => {
    const aztec = bytes([0x1d, 0x28, 0x6b, 7, 0, 53, 80, 48], 'till', [0x1d, 0x28, 0x6b, 3, 0, 53, 81, 48]);
    expect(await printed(aztec)).toBe('[GS ( k 53 Aztec Code till]\n');
    expect(await ignored(aztec)).toEqual(['GS ( k 53 81 x1']);
  });

  it('lists what a model without a two-byte font does not have, and keeps the paper clean of it', async () => {
    const { printer, write } = await printerOnBus();
    await write([0x1c, 0x2d, 1, 0x1c, 0x32, 0xb0, 0xa1], new Uint8Array(72).fill(0x41), 'text\n');
    expect(printer.paperFacts().ignored).toEqual([
      { command: 'FS -', count: 1 },
      { command: 'FS 2', count: 1 },
    ]);
    expect(printer.paperSvg()).not.toContain('not shown');
    expect(printer.paperText()).toBe('text\n');
  });

  it('has the cut of a printer without a cutter in it', async () => {
    const printerModel = { dots: 576, columns: 48, codePages: 'epson', cutter: false };
    const { printer, write } = await printerOnBus({ printerModel });
    await write('text\n', [0x1d, 0x56, 0x41, 0, 0x1b, 0x69]);
    expect(printer.paperText()).toBe('text\n');
    expect(printer.paperFacts()).toEqual({
      ...{ rows: 1, commands: 2, tornOff: 0, tornOffRows: 0 },
      ignored: [
        { command: 'GS V', count: 1 },
        { command: 'ESC i', count: 1 },
      ],
    });
  });
});

describe('a counter', () => {
  it('counts from one end to the other and begins anew, each number as often as it is told', async () => {
    const count = [0x1d, 0x63, 0x0a];
    expect(await printed([0x1d, 0x43, 0x30, 3, 1, 0x1d, 0x43], ';8;9;1;2;8;', count, count, count, count, count)).toBe(
      '008\n008\n009\n009\n008\n',
    );
  });
});

describe('the user memory', () => {
  it('is written and read back, and outlasts the power', async () => {
    const { printer, usb, ask } = await printerOnBus();
    const READ = [0x1c, 0x67, 0x32, 0, 3, 0, 0, 0, 2, 0];
    expect(await ask([0x1c, 0x67, 0x31, 0, 3, 0, 0, 0, 2, 0], 'ok', READ)).toEqual([...bytes(0x5f, 'ok', 0)]);
    usb.unplug(printer);
    usb.plug(printer);
    expect(printer.paperFacts().ignored).toEqual([]);
  });
});
