/** Status requests among the first bytes of a client: what is taken out is asked, and nothing else is touched. */
import { assert, constantFrom, property, array as several, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedAmongBlanks, askedFirst, requestOf, type StatusAsked } from '../../../../plugins/printer/raw/bytes.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hexOf = ({ numbers, rest, begun }: StatusAsked) => ({
  numbers,
  rest: Buffer.from(rest).toString('hex'),
  begun: Buffer.from(begun).toString('hex'),
});
const asked = (numbers: number[], rest: string, begun = '') => ({ numbers, rest: rest.replaceAll(' ', ''), begun });
/** Pieces that make requests, nearly. */
const pieces = several(
  constantFrom(...['10', '04', '1004', '100401', '100404', '100400', '100405', '00', '0d', '0a', '41', '1b40']),
  { maxLength: 12 },
).map((list) => bytes(list.join('')));

it('a request is DLE EOT and its number', () => {
  expect([...requestOf(3)]).toEqual([0x10, 0x04, 3]);
});

describe('before the first byte that prints,', () => {
  it.each([
    ['', asked([], '')],
    ['41 42', asked([], '41 42')],
    ['100401', asked([1], '')],
    ['100401 100404 41', asked([1, 4], '41')],
    ['00 0d 0a 100402 0a 41 100401', asked([2], '00 0d 0a 0a 41 100401')],
    ['00 0d 41', asked([], '00 0d 41')],
    ['100400', asked([], '100400')],
    ['100405', asked([], '100405')],
    ['100401 1004', asked([1], '1004')],
    ['100501', asked([], '100501')],
    ['110401', asked([], '110401')],
  ])('requests are taken out of "%s"', (given, expected) => {
    expect(hexOf(askedAmongBlanks(bytes(given)))).toEqual(expected);
  });

  it('what is left begins with no request, and is what came without those asked', () => {
    assert(
      property(pieces, (given) => {
        const { numbers, rest, begun } = askedAmongBlanks(given);
        expect(rest.length + 3 * numbers.length).toBe(given.length);
        expect([askedAmongBlanks(rest).numbers, begun.length]).toEqual([[], 0]);
      }),
    );
  });
});

describe('what waits for its turn', () => {
  it.each([
    ['', asked([], '')],
    ['100401 100402', asked([1, 2], '')],
    ['100401 41 100402', asked([1], '41 100402')],
    ['0a 100401', asked([], '0a 100401')],
    ['100401 10', asked([1], '', '10')],
    ['100401 1004', asked([1], '', '1004')],
    ['1004', asked([], '', '1004')],
    ['10', asked([], '', '10')],
    ['1041', asked([], '1041')],
    ['41', asked([], '41')],
    ['4104', asked([], '4104')],
    ['100400', asked([], '100400')],
    ['100405', asked([], '100405')],
    ['100541', asked([], '100541')],
  ])('is looked through from its beginning for questions of the status: %j', (given, expected) => {
    expect(hexOf(askedFirst(bytes(given)))).toEqual(expected);
  });

  it('requests, what is begun, and the rest are all that came, in its order, wherever it is cut', () => {
    assert(
      property(pieces, uint8Array({ maxLength: 3 }), (head, tail) => {
        const given = Uint8Array.from([...head, ...tail]);
        const whole = askedFirst(given);
        expect([...whole.numbers.flatMap((n) => [...requestOf(n)]), ...whole.rest, ...whole.begun]).toEqual([...given]);
        for (let at = 0; at <= given.length; at += 1) {
          const first = askedFirst(given.subarray(0, at));
          if (first.rest.length > 0) continue;
          const then = askedFirst(Uint8Array.from([...first.begun, ...given.subarray(at)]));
          expect([...first.numbers, ...then.numbers]).toEqual(whole.numbers);
        }
      }),
    );
  });
});
