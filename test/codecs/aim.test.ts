import { describe, expect, it } from 'vitest';
import { identifyRead, symbologyOfAim, symbologyOfHoneywellId } from '../../codecs/aim.ts';

const digits = (length: number) => '0'.repeat(length);

describe('an AIM identifier', () => {
  it.each([
    [']A0 ]A4', 'code39'],
    [']C0 ]C2 ]C4', 'code128'],
    [']C1', 'gs1-128'],
    [']F0', 'codabar'],
    [']G0', 'code93'],
    [']H1', 'code11'],
    [']I0 ]I1 ]I3', 'itf'],
    [']K0', 'code16k'],
    [']L0 ]L2', 'pdf417'],
    [']L3 ]L5', 'micropdf417'],
    [']M0', 'msi'],
    [']O4 ]O6', 'codablock'],
    [']B0', 'telepen'],
    [']P0', 'plessey'],
    [']Q0 ]Q1 ]Q3 ]Q6', 'qr'],
    [']R0 ]S0', 'straight2of5'],
    [']T0', 'code49'],
    [']U0', 'maxicode'],
    [']d1 ]d2', 'datamatrix'],
    [']e0 ]e1', 'databar'],
    [']h0', 'hanxin'],
    [']o1', 'ocr'],
    [']z0 ]zA', 'aztec'],
    [']D0 ]N0 ]c0 ]p0 ]s0 ]Xz', 'other'],
    [']X0 ]X9', 'ean13'],
    [']XC', 'ean8'],
    [']Xg', 'upca'],
    [']Xk', 'upce'],
    [']Xr ]Xs ]Xt', 'databar'],
    [']XS', 'qr'],
  ])('%s is %s', (identifiers, symbology) => {
    for (const aim of identifiers.split(' ')) expect([aim, symbologyOfAim(aim, 'ABC')]).toEqual([aim, symbology]);
  });

  it.each([
    [']E0', 13, 'ean13'],
    [']E0', 12, 'upca'],
    [']E0', 8, 'upce'],
    [']E0', 7, 'upce'],
    [']E4', 8, 'ean8'],
    [']E3', 15, 'ean13'],
    [']E3', 18, 'ean13'],
    [']E3', 17, 'upca'],
    [']E1', 2, 'other'],
  ])('%s with %i digits is %s', (aim, length, symbology) => {
    expect(symbologyOfAim(aim, digits(length))).toBe(symbology);
  });

  it.each([']', ']E', 'E0', ']Y0', ']Az', 'E0x', ''])('%j stands for nothing', (aim) => {
    expect(symbologyOfAim(aim, '1')).toBeUndefined();
  });
});

describe('a read', () => {
  it('is told by the identifier transmitted beside it, and its value left alone', () => {
    expect(identifyRead('036000291452', ']E0')).toEqual({
      ...{ value: '036000291452', aim: ']E0', symbology: 'upca', symbologySource: 'aim' },
    });
    expect(identifyRead(']C1ABC', ']Q1')).toMatchObject({ value: ']C1ABC', symbology: 'qr' });
  });

  it('is told by the identifier in front of the text, which is taken off', () => {
    expect(identifyRead(']E04006381333931')).toEqual({
      ...{ value: '4006381333931', aim: ']E0', symbology: 'ean13', symbologySource: 'aim' },
    });
    expect(identifyRead(']Xg036000291452')).toMatchObject({ value: '036000291452', symbology: 'upca' });
  });

  it.each([']Y0ABC', '](A', ']', ']E0'])('keeps %j whole: no identifier, or nothing after it', (text) => {
    expect(identifyRead(text)).toEqual({ value: text, aim: null, symbology: 'code128', symbologySource: 'inferred' });
  });

  it('is inferred where the identifier beside it is unknown', () => {
    expect(identifyRead('96385074', ']Y0')).toEqual({
      ...{ value: '96385074', aim: ']Y0', symbology: 'ean8', symbologySource: 'inferred' },
    });
  });
});

describe("Honeywell's own id", () => {
  it.each([
    [0x44, 'ean8'],
    [0x45, 'upce'],
    [0x63, 'upca'],
    [0x64, 'ean13'],
    [0x7c, 'gs1-128'],
    [0x52, 'micropdf417'],
    [0x7d, 'databar'],
    [0x48, 'hanxin'],
    [0x00, undefined],
  ])('%i is %s', (id, symbology) => expect(symbologyOfHoneywellId(id)).toBe(symbology));
});
