/** GS1 element strings: what is accepted, what is refused and why, and where FNC1 stands. */
import bwip from 'bwip-js';
import { describe, expect, it } from 'vitest';
import { linearData } from '../../codecs/barcode.ts';
import { FNC1, gs1Elements, gs1Message } from '../../codecs/gs1-elements.ts';

const message = (value: string): string => {
  const elements = gs1Elements(value);
  return elements.ok ? gs1Message(elements.value).replaceAll(FNC1, '^') : elements.reason;
};

describe('an element string', () => {
  it.each([
    // Identifiers of known length (figure 7.8.5-2) need no FNC1 behind them, and the last one never does.
    ['(01)09501101020917(17)190508(10)ABCD1234(21)10', '01095011010209171719050810ABCD1234^2110'],
    ['(00)006141411234567890', '00006141411234567890'],
    ['(02)00614141000418(37)20', '020061414100041837' + '20'],
    ['(37)20(02)00614141000418', '3720^0200614141000418'],
    ['(01)90614141000015(3202)000150', '01906141410000153202000150'],
    ['(3922)1299(01)90614141000015', '39221299^0190614141000015'],
    ['(414)9521321000018(254)32a', '414952132100001825432a'],
    ['(253)9521321000018(21)1', '2539521321000018^211'],
    ['(420)45458(00)006141411234567890', '42045458^00006141411234567890'],
    ['(4326)260100(10)A', '4326260100^10A'],
    ['(7007)260101(10)A', '7007260101^10A'],
    ['(7007)260101260131', '7007260101260131'],
    ['(7230)MRPC51(21)1', '7230MRPC51^211'],
    ['(8003)00614141000418SN1', '800300614141000418SN1'],
    ['(8005)000365', '8005000365'],
    ['(8010)AB-12/#', '8010AB-12/#'],
    ['(10)A(B', '10A(B'],
    ['(95)!"%&\'()*+,-./:;<=>?_', '95!"%&\'()*+,-./:;<=>?_'],
    [`(99)${'x'.repeat(90)}`, `99${'x'.repeat(90)}`],
  ])('%s is encoded with FNC1 where it must stand', (value, wanted) => {
    expect(message(value)).toBe(wanted);
  });

  it.each([
    ['', 'begins with an identifier'],
    ['09501101020917', 'begins with an identifier'],
    ['x(01)09501101020917', 'begins with an identifier'],
    ['(01)09501101020918', '(01) check digit of 0950110102091 is 7'],
    ['(00)006141411234567891', 'check digit of 00614141123456789 is 0'],
    ['(414)9521321000011', 'check digit'],
    ['(253)9521321000011X', 'check digit'],
    ['(8006)006141410004190102', 'check digit'],
    ['(01)950110102091', 'takes n14c'],
    ['(01)0950110102091A', 'takes n14c'],
    ['(01)095011010209171', 'takes n14c'],
    ['(10)', 'takes x..20'],
    [`(10)${'A'.repeat(21)}`, 'takes x..20'],
    ['(10)A B', 'takes x..20'],
    ['(10)ä', 'takes x..20'],
    ['(8010)ab', 'takes y..30'],
    ['(17)191308', 'takes a date, not 191308'],
    ['(17)190532', 'takes a date, not 190532'],
    ['(37)1234567890', 'takes n..8'],
    ['(3910)97', 'takes n3 n..15'],
    ['(3102)00015', 'takes n6'],
    ['(3370)000001(3380)1', 'no application identifier'],
    ['(05)1', '(05) is no application identifier'],
    ['(123)1', '(123) is no application identifier'],
  ])('%s is refused: %s', (value, reason) => {
    expect(message(value)).toContain(reason);
  });

  /** 00 to 99, 000 to 999, 0000 to 9999. */
  const IDENTIFIERS = [2, 3, 4].flatMap((digits) =>
    Array.from({ length: 10 ** digits }, (_, number) => String(number).padStart(digits, '0')),
  );
  const LENGTHS = [
    ...Array.from({ length: 21 }, (_, at) => at + 1),
    27,
    28,
    29,
    30,
    31,
    32,
    34,
    35,
    36,
    50,
    51,
    70,
    71,
    90,
    91,
  ];

  it('has the identifiers and lengths that another encoder has, too', { timeout: 120_000 }, () => {
    const theirs = (ai: string, length: number): boolean => {
      try {
        bwip.raw({ bcid: 'gs1-128', text: `(${ai})${'0'.repeat(length)}` });
        return true;
      } catch (error) {
        // It asks for other things, too: dates, elements that stand beside this one, 48 characters.
        return !/GS1unknownAI|GS1valueTooShort|GS1valueTooLong/.test((error as Error).message);
      }
    };
    const differ: string[] = [];
    for (const ai of IDENTIFIERS) {
      const known = !message(`(${ai})`).includes('no application identifier');
      // Neither length is right of one that is unknown.
      const knownToThem = theirs(ai, 6) || LENGTHS.some((length) => known && theirs(ai, length));
      if (known !== knownToThem) differ.push(`(${ai})`);
      // Those of weights and amounts differ in their decimals alone.
      if (!known || /^3[1-69]\d[1-46-8]$/.test(ai)) continue;
      for (const length of LENGTHS) {
        // Digits whose check digit is right, and dates.
        const ours = ['0', '01'].some((digits) => gs1Elements(`(${ai})${digits.repeat(92).slice(0, length)}`).ok);
        if (ours !== theirs(ai, length)) differ.push(`(${ai}) of ${length}`);
      }
    }
    expect(differ).toEqual([]);
  });
});

describe('gs1-128', () => {
  it('begins with FNC1, and takes 48 characters', () => {
    const data = (value: string) => {
      const linear = linearData('gs1-128', value);
      return linear.ok ? linear.value : linear.reason;
    };
    expect(data('(10)AB')).toBe('{B{110AB');
    expect(data('(00)006141411234567890')).toBe(`{C{1${String.fromCharCode(0, 0, 61, 41, 41, 12, 34, 56, 78, 90)}`);
    expect(data('(37)20(02)00614141000418')).toBe(
      `{C{1${String.fromCharCode(37, 20)}{1${String.fromCharCode(2, 0, 61, 41, 41, 0, 4, 18)}`,
    );
    expect(data(`(91)${'1'.repeat(46)}`)).toHaveLength(4 + 24);
    expect(data(`(91)${'1'.repeat(47)}`)).toBe('gs1-128 takes 48 characters, not 49');
    expect(data('(01)1')).toContain('(01) takes n14c');
  });
});
