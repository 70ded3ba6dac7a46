import { describe, expect, it } from 'vitest';
import { streamFormats } from '../../codecs/uvc.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
/** Input header, uncompressed format and Motion JPEG format (USB Video Class 1.5, 3.9.2; payload specifications). */
const HEADER = '0f 24 01 02 4d00 82 00 02 00 00 01 01 00 00';
const UNCOMPRESSED = '1b 24 04 01 01 5955593200001000800000aa00389b71 10 01 00 00 00 00';
const MJPEG = '0b 24 06 02 01 00 01 00 00 00 00';

describe('the formats of a camera', () => {
  it.each([
    ['both', HEADER + UNCOMPRESSED + MJPEG, ['uncompressed', 'mjpeg']],
    ['raw pictures alone', HEADER + UNCOMPRESSED, ['uncompressed']],
    [
      'H.264 alone, frame based',
      `${HEADER}1c 24 10 01 01 4832363400001000800000aa00389b71 10 01 00 00 00 00 01`,
      ['other'],
    ],
    ['nothing listed', '', []],
    ['a descriptor cut short', '0f 24', []],
    ['a descriptor of no length', `00 24 06 ${MJPEG}`, []],
    ['another class', MJPEG.replace('24', '25'), []],
  ])('are read: %s', (_, hex, formats) => {
    expect([...streamFormats(bytes(hex))]).toEqual(formats);
  });
});
