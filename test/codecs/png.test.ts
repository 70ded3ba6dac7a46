/** PNG files of every kind that the standard has, against another decoder. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { describe, expect, it, vi } from 'vitest';
import { greyOf } from '../../codecs/picture.ts';
import { decodePng } from '../../codecs/png.ts';
import { logo, pngOf } from '../pictures.ts';
import { chunk } from './odd-pictures.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

interface Kind {
  readonly depth: number;
  readonly type: number;
  readonly interlaced?: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly rows?: Uint8Array;
  readonly extra?: readonly Buffer[];
}

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const ADAM7 = ['0088', '4088', '0448', '2044', '0224', '1022', '0112'].map((pass) => pass.split('').map(Number));
const PALETTE = Uint8Array.from({ length: 48 }, (_, index) => (index * 83) & 255);

/** Bytes of noise as rows, whose filters take turns. */
function noise({ depth, type, interlaced = false, width = 13, height = 9 }: Kind): Buffer {
  let seed = depth * 10 + type;
  const rows: number[] = [];
  for (const [x = 0, y = 0, stepX = 1, stepY = 1] of interlaced ? ADAM7 : [[0, 0, 1, 1]]) {
    const across = Math.ceil((width - x) / stepX);
    for (let row = y; row < height && across > 0; row += stepY) {
      rows.push(rows.length % 5);
      for (let byte = Math.ceil((across * SAMPLES[type]! * depth) / 8); byte > 0; byte -= 1) {
        seed = (seed * 1103515245 + 12345) & 0x7fffffff;
        // A palette of 16 colours has no others: without a filter, in four bits a pixel at most.
        rows.push(type === 3 && depth === 8 ? (seed >> 16) & 15 : (seed >> 16) & 255);
      }
      if (type === 3 && depth === 8) rows[rows.length - 1 - across] = 0;
    }
  }
  return Buffer.from(rows);
}

function png(kind: Kind): Buffer {
  const { depth, type, interlaced = false, width = 13, height = 9, rows = noise(kind), extra = [] } = kind;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, type, 0, 0, interlaced ? 1 : 0], 8);
  const palette = type === 3 ? [chunk('PLTE', PALETTE)] : [];
  const data = deflateSync(rows);
  const parts = [data.subarray(0, 7), data.subarray(7)].map((part) => chunk('IDAT', part));
  const chunks = [chunk('IHDR', header), ...palette, ...extra, ...parts, chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

const KINDS: readonly Kind[] = [
  ...[1, 2, 4, 8, 16].map((depth) => ({ depth, type: 0 })),
  ...[1, 2, 4, 8].map((depth) => ({ depth, type: 3 })),
  ...[2, 4, 6].flatMap((type) => [8, 16].map((depth) => ({ depth, type }))),
].flatMap((kind) => [kind, { ...kind, interlaced: true }]);

const decode = (file: Uint8Array) => decodePng(new Uint8Array(file));
const fault = (file: Uint8Array) => decode(file).catch((error) => [error.code, error.message]);

describe('a PNG file', () => {
  it.each(KINDS)('is decoded as another decoder does: %j', async (kind) => {
    const file = png(kind);
    const { width, height, data } = PNG.sync.read(file);
    expect(Buffer.from((await decode(file)).data).equals(greyOf({ width, height, data }).data)).toBe(true);
  });

  it.each([
    ['grey', { depth: 8, type: 0, extra: [chunk('tRNS', Uint8Array.of(0, 255))] }],
    ['a colour', { depth: 8, type: 2, extra: [chunk('tRNS', Uint8Array.of(0, 1, 0, 2, 0, 3))] }],
    ['palette entries', { depth: 4, type: 3, extra: [chunk('tRNS', Uint8Array.of(0, 40, 80, 120))] }],
  ] as const)('is white where tRNS says that %s is transparent', async (_, kind) => {
    const clear = 3 * 5;
    const rows = kind.type === 2 ? Buffer.from([0, ...new Array(clear).fill([1, 2, 3]).flat()]) : undefined;
    const file = png({ ...kind, ...(rows && { rows, width: clear, height: 1 }) });
    const { width, height, data } = PNG.sync.read(file);
    expect(Buffer.from((await decode(file)).data).equals(greyOf({ width, height, data }).data)).toBe(true);
    if (rows) expect((await decode(file)).data).toEqual(new Uint8Array(clear).fill(255));
  });

  it('is refused by its header where it has more than 16 million pixels, before anything is unpacked', async () => {
    const bomb = png({ depth: 1, type: 0, width: 60_000, height: 60_000, rows: Buffer.alloc(1000) });
    expect(await fault(bomb)).toEqual(['too_large', '60000 by 60000 pixels are more than 16 million']);
  });

  it('is refused where its data is more, or less, than its size', async () => {
    expect(await fault(png({ depth: 8, type: 0, rows: Buffer.alloc(5_000_000) }))).toMatchObject([
      'corrupted',
      expect.stringMatching(/more/),
    ]);
    expect(await fault(png({ depth: 8, type: 0, rows: Buffer.alloc(20) }))).toMatchObject([
      'corrupted',
      expect.stringMatching(/cut short/),
    ]);
  });

  it('is the same picture in more than 100,000 parts of a byte as in one', async () => {
    const [width, height] = [400, 300];
    const whole = png({ depth: 8, type: 0, width, height });
    const begin = whole.indexOf('IDAT') - 4;
    const data = deflateSync(noise({ depth: 8, type: 0, width, height }), { level: 0 });
    const parts = Array.from(data, (byte) => chunk('IDAT', Buffer.from([byte])));
    const file = Buffer.concat([whole.subarray(0, begin), ...parts, chunk('IEND', Buffer.alloc(0))]);
    expect(parts.length).toBeGreaterThan(100_000);
    expect(Buffer.from((await decode(file)).data).equals((await decode(whole)).data)).toBe(true);
  });

  it('is turned upright where its eXIf says how the camera was held, in either order of bytes', async () => {
    const kind = { depth: 8, type: 0 };
    const whole = await decode(png(kind));
    const turned = Array.from(whole.data, (_, at) => {
      const [x, y] = [at % whole.height, Math.floor(at / whole.height)];
      return whole.data[(whole.height - 1 - x) * whole.width + y]!;
    });
    for (const exif of [
      '4d4d002a00000008 0001 011200030000000100060000 00000000',
      '49492a0008000000 0100 120103000100000006000000 00000000',
    ]) {
      const found = await decode(
        png({ ...kind, extra: [chunk('eXIf', Buffer.from(exif.replaceAll(' ', ''), 'hex'))] }),
      );
      expect(found).toEqual({ width: 9, height: 13, data: Uint8Array.from(turned) });
    }
  });

  it('is refused wherever it is cut, and whichever byte of it is another', async () => {
    const file = pngOf(logo(12));
    for (let at = 8; at < file.length; at += 1) {
      expect(await fault(file.subarray(0, at)), `cut at ${at}`).toMatchObject(['corrupted', expect.any(String)]);
      const changed = Buffer.from(file);
      changed[at]! ^= 0x41;
      expect(await fault(changed), `byte ${at}`).toMatchObject([
        expect.stringMatching(/^corrupted$/),
        expect.any(String),
      ]);
    }
  });
});

/** Collects what other tests left behind: V8 gives memory of buffers back behind its back, and has done so when it begins anew. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  gc();
  setFlagsFromString('--no-expose-gc');
}

it('a PNG file takes the memory of its shades, not of its data', async () => {
  const [width, height] = [2000, 1000];
  const file = png({ depth: 16, type: 6, width, height, rows: Buffer.alloc(height * (1 + 8 * width)) });
  const { read } = ReadableStreamDefaultReader.prototype;
  collect();
  const before = process.memoryUsage().arrayBuffers;
  let more = 0;
  // When the first part is asked for, all is there that does not come in parts.
  const spied = vi.spyOn(ReadableStreamDefaultReader.prototype, 'read').mockImplementation(function (
    this: ReadableStreamDefaultReader,
  ) {
    more ||= process.memoryUsage().arrayBuffers - before;
    return read.call(this);
  });
  await decodePng(new Uint8Array(file));
  spied.mockRestore();
  expect(more).toBeGreaterThanOrEqual(width * height);
  expect(more).toBeLessThan(2 * width * height);
});
