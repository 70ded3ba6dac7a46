/** Base64, strict. */
import { describe, expect, it } from 'vitest';
import * as anywhere from '../../codecs/base64.ts';
import * as inNode from '../../codecs/base64-node.ts';

describe.each([
  ['anywhere', anywhere],
  ['in Node', inNode],
])('base64 (%s)', (_, { decodeBase64, encodeBase64 }) => {
  // RFC 4648, section 10.
  it.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('of "%s" is "%s"', (text, coded) => {
    const bytes = new TextEncoder().encode(text);
    expect(decodeBase64(coded)).toEqual(bytes);
    expect(encodeBase64(bytes)).toBe(coded);
  });

  it.each(['Zg', 'Zg=', 'Zh==', 'Zm9v\n', ' Zm9v', 'Zm9v====', 'Zm9vYg==Zg==', 'Z-_v', 'Zm9é', '====', 'Z===', 'A'])(
    'that is not canonical has no bytes: %j',
    (text) => {
      expect(decodeBase64(text)).toBeUndefined();
    },
  );

  it('of many bytes has all of them, of a part of a buffer that part alone', () => {
    const all = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7919) & 255);
    const part = all.subarray(3, 90_001);
    expect(decodeBase64(encodeBase64(part))).toEqual(part);
  });
});
