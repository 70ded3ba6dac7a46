import { describe, expect, it } from 'vitest';
import { type LinearSymbology, linearData } from '../../codecs/barcode.ts';
import { checkDigit } from '../../codecs/gs1.ts';
import { pdf417Data, qrData } from '../../codecs/matrix-code.ts';

const data = (symbology: LinearSymbology, value: string) => {
  const made = linearData(symbology, value);
  return made.ok ? made.value : undefined;
};

describe('a bar code', () => {
  it.each([
    ['400638133393', '1'],
    ['03600029145', '2'],
    ['9638507', '4'],
    ['0000000', '0'],
  ])('that begins with %s has the check digit %s', (digits, check) => {
    expect(checkDigit(digits)).toBe(check);
  });

  it.each<[LinearSymbology, string, string]>([
    ['ean13', '400638133393', '4006381333931'],
    ['ean13', '4006381333931', '4006381333931'],
    ['ean8', '9638507', '96385074'],
    ['upca', '03600029145', '036000291452'],
  ])('of %s %s is sent as %s', (symbology, value, sent) => {
    expect(data(symbology, value)).toBe(sent);
  });

  it.each<[LinearSymbology, string]>([
    ['ean13', '4006381333932'],
    ['ean13', '40063813339'],
    ['ean13', '40063813339310'],
    ['ean13', '400638133393X'],
    ['ean13', '４００６３８１３３３９３'],
    ['ean8', '96385075'],
    ['ean8', '963850'],
    ['upca', '036000291453'],
    ['upca', '0360002914'],
  ])('of %s is refused for %s', (symbology, value) => {
    expect(data(symbology, value)).toBeUndefined();
  });
});

describe('upce', () => {
  it.each([
    ['425261', '042100005264'],
    ['0425261', '042100005264'],
    ['04252614', '042100005264'],
    ['123453', '012300000451'],
    ['123454', '012340000053'],
    ['123455', '012345000058'],
    ['01234500005', '012345000058'],
    ['042100005264', '042100005264'],
  ])('%s is sent as the number %s', (value, sent) => {
    expect(data('upce', value)).toBe(sent);
  });

  it.each(['12345', '1425261', '04252615', '012345678905', '142100005264', '01234500004', '042100005265', 'abcdef'])(
    'refuses %s',
    (value) => {
      expect(data('upce', value)).toBeUndefined();
    },
  );
});

describe('a value of a bar code', () => {
  it.each<[LinearSymbology, string]>([
    ['code39', 'ABC-123 $/+%.'],
    ['code39', '*ABC*'],
    ['code39', '0'.repeat(255)],
    ['code93', 'Abc~\u0000\u007f'],
    ['itf', '12'],
    ['itf', '1'.repeat(254)],
    ['codabar', 'A1234B'],
    ['codabar', 'a0-$:/.+d'],
    ['codabar', 'AB'],
  ])('for %s is taken as it is: %j', (symbology, value) => {
    expect(data(symbology, value)).toBe(value);
  });

  it.each<[LinearSymbology, string]>([
    ['code39', 'abc'],
    ['code39', 'A*B'],
    ['code39', '0'.repeat(256)],
    ['code39', ''],
    ['code93', 'é'],
    ['code93', 'x'.repeat(256)],
    ['itf', '123'],
    ['itf', '1'.repeat(256)],
    ['itf', '12a4'],
    ['codabar', '1234'],
    ['codabar', 'A12C34B'],
    ['codabar', `A${'1'.repeat(254)}B`],
    ['code128', 'é'],
    ['code128', ''],
    ['code128', 'x'.repeat(254)],
  ])('for %s is refused: %j', (symbology, value) => {
    expect(data(symbology, value)).toBeUndefined();
  });
});

describe('code128', () => {
  it.each([
    ['ABC-123', '{BABC-123'],
    ['123456', '{C\u000c\u0022\u0038'],
    ['12', '{C\u000c'],
    ['12345', '{C\u000c\u0022{B5'],
    ['AB123456', '{BAB{C\u000c\u0022\u0038'],
    ['AB1234C', '{BAB1234C'],
    ['AB123456C', '{BAB{C\u000c\u0022\u0038{BC'],
    ['A{B', '{BA{{B'],
    ['A\tB', '{BA{A\tB'],
    ['A\tb', '{BA{A\t{Bb'],
    ['x'.repeat(253), `{B${'x'.repeat(253)}`],
    ['0'.repeat(506), `{C${'\u0000'.repeat(253)}`],
  ])('chooses its code sets for %j', (value, sent) => {
    expect(data('code128', value)).toBe(sent);
  });

  it('does not let digits become DLE DC4', () => {
    for (const value of ['162001000112', '00162001', '91620010001', 'A162001000199']) {
      expect(data('code128', value)).not.toContain('\u0010\u0014');
    }
  });
});

describe('a two-dimensional code', () => {
  it.each([
    ['1'.repeat(2953), 'l', true],
    ['1'.repeat(2954), 'l', false],
    ['A'.repeat(2331), 'm', true],
    ['A'.repeat(2332), 'm', false],
    ['a'.repeat(1663), 'q', true],
    ['a'.repeat(1273), 'h', true],
    ['é'.repeat(637), 'h', false],
    ['', 'l', false],
  ] as const)('of the kind qr holds no more bytes than version 40 (%#)', (value, level, fits) => {
    expect(qrData(value, level).ok).toBe(fits);
  });

  it('is sent as UTF-8', () => {
    expect(qrData('é€', 'm')).toMatchObject({ ok: true, value: new TextEncoder().encode('é€') });
    expect(pdf417Data('é', 1)).toMatchObject({ ok: true, value: { bytes: new TextEncoder().encode('é') } });
  });

  it.each([
    ['1'.repeat(1106), 1, true],
    ['1'.repeat(1107), 1, false],
    ['é'.repeat(553), 1, true],
    ['é'.repeat(554), 1, false],
    ['a'.repeat(804), 7, true],
    ['a'.repeat(805), 7, false],
  ] as const)('of the kind pdf417 holds no more bytes than its codewords (%#)', (value, level, fits) => {
    expect(pdf417Data(value, level).ok).toBe(fits);
  });
});
