/** Shades of grey to the dots of a print head, in whole numbers: every engine gives the same dots. */
import { atOnce, type Dither, type Grey, PictureError, type PictureSteps, STEP_PIXELS } from './picture.ts';
import type { Bitmap } from './raster.ts';

/** Most bytes of a raster: in base64 they leave 16 KiB of the 256 KiB of a print command to its other lines. */
export const MOST_RASTER_BYTES = 180 * 1024;

/** Darker shades are black where no error is spread. */
export const HALF = 128;
const WHITE = 255;

/** Dots for these shades, `width` of them across; the height follows. Throws a PictureError `too_tall` where they take over `mostBytes`. */
export const ditheredTo = (grey: Grey, width: number, dither: Dither, mostBytes?: number): Bitmap =>
  atOnce(dithering(grey, width, dither, mostBytes));

/** As `ditheredTo`, a few rows at a step. */
export function* dithering(
  grey: Grey,
  width: number,
  dither: Dither,
  mostBytes: number = MOST_RASTER_BYTES,
): PictureSteps<Bitmap> {
  const height = Math.max(1, divided(grey.height * width, grey.width));
  const rowBytes = Math.ceil(width / 8);
  const most = Math.floor(mostBytes / rowBytes);
  if (height > most) {
    const words = `the picture is ${height} rows high at ${width} dots, and at most ${most} are taken: choose a smaller width`;
    throw new PictureError('too_tall', words);
  }
  const { data } = width === grey.width ? grey : yield* scaled(grey, width, height);
  const isBlack = dither === 'threshold' ? (shade: number) => shade < HALF : diffusion(width);
  const dots = new Uint8Array(rowBytes * height);
  for (let y = 0, pixel = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, pixel += 1)
      if (isBlack(data[pixel]!, x)) dots[y * rowBytes + (x >> 3)]! |= 0x80 >> (x & 7);
    if (pixel % STEP_PIXELS < width) yield;
  }
  return { width, height, data: dots };
}

/** The quotient of two whole numbers, rounded to the nearest; halves up. */
export const divided = (a: number, b: number): number => Math.floor((2 * a + b) / (2 * b));

/**
 * Says of one shade after the other, row by row, whether its dot is black: R. W. Floyd and L. Steinberg, "An Adaptive
 * Algorithm for Spatial Greyscale", Proceedings of the SID 17/2, 1976.
 */
export function diffusion(width: number): (shade: number, x: number) => boolean {
  // Sixteenths of a shade; a place at either side takes what falls off the paper.
  let here = new Int32Array(width + 2);
  let below = new Int32Array(width + 2);
  return (shade, x) => {
    if (x === 0) {
      [here, below] = [below, here];
      below.fill(0);
    }
    const wanted = shade + ((here[x + 1]! + 8) >> 4);
    const isBlack = wanted < HALF;
    const error = isBlack ? wanted : wanted - WHITE;
    here[x + 2]! += 7 * error;
    below[x]! += 3 * error;
    below[x + 1]! += 5 * error;
    below[x + 2]! += error;
    return isBlack;
  };
}

/** Scaled by area: a shade is the mean of what it covers, each source pixel counted by the part that is covered. */
function* scaled({ width, height, data }: Grey, toWidth: number, toHeight: number): PictureSteps<Grey> {
  const shades = new Uint8Array(toWidth * toHeight);
  const across = new Float64Array(toWidth);
  const sums = new Float64Array(toWidth);
  let left = STEP_PIXELS;
  for (let y = 0, row = 0; y < height; y += 1) {
    sumAcross(data.subarray(y * width, (y + 1) * width), across);
    // A source row is `toHeight` units high, a row of the result `height`: they meet at whole numbers.
    for (let from = y * toHeight; from < (y + 1) * toHeight; ) {
      const end = Math.min((y + 1) * toHeight, (row + 1) * height);
      for (let x = 0; x < toWidth; x += 1) sums[x]! += across[x]! * (end - from);
      from = end;
      if (end < (row + 1) * height) continue;
      for (let x = 0; x < toWidth; x += 1) shades[row * toWidth + x] = divided(sums[x]!, width * height);
      sums.fill(0);
      row += 1;
    }
    left -= width + toWidth;
    if (left > 0) continue;
    left = STEP_PIXELS;
    yield;
  }
  return { width: toWidth, height: toHeight, data: shades };
}

/** One row: the sums of what each of `sums` covers, `shades.length` units wide each. */
export function sumAcross(shades: Uint8Array, sums: Float64Array): void {
  const { length: width } = shades;
  const { length: toWidth } = sums;
  for (let to = 0, x = 0, from = 0; to < toWidth; to += 1) {
    let sum = 0;
    for (const end = (to + 1) * width; from < end; ) {
      const next = Math.min(end, (x + 1) * toWidth);
      sum += shades[x]! * (next - from);
      from = next;
      if (from === (x + 1) * toWidth) x += 1;
    }
    sums[to] = sum;
  }
}
