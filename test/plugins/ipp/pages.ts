/** Documents for tests: pages in PWG Raster and URF, and a JPEG, made here and by nothing of the tree. */
import { execFileSync } from 'node:child_process';

/** Whether the pixel at x, y of a page is dark. */
export type Ink = (x: number, y: number) => boolean;
export interface PageOf {
  readonly width: number;
  readonly height: number;
  readonly dpi?: number;
  readonly ink: Ink;
}

/** One row as PackBits, every pixel for itself in runs of at most 128. */
function packed(pixels: Buffer, unit: number): Buffer {
  const parts: Buffer[] = [Buffer.from([0])];
  for (let at = 0; at < pixels.length; at += 128 * unit) {
    const run = pixels.subarray(at, at + 128 * unit);
    const count = run.length / unit;
    parts.push(Buffer.from([count === 1 ? 0 : 257 - count]), run);
  }
  return Buffer.concat(parts);
}

/** Grey pages in URF; `pages` of the head is 0, as CUPS writes it. */
export function urf(...pages: readonly PageOf[]): Buffer {
  const parts: Buffer[] = [Buffer.from('UNIRAST\0\0\0\0\0', 'latin1')];
  for (const { width, height, dpi = 203, ink } of pages) {
    const head = Buffer.alloc(32);
    head.writeUInt8(8, 0);
    for (const [at, value] of [
      [12, width],
      [16, height],
      [20, dpi],
    ] as const)
      head.writeUInt32BE(value, at);
    parts.push(head);
    for (let y = 0; y < height; y += 1)
      parts.push(packed(Buffer.from(Array.from({ length: width }, (_, x) => (ink(x, y) ? 0 : 255))), 1));
  }
  return Buffer.concat(parts);
}

/** Pages in PWG Raster: `black_1`, `sgray_8`, `srgb_8`. */
export function pwg(type: 'black_1' | 'sgray_8' | 'srgb_8', ...pages: readonly PageOf[]): Buffer {
  const parts: Buffer[] = [Buffer.from('RaS2')];
  const [bits, space] = { black_1: [1, 3], sgray_8: [8, 18], srgb_8: [24, 19] }[type] as [number, number];
  for (const { width, height, dpi = 203, ink } of pages) {
    const head = Buffer.alloc(1796);
    head.write('PwgRaster');
    const rowBytes = Math.ceil((width * bits) / 8);
    for (const [at, value] of [
      [276, dpi],
      [280, dpi],
      [372, width],
      [376, height],
      [384, bits === 1 ? 1 : 8],
      [388, bits],
      [392, rowBytes],
      [400, space],
      [420, bits === 24 ? 3 : 1],
    ] as const)
      head.writeUInt32BE(value, at);
    parts.push(head);
    for (let y = 0; y < height; y += 1) {
      const row = Buffer.alloc(rowBytes, bits === 1 ? 0 : 255);
      for (let x = 0; x < width; x += 1) {
        if (!ink(x, y)) continue;
        if (bits === 1) row[x >> 3]! |= 0x80 >> (x & 7);
        else row.fill(0, (x * bits) / 8, ((x + 1) * bits) / 8);
      }
      parts.push(packed(row, bits === 24 ? 3 : 1));
    }
  }
  return Buffer.concat(parts);
}

/** Grey, of so many pixels, with a black bar. */
export function jpegOf(width = 64, height = 64): Buffer {
  const pixels = Buffer.from(Array.from({ length: width * height }, (_, at) => (at % width < 8 ? 0 : 160)));
  const input = Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), pixels]);
  return execFileSync('cjpeg', ['-quality', '90'], { input });
}

/** The rows of the pictures (GS v 0) in what a printer took, as text: '#' is a dot. */
export function rowsOf(bytes: Uint8Array): string[] {
  const taken = Buffer.from(bytes);
  const rows: string[] = [];
  const command = Buffer.from([0x1d, 0x76, 0x30, 0]);
  for (let at = taken.indexOf(command); at >= 0; at = taken.indexOf(command, at)) {
    const [across, height] = [taken.readUInt16LE(at + 4), taken.readUInt16LE(at + 6)];
    for (let row = 0; row < height; row += 1) {
      const from = at + 8 + row * across;
      const bits = [...taken.subarray(from, from + across)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
      rows.push(bits.replaceAll('0', ' ').replaceAll('1', '#').trimEnd());
    }
    at += 8 + across * height;
  }
  return rows;
}
