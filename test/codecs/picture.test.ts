/** Shades of grey to dots. */
import { describe, expect, it } from 'vitest';
import { type Grey, greyOf, type Pixels, shadeOf } from '../../codecs/picture.ts';
import { rasterFrom, rasterOf } from '../../codecs/picture-raster.ts';

const flat = (width: number, height: number, shade: number): Grey => ({
  width,
  height,
  data: new Uint8Array(width * height).fill(shade),
});
const bits = ({ data, width, height }: { data: string; width: number; height: number }) => {
  const bytes = Buffer.from(data, 'base64');
  const rowBytes = Math.ceil(width / 8);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => ((bytes[y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1 ? '#' : '.')).join(
      '',
    ),
  );
};

describe('a pixel', () => {
  it.each([
    [[255, 255, 255, 255], 255],
    [[0, 0, 0, 255], 0],
    [[255, 0, 0, 255], 76],
    [[0, 255, 0, 255], 150],
    [[0, 0, 255, 255], 29],
    [[0, 0, 0, 0], 255],
    [[0, 0, 0, 128], 127],
  ] as const)('%j is on white paper of the shade %i (Rec. 601)', ([red, green, blue, alpha], shade) => {
    expect(shadeOf(red, green, blue, alpha)).toBe(shade);
  });
});

describe('a raster', () => {
  it('is as wide as the picture, and no wider than the paper; wider where it is asked for', () => {
    const sizeOf = ({ width, height }: { width: number; height: number }) => [width, height];
    expect(sizeOf(rasterOf(flat(100, 50, 0)))).toEqual([100, 50]);
    expect(sizeOf(rasterOf(flat(1000, 500, 0)))).toEqual([576, 288]);
    expect(sizeOf(rasterOf(flat(1000, 500, 0), { columns: 32 }))).toEqual([384, 192]);
    expect(sizeOf(rasterOf(flat(100, 50, 0), { width: 200 }))).toEqual([200, 100]);
    expect(sizeOf(rasterOf(flat(1000, 1, 0), { width: 8 }))).toEqual([8, 1]);
  });

  it('has the mean of what a dot covers, parts of pixels by their size', () => {
    // Three pixels to two dots: each takes two thirds of its own and one third of the middle one.
    const row: Grey = { width: 3, height: 1, data: Uint8Array.of(0, 255, 255) };
    expect(bits(rasterOf(row, { width: 2, dither: 'threshold' }))).toEqual(['#.']);
    const checks: Grey = {
      width: 4,
      height: 4,
      data: Uint8Array.from({ length: 16 }, (_, at) => ((at + (at >> 2)) % 2) * 255),
    };
    expect(bits(rasterOf(checks, { width: 2, dither: 'threshold' }))).toEqual(['..', '..']);
    expect(bits(rasterOf(checks, { width: 8, dither: 'threshold' }))[0]).toBe('##..##..');
  });

  it('is black by threshold where it is darker than half', () => {
    const row: Grey = { width: 4, height: 1, data: Uint8Array.of(0, 127, 128, 255) };
    expect(bits(rasterOf(row, { dither: 'threshold' }))).toEqual(['##..']);
  });

  it('diffuses the error of a dot to its neighbours as Floyd and Steinberg say', () => {
    // By hand: 100 black, 144 white, 51 black, 122 black; below, with 5, 3 and 1 of 16: 110, 129 white, 77, 175 white.
    expect(bits(rasterOf(flat(4, 2, 100)))).toEqual(['#.##', '#.#.']);
    const black = bits(rasterOf(flat(200, 200, 64)))
      .join('')
      .replaceAll('.', '').length;
    expect(black / 40_000).toBeCloseTo(191 / 255, 2);
    expect(bits(rasterOf(flat(9, 2, 255)))).toEqual(['.........', '.........']);
  });

  it('is refused where it is taller than a print command takes', () => {
    expect(() => rasterOf(flat(576, 3000, 0))).toThrow(
      'the picture is 3000 rows high at 576 dots, and at most 2560 are taken: choose a smaller width',
    );
    expect(rasterOf(flat(576, 2560, 0)).data.length).toBeLessThan(240 * 1024 + 4);
  });

  it.each([0, -1, 1.5, 2041, Number.NaN])('has no width of %d', (width) => {
    expect(() => rasterOf(flat(8, 8, 0), { width })).toThrow('a width is 1 to 2040 dots');
  });

  it('is made of pixels and of files, and of nothing else', async () => {
    const pixels: Pixels = { width: 2, height: 1, data: Uint8ClampedArray.of(0, 0, 0, 255, 9, 9, 9, 0) };
    expect(bits(await rasterFrom(pixels))).toEqual(['#.']);
    expect(greyOf(pixels).data).toEqual(Uint8Array.of(0, 255));
    await expect(rasterFrom({ ...pixels, height: 2 })).rejects.toMatchObject({ code: 'corrupted' });
    await expect(rasterFrom({ ...pixels, width: 1e6, height: 1e6 })).rejects.toMatchObject({ code: 'too_large' });
    await expect(rasterFrom(Buffer.from('GIF89a'))).rejects.toMatchObject({ code: 'format' });
    await expect(rasterFrom(new Uint8Array())).rejects.toMatchObject({ code: 'format' });
    await expect(rasterFrom(new ArrayBuffer(33 * 1024 * 1024))).rejects.toMatchObject({ code: 'too_large' });
  });
});
