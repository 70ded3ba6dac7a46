/** Symbols of the virtual printer, read off its paper by a decoder that shares nothing with it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLUSTERS } from '../../../../plugins/printer/virtual/symbols/pdf417-patterns.ts';
import { SCANNER, scan } from '../../../scan-paper.ts';
import { needTools } from '../../../tools.ts';
import { bytes, type Part, pictured, printed } from './bench.ts';

const missing = needTools([SCANNER]);
const set = (cn: number, fn: number, ...n: number[]) => bytes([0x1d, 0x28, 0x6b, n.length + 2, 0, cn, fn, ...n]);
const matrix = (cn: number, text: string) => {
  const data = Buffer.from(text);
  const length = data.length + 3;
  return bytes([0x1d, 0x28, 0x6b, length & 0xff, length >> 8, cn, 80, 48], data, set(cn, 81, 48));
};
const [QR, PDF417] = [49, 48];
const scanned = async (...job: Part[]) => scan(await pictured(...job));

describe.skipIf(missing !== undefined)(`a decoder ${missing ?? ''}`, () => {
  it.each([
    ['ean13', 'EAN-13', [67, 12], '400638133393', '4006381333931'],
    ['ean8', 'EAN-8', [68, 7], '9638507', '96385074'],
    ['upca', 'UPC-A', [65, 11], '03600029145', '036000291452'],
    ['upce', 'UPC-E', [66, 6], '425261', '04252614'],
    ['code39', 'Code39', [69, 8], 'AZ-1 $%+', 'AZ-1 $%+'],
    ['itf', 'ITF', [70, 14], '12345678901231', '12345678901231'],
    ['codabar', 'Codabar', [71, 8], 'A12:34/B', '12:34/'],
    ['code93', 'Code93', [72, 7], 'TEST-93', 'TEST-93'],
    ['code128', 'Code128', [73, 8], '{BAb-1#~', 'Ab-1#~'],
  ])('reads %s', async (_, format, parameters, data, text) => {
    expect(await scanned([0x1d, 0x77, 2, 0x1d, 0x6b], parameters, data)).toEqual([{ format, text }]);
  });

  it.each(['x', 'https://example.com/é', '1'.repeat(700)])('reads the QR code of %j at each level', async (text) => {
    for (const level of [48, 49, 50, 51])
      expect(await scanned(set(QR, 69, level), matrix(QR, text))).toEqual([{ format: 'QRCode', text }]);
  });

  it.each([
    ['as it comes', bytes()],
    ['of level 0', set(PDF417, 69, 48, 48)],
    ['of level 5', set(PDF417, 69, 48, 53)],
    ['of 40 % correction', set(PDF417, 69, 49, 4)],
    ['of 2 columns', set(PDF417, 65, 2)],
    ['of 6 columns and 15 rows', bytes(set(PDF417, 65, 6), set(PDF417, 66, 15))],
    ['of 30 rows', bytes(set(PDF417, 66, 30), set(PDF417, 67, 2))],
    ['of small modules in high rows', bytes(set(PDF417, 67, 2), set(PDF417, 68, 8))],
    ['without its right side', set(PDF417, 70, 1)],
  ])('reads a PDF417 %s', async (_, options) => {
    const text = 'Invoice 2026/117, Käse 3,20 € {A} 40063813339310040063813339310';
    expect(await scanned(options, matrix(PDF417, text))).toEqual([{ format: 'PDF417', text }]);
  });

  it('reads a PDF417 of any text', async () => {
    const unit = fc.constantFrom(...'ABCabc019 .,;<{}&\n\tÄ€Ж', '1234567890123', '<>', 'Zz');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 60 }), async (text) => {
        expect(await scanned(set(PDF417, 67, 2), matrix(PDF417, text))).toEqual([{ format: 'PDF417', text }]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a PDF417', () => {
  it('has its columns, rows and heights as they were set', async () => {
    const sized = async (...options: number[][]) => {
      const all = options.map(([fn = 0, ...n]) => set(PDF417, fn, ...n));
      const svg = await pictured(...all, matrix(PDF417, 'HELLO'));
      const [, across, down] = /scale\(([\d.]+) ([\d.]+)\)/.exec(svg) ?? [];
      const rows = new Set([...svg.matchAll(/M\d+ (\d+)\.5/g)].map(([, row]) => row)).size;
      const modules = Math.max(
        ...[...svg.matchAll(/M(\d+) \d+\.5h(\d+)/g)].map(([, x, run]) => Number(x) + Number(run)),
      );
      return { columns: (modules - 1) / 17 - 4, rows, across: Number(across), down: Number(down) };
    };
    expect(await sized([65, 3], [66, 10], [67, 4], [68, 5])).toEqual({ columns: 3, rows: 10, across: 4, down: 20 });
    expect(await sized([65, 31], [65, 2], [67, 9], [68, 1])).toMatchObject({ columns: 2, across: 3, down: 9 });
  });

  it('that is wider than the paper, or too much for the rows that were set, is not printed', async () => {
    expect(await printed(set(PDF417, 65, 30), matrix(PDF417, 'HELLO'))).toBe('');
    expect(await printed(set(PDF417, 65, 1), set(PDF417, 66, 3), matrix(PDF417, 'HELLO'))).toBe('');
    expect(await printed(matrix(PDF417, 'ü'.repeat(700)))).toBe('');
  });

  it('draws each codeword once in each cluster, as the standard counts clusters', () => {
    for (const [at, cluster] of CLUSTERS.entries()) {
      const patterns = cluster.match(/.../g) ?? [];
      expect(new Set(patterns).size).toBe(929);
      for (const digits of patterns) {
        const modules = `1${Number.parseInt(digits, 32).toString(2).padStart(15, '0')}0`;
        const widths = (modules.match(/1+|0+/g) ?? []).map((run) => run.length);
        const [b1 = 0, , b2 = 0, , b3 = 0, , b4 = 0] = widths;
        expect([widths.length, Math.max(...widths) <= 6, (b1 - b2 + b3 - b4 + 9) % 9]).toEqual([8, true, at * 3]);
      }
    }
  });
});
