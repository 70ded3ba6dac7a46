/** JPEG files as cameras and programs write them, against the decoder of libjpeg-turbo. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { decodeJpeg } from '../../codecs/jpeg.ts';
import { greyJpeg } from '../../codecs/jpeg-encoder.ts';
import type { Grey } from '../../codecs/picture.ts';
import { needTools } from '../tools.ts';

const [WIDTH, HEIGHT] = [203, 117];
const noTools = needTools(['cjpeg', 'djpeg']);

/** Slopes and texture in colours, as a portable pixmap. */
const pixmap = (): Buffer => {
  const pixels = Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)];
    return [(255 * x) / WIDTH, (255 * y) / HEIGHT, (x * y) % 256].map(Math.floor);
  });
  return Buffer.concat([Buffer.from(`P6 ${WIDTH} ${HEIGHT} 255\n`), Buffer.from(pixels.flat())]);
};
const jpeg = (...options: readonly string[]) => execFileSync('cjpeg', options, { input: pixmap() });
const reference = (file: Buffer) => {
  const all = execFileSync('djpeg', ['-grayscale', '-dct', 'float'], { input: file });
  return all.subarray(all.length - WIDTH * HEIGHT);
};
const fault = (file: Uint8Array) => {
  try {
    return decodeJpeg(file);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

/** Types of a value in Exif, by TIFF 6.0, and their bytes. */
const EXIF_TYPES = {
  BYTE: { number: 1, bytes: 1 },
  ASCII: { number: 2, bytes: 1 },
  SHORT: { number: 3, bytes: 2 },
  LONG: { number: 4, bytes: 4 },
  SBYTE: { number: 6, bytes: 1 },
  UNDEFINED: { number: 7, bytes: 1 },
  SSHORT: { number: 8, bytes: 2 },
  SLONG: { number: 9, bytes: 4 },
  IFD: { number: 13, bytes: 4 },
} as const;
type ExifType = keyof typeof EXIF_TYPES;
const EXIF_TYPE_NAMES = Object.keys(EXIF_TYPES) as ExifType[];

/** Behind the first marker, an APP1 that says how the camera was held; by the byte order of the camera. */
function held(file: Buffer, orientation: number, order: 'II' | 'MM', type: ExifType = 'SHORT'): Buffer {
  const u16 = (value: number) => (order === 'II' ? [value, 0] : [0, value]);
  const u32 = (value: number) => (order === 'II' ? [value, 0, 0, 0] : [0, 0, 0, value]);
  const tag = order === 'II' ? [0x12, 0x01] : [0x01, 0x12];
  const { number, bytes } = EXIF_TYPES[type];
  const value = { 1: [orientation, 0xee, 0xee, 0xee], 2: [...u16(orientation), 0, 0], 4: u32(orientation) }[bytes];
  const entry = [...tag, ...u16(number), ...u32(1), ...value];
  const tiff = [...Buffer.from(order), ...u16(42), ...u32(8), ...u16(1), ...entry, ...u32(0)];
  const body = [...Buffer.from('Exif\0\0'), ...tiff];
  return Buffer.concat([file.subarray(0, 2), Buffer.from([0xff, 0xe1, 0, body.length + 2, ...body]), file.subarray(2)]);
}

describe.skipIf(noTools !== undefined)('a JPEG file', () => {
  it.each([
    '-sample 2x2',
    '-sample 2x1 -progressive',
    '-sample 1x1 -restart 1',
    '-sample 2x2 -restart 5B -progressive',
    '-sample 1x2 -optimize -quality 30',
    '-grayscale',
    '-grayscale -progressive -quality 97',
  ])('has the luma that another decoder finds, a shade apart at most: %s', (options) => {
    const file = jpeg(...options.split(' '));
    const { width, height, data } = decodeJpeg(file);
    expect([width, height]).toEqual([WIDTH, HEIGHT]);
    const expected = reference(file);
    expect(Math.max(...data.map((shade, at) => Math.abs(shade - expected[at]!)))).toBeLessThanOrEqual(1);
  });

  it('is refused as another kind where it is coded or coloured otherwise', () => {
    expect([['-arithmetic'], ['-rgb']].map((options) => fault(jpeg(...options)))).toEqual(['format', 'format']);
  });

  it('is refused wherever it is cut', () => {
    const file = jpeg('-sample', '2x2');
    for (let at = 3; at < file.length - 8; at += 97) expect(fault(file.subarray(0, at)), `at ${at}`).toBe('corrupted');
  });

  it('is decoded or refused, and nothing else, whatever stands in it', () => {
    for (const file of [jpeg('-sample', '2x2'), jpeg('-progressive', '-restart', '2')]) {
      for (let at = 3; at < file.length; at += 97) {
        const changed = Buffer.from(file);
        changed[at]! ^= 0xff;
        const found = fault(changed);
        if (typeof found === 'object') expect(found.data.length).toBe(found.width * found.height);
        else expect(found, `at ${at}`).toMatch(/^(corrupted|format|too_large)$/);
      }
    }
  });
});

describe('a JPEG photo', () => {
  const file = greyJpeg({ width: 16, height: 8, grey: (column) => 40 + 160 * column, step: 1 });
  const shape = ({ width, height, data }: Grey) => [width, height, data[0]! < 128, data.at(-1)! < 128];

  it.each([
    [1, [16, 8, true, false]],
    [2, [16, 8, false, true]],
    [3, [16, 8, false, true]],
    [4, [16, 8, true, false]],
    [5, [8, 16, true, false]],
    [6, [8, 16, true, false]],
    [7, [8, 16, false, true]],
    [8, [8, 16, false, true]],
  ] as const)('is turned upright where Exif says orientation %i', (orientation, expected) => {
    for (const order of ['II', 'MM'] as const)
      for (const type of EXIF_TYPE_NAMES)
        expect(shape(decodeJpeg(held(file, orientation, order, type))), `${order} ${type}`).toEqual(expected);
  });

  it.each([0, 9])('stays as it is where Exif says %i, which is no orientation', (value) => {
    for (const order of ['II', 'MM'] as const)
      for (const type of EXIF_TYPE_NAMES)
        expect(shape(decodeJpeg(held(file, value, order, type)))).toEqual([16, 8, true, false]);
  });

  it('is held as the first of two segments says', () => {
    expect(shape(decodeJpeg(held(held(file, 1, 'II'), 6, 'MM')))).toEqual([8, 16, true, false]);
  });

  it('is refused by its header where it has more than 16 million pixels', () => {
    const bomb = Buffer.from(file);
    const frame = bomb.indexOf(Buffer.from([0xff, 0xc0]));
    bomb.set([0xff, 0xff, 0xff, 0xff], frame + 5);
    expect(fault(bomb)).toBe('too_large');
  });

  it.each<[string, number, () => Uint8Array]>([
    ['scans', 100, () => file.subarray(file.indexOf(Buffer.from([0xff, 0xda])), -2)],
    ['tables', 1000, () => Buffer.from([0xff, 0xc4, 0, 19, ...new Array(17).fill(0)])],
  ])('is refused where it has %s without end', (_, most, part) => {
    const [first, last] = [file.subarray(0, 2), file.subarray(2, -2)];
    const among = (count: number, before: boolean) => {
      const parts: Uint8Array[] = new Array(count).fill(part());
      return fault(Buffer.concat(before ? [first, ...parts, last] : [first, last, ...parts]));
    };
    const before = part()[1] === 0xc4;
    expect(among(most / 2, before)).toMatchObject({ width: expect.any(Number) });
    expect(among(most + 1, before)).toBe('corrupted');
  });
});
