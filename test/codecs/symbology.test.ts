import { describe, expect, it } from 'vitest';
import { expandUpce, hasValidCheckDigit } from '../../codecs/gs1.ts';
import { inferSymbology } from '../../codecs/symbology.ts';
import spec from '../spec/hid-symbology.json' with { type: 'json' };

describe('the symbology of a value', () => {
  it.each(spec.vectors)('of $value is $inferred', ({ value, inferred }) =>
    expect(inferSymbology(value)).toBe(inferred),
  );

  it.each([
    ['a check digit that fits no length', '12345670123456784', 'code128'],
    ['8 digits that fit neither EAN-8 nor UPC-E', '96385075', 'code128'],
    ['8 digits from 0 that fit EAN-8 alone', '00000123', 'ean8'],
    ['a Wi-Fi code', 'WIFI:T:WPA;S:shop;P:secret;;', 'qr'],
    ['a contact', 'BEGIN:VCARD', 'qr'],
    ['a boarding pass', `M1DOE/JOHN${' '.repeat(48)}`, 'aztec'],
    ['a text too long for a matrix of this kind', 'A'.repeat(129), 'pdf417'],
    ['a long text with small letters', 'the quick brown fox jumps over the dog', 'qr'],
    ['a long text that Code 39 could hold', 'A-'.repeat(20), 'code128'],
    ['a text beyond ASCII', 'Käse', 'qr'],
    ['start and stop letters sent along', 'B00123D', 'codabar'],
    ['nothing', '', 'code128'],
  ])('is inferred for %s', (_, value, symbology) => expect(inferSymbology(value)).toBe(symbology));
});

describe('UPC-E', () => {
  it.each(spec.vectors.filter((it) => it.expanded !== undefined))('$value is $expanded', ({ value, expanded }) => {
    expect(expandUpce(value)).toBe(expanded);
  });

  it.each([
    ['01234531', '012300000451'],
    ['01234541', '012340000051'],
    ['01234591', '012345000091'],
  ])('%s is %s by its last digit', (value, expanded) => expect(expandUpce(value)).toBe(expanded));

  it.each(['2123456', '21234565', 'A1234565', ''])('%j is none', (value) => expect(expandUpce(value)).toBeUndefined());
});

describe('a check digit', () => {
  it('is right for one last digit in ten', () => {
    const right = [...'0123456789'].filter((digit) => hasValidCheckDigit(`400638133393${digit}`));
    expect(right).toEqual(['1']);
  });
});
