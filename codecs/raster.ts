/** Bitmaps of one bit a dot for GS v 0 (Epson TM-T88III manual). */

export interface Bitmap {
  /** Dots. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Rows padded to a byte, the most significant bit on the left, 1 is black. */
  readonly data: Uint8Array;
}

const ESC = 0x1b;
const DLE = 0x10;
const EOT = 0x04;
const ENQ = 0x05;
const P = 0x70;
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

/** A bitmap whose rows are white behind their width, whatever pads their last byte; the same one where they are. */
export function withoutPadding(bitmap: Bitmap): Bitmap {
  const { width, height, data } = bitmap;
  const rowBytes = Math.ceil(width / 8);
  const padding = 0xff >> (width & 7);
  if ((width & 7) === 0 || !data.some((byte, at) => at % rowBytes === rowBytes - 1 && (byte & padding) !== 0))
    return bitmap;
  const clean = data.slice();
  for (let at = rowBytes - 1; at < clean.length; at += rowBytes) clean[at]! &= ~padding;
  return { width, height, data: clean };
}

/** A bitmap with so many white columns before it; the same one with none. */
export function movedRight(bitmap: Bitmap, dots: number): Bitmap {
  if (dots <= 0) return bitmap;
  const { width, height, data } = bitmap;
  const [from, to] = [Math.ceil(width / 8), Math.ceil((width + dots) / 8)];
  const [first, shift] = [dots >> 3, dots & 7];
  const moved = new Uint8Array(to * height);
  for (let row = 0; row < height; row += 1) {
    for (let at = 0; at < from; at += 1) {
      const byte = data[row * from + at]!;
      const into = row * to + first + at;
      moved[into]! |= byte >> shift;
      // What pads the last byte may have no place.
      if (shift > 0 && first + at + 1 < to) moved[into + 1]! |= (byte << (8 - shift)) & 0xff;
    }
  }
  return { width: width + dots, height, data: moved };
}

/** ESC p, DLE EOT, DLE ENQ and DLE DC4: by their first two bytes. */
const beginsCommand = (first: number, second: number): boolean =>
  first === DLE ? second === EOT || second === ENQ || second === DC4 : first === ESC && second === P;
/** Added to a byte, so that neither it nor a pair with it is a command: the dot on its left, or on its top (ESC *). */
const NUDGE = 0x80;

/**
 * The dots of a picture that the node has drawn, with one more dot wherever they would spell a command that a printer may obey
 * or a filter change, also where its last byte would begin one; the same array where there is none.
 */
export function nudged(data: Uint8Array): Uint8Array {
  let copy: Uint8Array | undefined;
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at]!;
    if (byte !== DLE && byte !== ESC) continue;
    const last = at + 1 === data.length;
    if (!last && !beginsCommand(byte, data[at + 1]!)) continue;
    copy ??= data.slice();
    const where = last ? at : at + 1;
    copy[where] = data[where]! | NUDGE;
  }
  return copy ?? data;
}

/** The reason why a bitmap cannot be printed on a printer with so many dots a line; undefined where it can. */
export function rasterFault({ width, height, data }: Bitmap, dots: number): string | undefined {
  if (width > dots) return `raster of ${width} dots is wider than the ${dots} of a line`;
  const bytes = Math.ceil(width / 8) * height;
  if (data.length !== bytes) return `raster of ${width} by ${height} dots takes ${bytes} bytes, not ${data.length}`;
  return undefined;
}
