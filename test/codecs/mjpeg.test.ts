import { describe, expect, it } from 'vitest';
import { MAX_PICTURE_BYTES, PictureSplitter, readPicture } from '../../codecs/mjpeg.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

const FRAME_HEADER = 'ffc0 000b 08 0078 00a0 01 01 11 00';
const SCAN = 'ffda 0008 01 01 00 00 3f 00  1234 ff00 56 ffd3 78';
/** 160x120, without Huffman tables; the quantizer's table holds FF D9, the scan a stuffed FF and a restart marker. */
const BARE = bytes(`ffd8 ffdb 0006 00ffd900 ${FRAME_HEADER} ${SCAN} ffd9`);
const TABLE = 'ffc4 0014 00 01000000000000000000000000000000 05';

describe('the splitter', () => {
  it('cuts a stream into whole pictures, wherever its chunks end', () => {
    const stream = Buffer.concat([BARE, Buffer.alloc(7), BARE, BARE]);
    for (let size = 1; size <= stream.length; size += 1) {
      const splitter = new PictureSplitter();
      const pictures: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) pictures.push(...splitter.push(stream.subarray(at, at + size)));
      expect(pictures).toEqual([BARE, BARE, BARE]);
    }
  });

  it('leaves out what cannot be a picture and goes on with the next', () => {
    const splitter = new PictureSplitter();
    const damaged = bytes('ffd8 ffdb 0000 ffd8 ffd8 1234 ffd9');
    expect(splitter.push(Buffer.concat([bytes('00ff'), damaged, BARE]))).toEqual([BARE]);
  });

  it('gives up a picture that does not end', () => {
    const splitter = new PictureSplitter();
    expect(splitter.push(BARE.subarray(0, -2))).toEqual([]);
    expect(splitter.push(Buffer.alloc(MAX_PICTURE_BYTES))).toEqual([]);
    expect(splitter.push(Buffer.concat([bytes('ffd9'), BARE]))).toEqual([BARE]);
  });
});

describe('a picture', () => {
  it('has the size of its frame header', () => {
    const picture = readPicture(BARE);
    expect(picture.ok && [picture.value.width, picture.value.height]).toEqual([160, 120]);
  });

  it('gets the standard Huffman tables right before its scan where it has none', () => {
    const picture = readPicture(BARE);
    const jpeg = Buffer.from(picture.ok ? picture.value.jpeg : []);
    const scan = BARE.indexOf(bytes('ffda'));
    expect(jpeg.length).toBe(BARE.length + 420);
    expect(jpeg.subarray(0, scan)).toEqual(BARE.subarray(0, scan));
    // T.81, K.3: class and number of the four tables, and how many codes they have.
    const tables = jpeg.subarray(scan, scan + 420);
    expect(tables.subarray(0, 4)).toEqual(bytes('ffc4 01a2'));
    const found: number[][] = [];
    for (let at = 4; at < tables.length; ) {
      const codes = tables.subarray(at + 1, at + 17).reduce((sum, each) => sum + each, 0);
      const values = tables.subarray(at + 17, at + 17 + codes);
      found.push([tables[at] ?? 0, codes, new Set(values).size]);
      at += 17 + codes;
    }
    expect(found).toEqual([
      [0x00, 12, 12],
      [0x10, 162, 162],
      [0x01, 12, 12],
      [0x11, 162, 162],
    ]);
    expect(jpeg.subarray(scan + 420)).toEqual(BARE.subarray(scan));
  });

  it('stays as it is where it has its tables', () => {
    const whole = bytes(`ffd8 ${FRAME_HEADER} ${TABLE} ${SCAN} ffd9`);
    const picture = readPicture(whole);
    expect(picture.ok && picture.value.jpeg).toBe(whole);
  });

  it.each([
    ['nothing', ''],
    ['something else', '474946383961'],
    ['no scan', 'ffd8 ffd9'],
    ['no size', `ffd8 ${SCAN} ffd9`],
    ['a size of nothing', `ffd8 ffc0 000b 08 0000 00a0 01 01 11 00 ${SCAN} ffd9`],
    ['a frame header cut short', `ffd8 ffc0 0004 08 00 ${SCAN} ffd9`],
    ['a segment cut short', 'ffd8 ffdb 0043 00'],
  ])('with %s is refused with a reason', (_, hex) => {
    expect(readPicture(bytes(hex))).toEqual({ ok: false, reason: expect.any(String) });
  });
});
