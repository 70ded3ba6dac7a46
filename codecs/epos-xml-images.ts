/** Images of ePOS-Print XML as raster lines. */
import { encodeBase64 } from './base64-node.ts';
import { ditheredTo } from './dither.ts';
import { EposError } from './epos-xml-values.ts';

/** Rows of one raster line, so that a print command has place for it: a long image is several. */
const ROWS = 1000;
/** Shades of `gray16` that are darker by one: 15 is black, as the dots of GS ( L function 112 are. */
const SHADE = 17;
const WHITE = 255;

/** An image as it stands in the XML: `mono` has a bit a dot, `gray16` four, rows padded to a byte. */
export interface EposImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
  readonly mode: 'mono' | 'gray16';
}

/** Raster lines, from the top. Shades become dots by diffusion. Throws an EposError where the data have another length. */
export function* rasterLines({ width, height, data, mode }: EposImage) {
  const rowBytes = Math.ceil(width / (mode === 'mono' ? 8 : 2));
  if (data.length !== rowBytes * height)
    throw new EposError('image', `${width} by ${height} dots take ${rowBytes * height} bytes, not ${data.length}`);
  const rows = Math.min(ROWS, Math.max(1, Math.floor(135_000 / Math.ceil(width / 8))));
  for (let from = 0; from < height; from += rows) {
    const high = Math.min(rows, height - from);
    const part = data.subarray(from * rowBytes, (from + high) * rowBytes);
    const dots = mode === 'mono' ? part : dotsOf(part, width, high);
    yield { type: 'raster' as const, width, height: high, data: encodeBase64(dots) };
  }
}

function dotsOf(data: Uint8Array, width: number, height: number): Uint8Array {
  const rowBytes = Math.ceil(width / 2);
  const shades = new Uint8Array(width * height);
  for (let y = 0, pixel = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, pixel += 1) {
      const pair = data[y * rowBytes + (x >> 1)]!;
      shades[pixel] = WHITE - SHADE * (x % 2 === 0 ? pair >> 4 : pair & 15);
    }
  }
  return ditheredTo({ width, height, data: shades }, width, 'diffusion').data;
}
