import { describe, expect, it } from 'vitest';
import { bytes, pictured, printed } from './bench.ts';

const PAGE = [0x1b, 0x4c];
const FF = 0x0c;
const area = (x: number, y: number, width: number, height: number) =>
  bytes([0x1b, 0x57], ...[x, y, width, height].map((n) => [n & 255, n >> 8]));
/** Where, on the paper, each text stands. */
const placed = (svg: string): Record<string, string> =>
  Object.fromEntries(
    [...svg.matchAll(/<g transform="([^"]+)">(?:(?!<g).)*?>([^<]+)<\/text><\/g>/g)].map(([, place = '', text = '']) => [
      text,
      place,
    ]),
  );

describe('page mode', () => {
  it('is printed by FF alone, as high as its areas, and then left', async () => {
    const page = bytes(PAGE, area(0, 0, 576, 200), 'one\n', area(0, 100, 576, 200), 'two\n');
    expect(await printed(page)).toBe('');
    expect(await printed(page, FF, 'after\n')).toBe('one\ntwo\nafter\n');
    expect(await pictured(page, FF)).toContain(`viewBox="-32 -32 640 ${300 + 64}"`);
  });

  it('is dropped by ESC S and ESC @, and its area by CAN', async () => {
    expect(await printed(PAGE, 'gone\n', [0x1b, 0x53], 'after\n')).toBe('after\n');
    expect(await printed(PAGE, 'gone\n', [0x1b, 0x40], 'after\n')).toBe('after\n');
    expect(await printed(PAGE, area(0, 0, 576, 99), 'stays\n', area(0, 300, 576, 99), 'gone', 0x18, FF)).toBe(
      'stays\n',
    );
  });

  it('is printed twice by ESC FF and FF', async () => {
    expect(await printed(PAGE, 'page\n', [0x1b, FF], FF)).toBe('page\npage\n');
  });

  it('writes in four directions from the four corners of the area', async () => {
    const written = ['right', 'up', 'left', 'down'].map((text, n) => bytes([0x1b, 0x54, n], text));
    const svg = await pictured(PAGE, area(100, 50, 200, 300), ...written, FF);
    expect(placed(svg)).toEqual({
      right: 'translate(100 50)',
      up: 'translate(100 350) rotate(270)',
      left: 'translate(300 350) rotate(180)',
      down: 'translate(300 50) rotate(90)',
    });
  });

  it('moves by GS $, GS \\, ESC $ and ESC \\, in the units of GS P', async () => {
    const svg = await pictured(
      ...[PAGE, [0x1d, 0x24, 100, 0], 'a', [0x1d, 0x5c, 50, 0, 0x1b, 0x24, 60, 0], 'b', [0x1d, 0x5c, 0xf6, 0xff], 'c'],
      ...[[0x1b, 0x5c, 20, 0, 0x1d, 0x50, 203, 100, 0x1d, 0x24, 100, 0], 'd', FF],
    );
    expect(placed(svg)).toEqual({
      a: 'translate(0 76)',
      b: 'translate(60 126)',
      c: 'translate(72 116)',
      d: 'translate(104 179)',
    });
  });

  it('takes pictures and symbols where it stands, and leaves out what its area has no room for', async () => {
    const ean = bytes([0x1d, 0x68, 40, 0x1d, 0x6b, 67, 12], '400638133393');
    expect(
      await printed(PAGE, area(0, 0, 576, 60), 'text', [0x1d, 0x24, 60, 0], ean, [0x1d, 0x24, 99, 0], 'below', FF),
    ).toBe('text\n    [ean13 4006381333931]\n');
    expect(await printed([0x1d, 0x76, 0x30, 0, 1, 0, 1, 0, 0xf0], PAGE, 'p', FF)).toMatch(/▀▀▀▀\np\n/);
  });
});
