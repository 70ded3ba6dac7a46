/** Pictures of one bit a dot, and the strips they are printed in (Epson TM-T88III manual, GS v 0). */

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
/** DLE DC4 1 kicks the drawer, 2 switches off, 8 clears the buffers: printers look for them inside data as well. */
const isTrigger = (byte: number | undefined): boolean => byte === 1 || byte === 2 || byte === 8;

/** Where a printer would find a real-time command with an effect; -1 where it finds none (Epson TM-T88III manual). */
export function realtimeCommandAt(data: Uint8Array, from = 0): number {
  for (let at = data.indexOf(DLE, from); at >= 0; at = data.indexOf(DLE, at + 1)) {
    if (data[at + 1] === DC4 && isTrigger(data[at + 2])) return at;
  }
  return -1;
}

/** The same picture without real-time commands in it: each costs one black dot. */
export function harmless(data: Uint8Array): Uint8Array {
  let at = realtimeCommandAt(data);
  if (at < 0) return data;
  const copy = data.slice();
  for (; at >= 0; at = realtimeCommandAt(copy, at + 1)) copy[at + 2] = 0;
  return copy;
}

/** Why a picture cannot be printed as it is; undefined where it can. */
export function rasterFault({ width, height, data }: Bitmap, dots: number): string | undefined {
  if (width > dots) return `raster of ${width} dots is wider than the ${dots} of this printer`;
  const bytes = Math.ceil(width / 8) * height;
  if (data.length !== bytes) return `raster of ${width} by ${height} dots takes ${bytes} bytes, not ${data.length}`;
  return undefined;
}
