/** Drawn rows are dots to a printer; its paper as text has their words where somebody said them. */
import { describe, expect, it } from 'vitest';
import { printerOnBus, raster } from './bench.ts';

const dots = (seed: number, length: number) => Uint8Array.from({ length }, (_, at) => (at * 7 + seed) & 0x7f);
const ROW = 72 * 34;
const inline = (data: Uint8Array) => Uint8Array.of(0x1b, 0x2a, 33, data.length / 3, 0, ...data);

describe('the text of drawn rows', () => {
  it('stands in the paper as text, each row on its own', async () => {
    const { printer, write } = await printerOnBus();
    const rows = ['مقهى الزاوية', 'المجموع ٥٫٤٠'].map((text, n) => ({ text, dots: dots(n, ROW) }));
    printer.drew(rows);
    await write('before\n', ...rows.map((row) => raster(72, row.dots)), 'after\n');
    expect(printer.paperText()).toBe('before\nمقهى الزاوية\nالمجموع ٥٫٤٠\nafter\n');
  });

  it('stands there once where a slow printer is sent the row as several pictures', async () => {
    const { printer, write } = await printerOnBus();
    const rows = ['مقهى الزاوية', 'المجموع ٥٫٤٠'].map((text, n) => ({ text, dots: dots(n, ROW) }));
    printer.drew(rows);
    const cut = rows.flatMap((row) => [0, 1, 5].map((from, n) => row.dots.subarray(from * 72, [1, 5, 34][n]! * 72)));
    await write('before\n', ...cut.map((each) => raster(72, each)), 'after\n');
    expect(printer.paperText()).toBe('before\nمقهى الزاوية\nالمجموع ٥٫٤٠\nafter\n');
  });

  it('stands in the line that it was drawn into, with what is around it', async () => {
    const { printer, write } = await printerOnBus();
    const [drawn, other] = [dots(3, 72), dots(4, 72)];
    printer.drew([{ text: 'ไทย', dots: drawn }]);
    await write('<', inline(drawn), '> <', inline(other), '>\n');
    expect(printer.paperText()).toBe('<ไทย> <[image 24x24]>\n');
  });

  it('is not that of a picture, nor of other dots', async () => {
    const { printer, write } = await printerOnBus();
    printer.drew([{ text: 'said', dots: dots(1, ROW) }]);
    await write(raster(72, dots(2, ROW)));
    expect(printer.paperText()).toBe('[raster 576x34]\n');
  });

  it('is not that of what has no ink: a gap, or white rows of a picture', async () => {
    const { printer, write } = await printerOnBus();
    const [white, black] = [new Uint8Array(72), dots(3, ROW)];
    printer.drew([
      { text: 'said', dots: white },
      { text: 'row', dots: black },
    ]);
    await write(
      '<',
      inline(white),
      '>\n',
      raster(72, new Uint8Array(72)),
      raster(72, black),
      raster(72, white),
      'end\n',
    );
    expect(printer.paperText()).toBe('<  >\nrow\nend\n');
  });

  it('is kept for as much as a roll holds: of more, the oldest is forgotten', async () => {
    const { printer, write } = await printerOnBus();
    const first = dots(5, ROW);
    printer.drew([{ text: 'first', dots: first }]);
    for (let n = 0; n < 20_000; n += 1) printer.drew([{ text: `row ${n}`, dots: Uint8Array.of(n & 0xff, n >> 8) }]);
    await write(raster(72, first), raster(2, Uint8Array.of(19_999 & 0xff, 19_999 >> 8)));
    expect(printer.paperText()).toBe('[raster 576x34]\nrow 19999\n');
  });
});

describe('the paper as text', () => {
  it('has no spaces where letters of two sizes or fonts touch, and those between columns', async () => {
    const { printer, write } = await printerOnBus();
    const [big, small] = [
      [0x1d, 0x21, 0x11],
      [0x1d, 0x21, 0],
    ];
    await write(big, 'AB', small, 'cd', [0x1b, 0x24, 240, 0], 'e', [0x1b, 0x4d, 1], 'f', [0x1b, 0x4d, 0], 'g\n');
    expect(printer.paperText()).toBe(`ABcd${' '.repeat(14)}efg\n`);
  });
});
