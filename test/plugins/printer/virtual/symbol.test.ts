import { describe, expect, it } from 'vitest';
import { bytes, pictured, printed } from './bench.ts';

/** The modules of the only symbol in a picture of the paper. */
const modulesOf = (svg: string, columns: number): string[] => {
  const rows: string[][] = [];
  for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)\.5h(\d+)/g)) {
    rows[Number(y)] ??= new Array<string>(columns).fill('0');
    rows[Number(y)]?.fill('1', Number(x), Number(x) + Number(run));
  }
  return rows.map((row) => row.join(''));
};

describe('the virtual printer', () => {
  it.each([
    ['ean13', [67, 12], '400638133393', '4006381333931'],
    ['ean8', [68, 8], '96385074', '96385074'],
    ['upca', [65, 11], '03600029145', '036000291452'],
    ['upce', [66, 6], '425261', '04252614'],
    ['upce', [66, 11], '04210000526', '04252614'],
    ['upce', [66, 12], '042100005264', '04252614'],
    ['code39', [69, 5], '*A-1*', 'A-1'],
    ['itf', [70, 4], '1234', '1234'],
    ['codabar', [71, 4], 'A12B', 'A12B'],
    ['code93', [72, 3], 'aB1', 'aB1'],
    ['code128', [73, 6], '{BAb-1', 'Ab-1'],
  ])('prints %s', async (symbology, parameters, data, text) => {
    expect(await printed([0x1d, 0x6b], parameters, data)).toBe(`[${symbology} ${text}]\n`);
  });

  it('draws the bars of an EAN-13', async () => {
    const svg = await pictured([0x1d, 0x68, 80, 0x1d, 0x77, 3, 0x1d, 0x48, 2, 0x1d, 0x6b, 67, 13], '4006381333931');
    const [bars] = modulesOf(svg, 95);
    // The symbol of ISO/IEC 15420 for this number, digit by digit.
    const left = '0001101 0100111 0101111 0111101 0001001 0110011'.split(' ');
    const right = '1000010 1000010 1000010 1110100 1000010 1100110'.split(' ');
    expect(bars).toBe(`101${left.join('')}01010${right.join('')}101`);
    expect(svg).toContain('scale(3 80)');
    expect(svg).toContain('>4006381333931</text>');
  });

  it.each([
    ['with a wrong check digit', [67, 13], '4006381333930'],
    ['with too few digits', [67, 5], '40063'],
    ['of UPC-E from a UPC-A number with a wrong check digit', [66, 12], '012345678901'],
    ['of UPC-E from a UPC-A number that cannot be shortened', [66, 12], '012345678905'],
    ['of UPC-E from nine digits', [66, 9], '042526140'],
    ['of UPC-E from ten digits', [66, 10], '0425261400'],
    ['wider than the paper', [69, 60], 'A'.repeat(60)],
  ])('prints no bar code %s', async (_what, parameters, data) => {
    expect(await printed([0x1d, 0x6b], parameters, data)).toBe('');
  });

  it.each([7, 9, 10, 14, 64, 80])('prints no bar code of m %i, which is none, but its data as text', async (m) => {
    expect(await printed([0x1d, 0x6b, m], 'AB12\n')).toBe('AB12\n');
  });

  it('prints the QR code and the PDF417 that were stored', async () => {
    const store = (cn: number, data: string) => bytes([0x1d, 0x28, 0x6b, data.length + 3, 0, cn, 80, 48], data);
    const print = (cn: number) => [0x1d, 0x28, 0x6b, 3, 0, cn, 81, 48];
    expect(await printed(store(49, 'https://example.com'), store(48, 'HELLO'), print(49), print(48))).toBe(
      '[qr https://example.com]\n[pdf417 HELLO]\n',
    );
  });

  it('draws a QR code', async () => {
    const store = bytes([0x1d, 0x28, 0x6b, 8, 0, 49, 80, 48], 'HELLO');
    const svg = await pictured([0x1d, 0x28, 0x6b, 3, 0, 49, 69, 49], store, [0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48]);
    // Version 1, level M; zbar 0.23 reads HELLO from it.
    expect(modulesOf(svg, 21)).toEqual([
      '111111101101001111111',
      '100000100110101000001',
      '101110100111101011101',
      '101110101001001011101',
      '101110101000101011101',
      '100000101011001000001',
      '111111101010101111111',
      '000000001111100000000',
      '100010111111011111001',
      '000111001011100101111',
      '101100101011001110010',
      '111001000100011010000',
      '001011100100111000110',
      '000000001110111001011',
      '111111101100110001010',
      '100000100001100100010',
      '101110101001001110101',
      '101110100001100001011',
      '101110100111001111000',
      '100000100100011000000',
      '111111101000111110101',
    ]);
  });

  it('draws no QR code of more than the largest symbol holds', async () => {
    const data = 'x'.repeat(2954);
    const store = bytes([0x1d, 0x28, 0x6b, (data.length + 3) & 0xff, (data.length + 3) >> 8, 49, 80, 48], data);
    expect(await printed(store, [0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48])).toBe('');
  });
});
