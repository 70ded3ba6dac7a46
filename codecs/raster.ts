/** Bitmaps of one bit a dot for GS v 0 (Epson TM-T88III manual). */

export interface Bitmap {
  /** Dots. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Rows padded to a byte, the most significant bit on the left, 1 is black. */
  readonly data: Uint8Array;
}

const DLE = 0x10;
const DC4 = 0x14;
/** DLE DC4 1 opens the drawer, 2 switches off, 8 clears the buffers: printers obey these inside image data, too. */
const isTrigger = (byte: number | undefined): boolean => byte === 1 || byte === 2 || byte === 8;

/** Index of the first such real-time command from `from` on; -1 where there is none (Epson TM-T88III manual). */
export function realtimeCommandAt(data: Uint8Array, from = 0): number {
  for (let at = data.indexOf(DLE, from); at >= 0; at = data.indexOf(DLE, at + 1)) {
    if (data[at + 1] === DC4 && isTrigger(data[at + 2])) return at;
  }
  return -1;
}

/** The data with every such command broken by one changed dot; the same array where it contains none. */
export function harmless(data: Uint8Array): Uint8Array {
  let at = realtimeCommandAt(data);
  if (at < 0) return data;
  const copy = data.slice();
  for (; at >= 0; at = realtimeCommandAt(copy, at + 1)) copy[at + 2] = 0;
  return copy;
}

/** The reason why a bitmap cannot be printed on a printer with so many dots a line; undefined where it can. */
export function rasterFault({ width, height, data }: Bitmap, dots: number): string | undefined {
  if (width > dots) return `raster of ${width} dots is wider than the ${dots} of this printer`;
  const bytes = Math.ceil(width / 8) * height;
  if (data.length !== bytes) return `raster of ${width} by ${height} dots takes ${bytes} bytes, not ${data.length}`;
  return undefined;
}
