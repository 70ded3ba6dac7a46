/** The virtual printer's paper, read by a scanner that did not draw it: zxing-cpp's ZXingReader. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const SCANNER = 'ZXingReader';

/** What a picture of the paper shows of symbols: as a portable grey map with its white margin, so many pixels a dot wide and high. */
export function greyMap(svg: string, pixels = 1): Buffer {
  const [left = 0, top = 0, width = 0, height = 0] = (/viewBox="([^"]+)"/.exec(svg)?.[1] ?? '').split(' ').map(Number);
  const dots = Buffer.alloc(width * height, 0xff);
  for (const [, place = '', path = ''] of svg.matchAll(/<path transform="([^"]+)" d="([^"]+)"/g)) {
    const [x = 0, y = 0, across = 1, down = 1] = [...place.matchAll(/-?[\d.]+/g)].map(Number);
    for (const [, column, row, length] of path.matchAll(/M(\d+) (\d+)\.5h(\d+)/g)) {
      for (let at = Math.round(y + Number(row) * down); at < Math.round(y + (Number(row) + 1) * down); at += 1) {
        const from = (at - top) * width + x - left + Number(column) * across;
        dots.fill(0, from, from + Number(length) * across);
      }
    }
  }
  const rows = pixels === 1 ? [dots] : enlarged(dots, width, pixels);
  return Buffer.concat([Buffer.from(`P5 ${width * pixels} ${height * pixels} 255\n`), ...rows]);
}

/** The rows of a picture, each pixel as a square of so many. */
function enlarged(dots: Uint8Array, width: number, pixels: number): Uint8Array[] {
  return Array.from({ length: (pixels * dots.length) / width }, (_, at) => {
    const from = Math.floor(at / pixels) * width;
    return new Uint8Array(width * pixels).map((_, x) => dots[from + Math.floor(x / pixels)]!);
  });
}

/** The same as pixels. */
export function pixelsOf(svg: string) {
  const file = greyMap(svg);
  const [head = '', width, height] = /^P5 (\d+) (\d+) 255\n/.exec(file.toString('latin1')) ?? [];
  const data = new Uint8ClampedArray(4 * (file.length - head.length));
  for (const [at, grey] of file.subarray(head.length).entries()) data.set([grey, grey, grey, 255], 4 * at);
  return { width: Number(width), height: Number(height), data, colorSpace: 'srgb' as const };
}

/**
 * Each symbol on the paper: its format as zxing names it, and the bytes it holds; those of a Codabar without the letters at its ends,
 * which zxing-cpp hands on since 2.0.
 */
export function scan(svg: string): { format: string; text: string }[] {
  const directory = mkdtempSync(join(tmpdir(), 'paper-'));
  try {
    const file = join(directory, 'paper.pgm');
    writeFileSync(file, greyMap(svg));
    const { stdout } = spawnSync('ZXingReader', [file], { encoding: 'utf8' });
    return [...stdout.matchAll(/^Bytes: +([\dA-F ]+)$[\s\S]*?^Format: +(\S+)$/gm)].map(
      ([, bytes = '', format = '']) => {
        const text = Buffer.from(bytes.replaceAll(' ', ''), 'hex').toString();
        return { format, text: format === 'Codabar' ? text.replace(/^[A-D]|[A-D]$/g, '') : text };
      },
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}
