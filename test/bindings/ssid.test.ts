/** Names of networks are bytes; as strings they stay what they are (PEP 383). */
import { expect, it } from 'vitest';
import { bytesOfSsid, isText, shownSsid, ssidOf } from '../../runtime/bindings/ssid.ts';
import { randomFrom } from '../random.ts';

it.each([
  ['Shop', 'Shop'],
  ['Café 🥐', 'Café 🥐'],
  ['\ufeffbom', '\ufeffbom'],
])('%j in UTF-8 is its text', (text, ssid) => {
  expect([ssidOf(Buffer.from(text)), isText(ssid), shownSsid(ssid)]).toEqual([ssid, true, text]);
});

it.each([
  ['436166e9', 'Caf\udce9', 'Café'],
  ['4772fcdf6541', 'Gr\udcfc\udcdfeA', 'GrüßeA'],
  ['80', '\udc80', '\ufffd'],
  // Cut in the middle of a character, as 32 bytes may.
  ['41f09f', 'A\udcf0\udc9f', 'Að\ufffd'],
  // A surrogate and an overlong form are no UTF-8 (RFC 3629, 3).
  ['eda080', '\udced\udca0\udc80', 'í\u00a0\ufffd'],
  ['c0af', '\udcc0\udcaf', 'À¯'],
])('bytes %s are %j, shown as %s', (hex, ssid, shown) => {
  const bytes = Buffer.from(hex, 'hex');
  expect([ssidOf(bytes), isText(ssid), shownSsid(ssid)]).toEqual([ssid, false, shown]);
  expect(bytesOfSsid(ssid)).toEqual(bytes);
  expect(JSON.parse(JSON.stringify(ssid))).toBe(ssid);
});

it('any bytes are one string, and come back as they were', () => {
  const random = randomFrom(30);
  const seen = new Map<string, string>();
  for (let turn = 0; turn < 4000; turn += 1) {
    const bytes = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 32) }, () => Math.floor(random() * 256)));
    const ssid = ssidOf(bytes);
    expect(bytesOfSsid(ssid)).toEqual(bytes);
    const before = seen.get(ssid) ?? bytes.toString('hex');
    expect(before).toBe(bytes.toString('hex'));
    seen.set(ssid, before);
  }
});

it('a string that says the same bytes in another way becomes that one', () => {
  expect(ssidOf(bytesOfSsid('\udcc3\udca9'))).toBe('é');
});
