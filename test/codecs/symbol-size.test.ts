/** The width of symbols, against the bars that the virtual printer draws: each has it from the standards on its own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LinearSymbology, linearData } from '../../codecs/barcode.ts';
import { latin1 } from '../../codecs/latin1.ts';
import { linearModules, pdf417Modules, qrModules, symbolDots } from '../../codecs/symbol-size.ts';
import { encodeBarcode } from '../../plugins/printer/virtual/symbols/barcode.ts';
import { encodeQr } from '../../plugins/printer/virtual/symbols/qr.ts';

const of = (characters: string, most = 60) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: most });
const digits = (count: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: count, maxLength: count });
const CODE39 = '0123456789AZ $%+-./';
const DATA: Readonly<Record<LinearSymbology, fc.Arbitrary<string>>> = {
  ean13: digits(12),
  ean8: digits(7),
  upca: digits(11),
  upce: digits(6),
  code39: fc.oneof(
    of(CODE39),
    of(CODE39).map((value) => `*${value}*`),
  ),
  code93: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 60 }),
  code128: fc.oneof(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 60 }), of('0123456789a{\t')),
  itf: of('0123456789').map((value) => value + value),
  codabar: of('0123456789$+-./:').map((value) => `A${value}d`),
  'gs1-128': fc
    .tuple(of('0123456789AZ-', 20), of('0123456789az', 15))
    .map(([batch, serial]) => `(10)${batch}(17)261231(21)${serial}`),
};

describe('the width of a symbol', () => {
  it.each(Object.keys(DATA) as LinearSymbology[])('of %s is that of its bars', (symbology) => {
    fc.assert(
      fc.property(DATA[symbology], (value) => {
        const data = linearData(symbology, value);
        fc.pre(data.ok);
        const bars = data.ok
          ? encodeBarcode(symbology === 'gs1-128' ? 'code128' : symbology, latin1(data.value))?.bars.length
          : 0;
        expect(data.ok && linearModules(symbology, data.value)).toBe(bars);
      }),
    );
  });

  it.each(['l', 'm', 'q', 'h'] as const)('of a QR code of level %s is that of its version', (level) => {
    for (let bytes = 1; ; bytes += 1) {
      const drawn = bytes % 53 === 0 || bytes < 50 ? encodeQr(new Uint8Array(bytes), level) : [];
      if (drawn === undefined) break;
      if (drawn.length > 0) expect(qrModules(bytes, level).across).toBe(drawn.length);
    }
  });

  it('of a PDF417 is that of the fewest columns that hold its codewords', () => {
    // Six bytes are five codewords; the length, the latch and four of level 1 are six more.
    expect(pdf417Modules(5, 1)).toEqual({ across: 86, down: 33 });
    expect(pdf417Modules(100, 1)).toEqual({ across: 86, down: 270 });
    expect(pdf417Modules(101, 1)).toEqual({ across: 103, down: 138 });
    expect(pdf417Modules(1106, 1)).toEqual({ across: 341, down: 174 });
    expect(pdf417Modules(1107, 1)).toBeUndefined();
  });

  it('is that of its modules, and of what its quiet zones need beyond the white margin of the paper', () => {
    expect(symbolDots('ean13', 95, 2)).toBe(190);
    expect(symbolDots('ean13', 95, 3)).toBe(286);
    expect(symbolDots('code128', 100, 4)).toBe(416);
    expect(symbolDots('qr', 21, 8)).toBe(168);
    expect(symbolDots('qr', 21, 16)).toBe(400);
  });
});
