import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { byteTable, type CodePage, MAKES } from '../../codecs/code-pages.ts';
import { windows1252 } from '../../codecs/windows-1252.ts';

interface Iconv {
  decode(bytes: Uint8Array, encoding: string): string;
}
// It comes along with node-thermal-printer and is not in the image: here it is the other opinion.
const iconv = createRequire(import.meta.url)('iconv-lite') as Iconv;

const makes = Object.entries(MAKES);
const pages = [...new Set(makes.flatMap(([, numbered]) => numbered.map(({ page }) => page)))];

describe('code pages', () => {
  it.each(pages)('have a byte for every character: %s', (page: CodePage) => {
    const table = byteTable(page);
    const upper = Uint8Array.from({ length: 128 }, (_, index) => 0x80 + index);
    const mapped = [...iconv.decode(upper, page)].flatMap((char, index) => {
      const printable = !/[\p{Cc}\u00ad\ufffd]/u.test(char);
      return printable ? [[char.charCodeAt(0), 0x80 + index]] : [];
    });
    const found = [...table.entries()].filter(([, byte]) => byte >= 0x80);
    expect(found).toEqual(mapped.sort(([a = 0], [b = 0]) => a - b));
  });

  it('are read as they are written: Windows-1252', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const others = [...iconv.decode(bytes, 'windows-1252')];
    const expected = others.map((char, byte) => (char === '\ufffd' ? String.fromCharCode(byte) : char)).join('');
    expect(windows1252(bytes)).toBe(expected);
    expect(windows1252(Uint8Array.of(0x35, 0x80))).toBe('5€');
  });

  it('have ASCII and no control character', () => {
    for (const page of pages) {
      const below = [...byteTable(page).subarray(0, 0xa0).entries()].filter(([, byte]) => byte !== 0);
      expect(below).toEqual(Array.from({ length: 95 }, (_, index) => [0x20 + index, 0x20 + index]));
    }
  });

  it.each(makes)('of %s are selected by numbers of their own', (_, numbered) => {
    const numbers = numbered.map(({ n }) => n);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.every((n) => Number.isInteger(n) && n >= 0 && n <= 255)).toBe(true);
  });

  it.each(makes)('of %s have the euro sign and the letters of Latin-1', (_, numbered) => {
    const latin1 = Array.from({ length: 0x60 }, (_unused, index) => 0xa0 + index).filter((code) => code !== 0xad);
    const missing = [0x20ac, ...latin1].filter((code) => numbered.every(({ page }) => byteTable(page)[code] === 0));
    expect(String.fromCharCode(...missing)).toBe('');
  });
});
