/**
 * PNG and JPEG files as few programs write them, made here from fixed seeds: every size at which a pass or a block is cut,
 * every cut of the data into parts, and whatever the standards allow around them.
 */
import { execFileSync } from 'node:child_process';
import { crc32, deflateSync, constants as zlib } from 'node:zlib';
import { randomFrom } from '../random.ts';

/** A file, and the code with which it is refused where it is no picture that is read. */
export interface OddPicture {
  readonly name: string;
  readonly file: Buffer;
  readonly refused?: 'corrupted' | 'format' | 'too_large';
  /** The same picture for a decoder that does not take this file. */
  readonly plain?: Buffer;
}

const u16 = (value: number) => [value >> 8, value & 0xff];
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value & 0xffff)];

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
export function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([Buffer.from(u32(data.length)), body, Buffer.from(u32(crc32(body)))]);
}

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const ADAM7 = ['0088', '4088', '0448', '2044', '0224', '1022', '0112'].map((pass) => pass.split('').map(Number));
const KINDS = [
  ...[1, 2, 4, 8, 16].map((depth) => [depth, 0] as const),
  ...[1, 2, 4, 8].map((depth) => [depth, 3] as const),
  ...[2, 4, 6].flatMap((type) => [8, 16].map((depth) => [depth, type] as const)),
];

interface PngKind {
  readonly depth: number;
  readonly type: number;
  readonly interlaced: boolean;
  readonly width: number;
  readonly height: number;
}

/** Noise in rows whose filters are chosen by chance. */
function rowsOf({ depth, type, interlaced, width, height }: PngKind, random: () => number): Buffer {
  const rows: number[] = [];
  for (const [x = 0, y = 0, stepX = 1, stepY = 1] of interlaced ? ADAM7 : [[0, 0, 1, 1]]) {
    const across = Math.ceil((width - x) / stepX);
    for (let row = y; row < height && across > 0; row += stepY) {
      // Rows of a palette are not filtered: their bytes would be no colours of it.
      rows.push(type === 3 ? 0 : Math.floor(random() * 5));
      for (let byte = Math.ceil((across * SAMPLES[type]! * depth) / 8); byte > 0; byte -= 1)
        rows.push(Math.floor(random() * 256));
    }
  }
  return Buffer.from(rows);
}

const header = ({ width, height, depth, type, interlaced }: PngKind) =>
  chunk('IHDR', Buffer.from([...u32(width), ...u32(height), depth, type, 0, 0, interlaced ? 1 : 0]));

/** The data in IDAT chunks of these sizes, over and over. */
function partsOf(data: Uint8Array, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < data.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    parts.push(chunk('IDAT', data.subarray(at, at + size)));
    at += size;
  }
  return parts;
}

const CUTS: readonly (readonly number[])[] = [[1], [0, 1], [2, 0, 0, 5], [1, 8192], [3], [65_536]];
const DEFLATES = [
  { level: 0 },
  { level: 9, memLevel: 1 },
  { windowBits: 9 },
  { strategy: zlib.Z_HUFFMAN_ONLY },
  { strategy: zlib.Z_RLE },
  { strategy: zlib.Z_FIXED },
];
const SIZES = [
  [1, 1],
  [1, 9],
  [9, 1],
  [5, 5],
  [8, 8],
  [33, 3],
] as const;

/** About them all, whatever the picture: chunks that say nothing about its dots. */
const REMARKS = [
  chunk('gAMA', Buffer.from(u32(45_455))),
  chunk('pHYs', Buffer.from([...u32(8000), ...u32(4000), 1])),
  chunk('tEXt', Buffer.from('Title\0')),
  chunk('tIME', Buffer.from([...u16(2026), 2, 29, 24, 60, 60])),
  chunk('prVt', Buffer.alloc(300, 0xff)),
  chunk('bKGD', Buffer.from([0, 0, 0, 0, 0, 0])),
];

export function oddPngs(seed: number): OddPicture[] {
  const random = randomFrom(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const pictures: OddPicture[] = [];
  for (const [depth, type] of KINDS) {
    for (const [width, height] of SIZES) {
      for (const interlaced of [false, true]) {
        const kind = { depth, type, interlaced, width, height };
        const deflated = deflateSync(rowsOf(kind, random), pick(DEFLATES));
        const cut = pick(CUTS);
        const palette =
          type === 3
            ? [
                chunk(
                  'PLTE',
                  Buffer.alloc(3 * 2 ** depth).map(() => random() * 256),
                ),
              ]
            : [];
        const clear =
          random() < 0.5 || type >= 4
            ? []
            : [chunk('tRNS', Buffer.alloc(type === 3 ? 1 + Math.floor(random() * 2 ** depth) : 2 * SAMPLES[type]!))];
        const remarks = REMARKS.filter(() => random() < 0.3);
        const chunks = [header(kind), ...palette, ...clear, ...remarks, ...partsOf(deflated, cut), chunk('IEND')];
        const name = `${width}x${height} of depth ${depth}, colour type ${type}${interlaced ? ', interlaced' : ''}, in parts of ${cut}`;
        pictures.push({ name, file: Buffer.concat([SIGNATURE, ...chunks]) });
      }
    }
  }
  return [...pictures, ...brokenPngs(random)];
}

/** What no decoder may take for a picture, or for a whole one. */
function brokenPngs(random: () => number): OddPicture[] {
  const kind = { depth: 8, type: 0, interlaced: false, width: 9, height: 7 };
  const rows = rowsOf(kind, random);
  const data = deflateSync(rows);
  const [first, body, last] = [header(kind), chunk('IDAT', data), chunk('IEND')];
  const odd = (name: string, refused: OddPicture['refused'], ...chunks: Buffer[]): OddPicture => ({
    name,
    file: Buffer.concat([SIGNATURE, ...chunks]),
    ...(refused && { refused }),
  });
  const head = (at: number, value: number) => {
    const changed = Buffer.from(first.subarray(8, 21));
    changed[at] = value;
    return chunk('IHDR', changed);
  };
  return [
    {
      ...odd('with bytes behind its end', undefined, first, body, last, Buffer.from('<html>')),
      plain: odd('', undefined, first, body, last).file,
    },
    odd('without an end', 'corrupted', first, body),
    odd('without data', 'corrupted', first, last),
    odd('without a header', 'corrupted', body, last),
    odd('with a part that nobody knows and that it needs', 'format', first, chunk('ABCD'), body, last),
    odd('with a length beyond its end', 'corrupted', first, Buffer.from([0x7f, 0xff, 0xff, 0xff]), body, last),
    odd('with its data before its header', 'corrupted', body, first, last),
    odd('with data that is not compressed', 'corrupted', first, chunk('IDAT', rows), last),
    odd('with data that is cut', 'corrupted', first, chunk('IDAT', data.subarray(0, data.length - 9)), last),
    odd('with a filter of 5', 'corrupted', first, chunk('IDAT', deflateSync(rows.fill(5, 0, 1))), last),
    odd('of width 0', 'corrupted', head(3, 0), body, last),
    odd('of height 0', 'corrupted', head(7, 0), body, last),
    odd('of depth 3', 'format', head(8, 3), body, last),
    odd('of colour type 1', 'format', head(9, 1), body, last),
    odd('of colour type 5', 'format', head(9, 5), body, last),
    odd('of another compression', 'format', head(10, 1), body, last),
    odd('of other filters', 'format', head(11, 1), body, last),
    odd('interlaced in another way', 'format', head(12, 2), body, last),
    odd('wider than anything', 'too_large', head(0, 0x7f), body, last),
    odd('with a palette of no colour', 'corrupted', head(9, 3), body, last),
  ];
}

interface JpegSegment {
  readonly marker: number;
  readonly bytes: Buffer;
}

/** The segments of a JPEG up to its first scan, and the rest. */
function segmentsOf(file: Buffer): { readonly segments: readonly JpegSegment[]; readonly rest: Buffer } {
  const segments: JpegSegment[] = [];
  let at = 2;
  for (; file[at + 1] !== 0xda; at += 2 + file.readUInt16BE(at + 2)) {
    segments.push({ marker: file[at + 1]!, bytes: file.subarray(at, at + 2 + file.readUInt16BE(at + 2)) });
  }
  return { segments, rest: file.subarray(at) };
}

const START = Buffer.from([0xff, 0xd8]);
const segment = (marker: number, body: Uint8Array) =>
  Buffer.concat([Buffer.from([0xff, marker, ...u16(body.length + 2)]), body]);

/** What stands between the parts of a JPEG and changes no dot of it. */
const BETWEEN: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a remark', segment(0xfe, Buffer.from('\xff\xd9\xff\xda', 'latin1'))],
  ['an empty remark', segment(0xfe, Buffer.alloc(0))],
  ['fill bytes', Buffer.alloc(5, 0xff)],
  ['an ICC profile', segment(0xe2, Buffer.from(`ICC_PROFILE\0${'\xff'.repeat(400)}`, 'latin1'))],
  [
    'a thumbnail',
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0II*\0\b\0\0\0\0\0'), START, segment(0xc0, Buffer.alloc(9))])),
  ],
  ['XMP', segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>'))],
  ['the longest segment', segment(0xef, Buffer.alloc(65_533, 0xda))],
  ['a second APP0', segment(0xe0, Buffer.from('JFXX\0\x10'))],
];

const JPEG_SIZES = [
  [1, 1],
  [7, 17],
  [16, 16],
  [17, 9],
  [64, 3],
] as const;
const JPEG_OPTIONS = [
  '-grayscale',
  '-grayscale -progressive',
  '-sample 1x1',
  '-sample 2x1',
  '-sample 1x2 -optimize',
  '-sample 2x2 -progressive',
  '-sample 4x1',
  '-sample 4x2 -restart 1B',
  '-sample 2x2 -restart 3B',
  '-sample 1x1 -quality 1',
  '-sample 2x2 -quality 100',
  '-sample 2x2 -progressive -restart 1',
];

const pixmap = (width: number, height: number, random: () => number): Buffer =>
  Buffer.concat([
    Buffer.from(`P6 ${width} ${height} 255\n`),
    Buffer.alloc(3 * width * height).map((_, at) => ((at * 7) % 160) + random() * 96),
  ]);

/** By the cjpeg of libjpeg-turbo, and then rearranged. */
export function oddJpegs(seed: number): OddPicture[] {
  const random = randomFrom(seed);
  const coded = (options: string, [width, height]: readonly [number, number]) =>
    execFileSync('cjpeg', options.split(' '), { input: pixmap(width, height, random) });
  const pictures: OddPicture[] = [];
  for (const size of JPEG_SIZES)
    for (const options of JPEG_OPTIONS)
      pictures.push({ name: `${size.join('x')} ${options}`, file: coded(options, size) });
  for (const options of ['-sample 2x2', '-grayscale -progressive']) {
    const { segments, rest } = segmentsOf(coded(options, [17, 9]));
    const of = (marker: number) => segments.filter((each) => each.marker === marker).map(({ bytes }) => bytes);
    const others = segments.filter(({ marker }) => marker !== 0xdb && marker !== 0xc4).map(({ bytes }) => bytes);
    const tables = [...of(0xdb), ...of(0xc4)];
    const add = (name: string, ...parts: Buffer[]) =>
      pictures.push({ name: `${options} ${name}`, file: Buffer.concat([START, ...parts]) });
    for (const [name, bytes] of BETWEEN) {
      add(`with ${name} between its parts`, ...segments.flatMap((each) => [bytes, each.bytes]), bytes, rest);
    }
    add('with its tables behind its frame', ...others, ...tables, rest);
    add('with its tables before all else', ...tables, ...others, rest);
    for (const marker of [0xdb, 0xc4]) {
      const merged = segment(marker, Buffer.concat(of(marker).map((bytes) => bytes.subarray(4))));
      add(`with tables ${marker} in one`, ...others, ...tables.filter((bytes) => bytes[1] !== marker), merged, rest);
    }
    const wide = of(0xdb).map((bytes) =>
      segment(0xdb, Buffer.from([0x10 | bytes[4]!, ...[...bytes.subarray(5)].flatMap((value) => [0, value])])),
    );
    // Tables of 16 bits are for frames of more than the baseline (B.2.4.1): SOF1.
    const extended = others.map((bytes) =>
      bytes[1] === 0xc0 ? Buffer.concat([Buffer.from([0xff, 0xc1]), bytes.subarray(2)]) : bytes,
    );
    add('with tables of 16 bits', ...wide, ...extended, ...of(0xc4), rest);
    pictures.push({
      name: `${options} without its end`,
      file: Buffer.concat([START, ...segments.map(({ bytes }) => bytes), rest.subarray(0, -2)]),
      plain: Buffer.concat([START, ...segments.map(({ bytes }) => bytes), rest]),
    });
    add(
      'with bytes behind its end',
      ...segments.map(({ bytes }) => bytes),
      rest,
      Buffer.from('\xff\xd8\xff\xda', 'latin1'),
    );
    add('without JFIF', ...segments.filter(({ marker }) => marker !== 0xe0).map(({ bytes }) => bytes), rest);
  }
  return [...pictures, ...brokenJpegs(coded('-sample 2x2', [17, 9]), coded)];
}

function brokenJpegs(whole: Buffer, coded: (options: string, size: readonly [number, number]) => Buffer): OddPicture[] {
  const { segments, rest } = segmentsOf(whole);
  const without = (marker: number) =>
    Buffer.concat([START, ...segments.filter((each) => each.marker !== marker).map(({ bytes }) => bytes), rest]);
  const frame = (change: (bytes: Buffer) => void) => {
    const parts = segments.map(({ marker, bytes }) => {
      const copy = Buffer.from(bytes);
      if (marker === 0xc0) change(copy);
      return copy;
    });
    return Buffer.concat([START, ...parts, rest]);
  };
  return [
    { name: 'without its frame', file: without(0xc0), refused: 'corrupted' },
    { name: 'without its quantization', file: without(0xdb), refused: 'corrupted' },
    { name: 'without its codes', file: without(0xc4), refused: 'corrupted' },
    {
      name: 'without a scan',
      file: Buffer.concat([START, ...segments.map(({ bytes }) => bytes)]),
      refused: 'corrupted',
    },
    { name: 'coded by arithmetic', file: coded('-arithmetic', [17, 9]), refused: 'format' },
    { name: 'with less luma than colours', file: coded('-sample 2x1,1x2,1x1', [17, 9]), refused: 'format' },
    { name: 'in RGB', file: coded('-rgb', [17, 9]), refused: 'format' },
    { name: 'of 12 bits', file: frame((bytes) => (bytes[4] = 12)), refused: 'format' },
    { name: 'lossless', file: frame((bytes) => (bytes[1] = 0xc3)), refused: 'format' },
    { name: 'with its height behind it', file: frame((bytes) => bytes.fill(0, 5, 7)), refused: 'format' },
    { name: 'of width 0', file: frame((bytes) => bytes.fill(0, 7, 9)), refused: 'corrupted' },
    { name: 'of four colours', file: frame((bytes) => (bytes[9] = 4)), refused: 'format' },
    { name: 'larger than anything', file: frame((bytes) => bytes.fill(0xff, 5, 9)), refused: 'too_large' },
    { name: 'with factors of 0', file: frame((bytes) => (bytes[11] = 0)), refused: 'corrupted' },
  ];
}
