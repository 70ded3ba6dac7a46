/** Direction controls of text that is printed: what would show digits in another order is left out. */
import { describe, expect, it } from 'vitest';
import { withoutOverrides } from '../../codecs/direction-controls.ts';
import { directionsOf, visualOrder } from '../../plugins/printer/layout/shaped/bidi.ts';
import { randomFrom } from '../random.ts';

const [LRM, RLM, ALM] = '\u200e\u200f\u061c';
const [LRE, RLE, PDF, LRO, RLO, LRI, RLI, FSI, PDI] = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';

describe('what is left out', () => {
  it.each([
    ['an override and its end', `TOTAL ${RLO}00.91${PDF}`, 'TOTAL 00.91', 2],
    ['an override that has no end', `TOTAL ${RLO}00.91`, 'TOTAL 00.91', 1],
    ['an override of the usual direction', `${LRO}a${PDF}`, 'a', 2],
    ['an override inside an isolate, which ends with that', `${RLI}${RLO}12${PDI}`, `${RLI}12${PDI}`, 1],
    ['an override around an embedding', `${RLO}${RLE}ש${PDF}2${PDF}`, `${RLE}ש${PDF}2`, 2],
    ['an embedding that has no end', `${RLE}12 34`, '12 34', 1],
    ['an end that has no beginning', `1${PDF}2${PDI}3`, '123', 2],
    ['an isolate that has no end', `${FSI}12 34`, '12 34', 1],
    ['an isolate that ends behind the line', `${RLI}12\n34${PDI}`, '12\n34', 2],
    [
      'an end of an embedding that began outside of the isolate',
      `${RLE}${LRI}ש${PDF}b${PDI}c${PDF}`,
      `${RLE}${LRI}שb${PDI}c${PDF}`,
      1,
    ],
    ['a mark before each digit', `TOTAL ${[...'00.91'].map((c) => RLM + c).join('')}`, 'TOTAL 00.91', 5],
    ['an Arabic mark before each digit', `TOTAL ${[...'00.91'].map((c) => ALM + c).join('')}`, 'TOTAL 00.91', 5],
    ['marks in an embedding that ends', `${RLE}0${RLM}0${RLM}.${RLM}9${PDF}`, `${RLE}00.9${PDF}`, 3],
    ['an embedding of two numbers', `TOTAL ${RLE}00.91 12${PDF}`, 'TOTAL 00.91 12', 2],
    ['an isolate of two numbers', `TOTAL ${RLI}00.91 12${PDI}`, 'TOTAL 00.91 12', 2],
    ['a mark before a difference', `TOTAL ${RLM}19.00 - 5`, 'TOTAL 19.00 - 5', 1],
    ['isolates of single digits within one', `${RLI}${LRI}0${PDI}${FSI}9${PDI}${PDI}`, `${RLI}${LRI}09${PDI}${PDI}`, 2],
    ['a mark before a number and a tab', `${RLM}a\t1`, 'a\t1', 1],
    ['a mark before a number that begins with its point', `${RLM}.50`, '.50', 1],
    ['a mark behind it', `.50${RLM}`, '.50', 1],
    ['an isolate around it', `${RLI}.50${PDI}`, '.50', 2],
    ['an embedding around it', `${RLE}.50${PDF}`, '.50', 2],
    ['a mark before a comma, digits and a currency', `${RLM},50 €`, ',50 €', 1],
    ['a mark before a number that ends with a point', `${RLM}1.50.`, '1.50.', 1],
    ['a mark before a minus', `${RLM}-5.00`, '-5.00', 1],
    ['a mark before a number with its minus behind', `${ALM}5.00-`, '5.00-', 1],
    ['a mark before words and such a number', `${RLM}TOTAL 5.00-`, 'TOTAL 5.00-', 1],
    [
      'marks in a number beside a letter',
      `TOTAL ${[...'00.91'].map((c) => RLM + c).join('')} ש`,
      `TOTAL ${RLM}00.91 ש`,
      4,
    ],
    ['isolates in a number beside a letter', `ש 0${RLI}${PDI}9`, 'ש 09', 2],
    ['marks beside what only lengthens a letter', `ـ TOTAL 0${RLM} ${RLM}9`, 'ـ TOTAL 0 9', 2],
    ['a mark in the paragraph of numbers alone', `שלום ${RLM}1 - 2\n${RLM}1 - 2`, `שלום ${RLM}1 - 2\n1 - 2`, 1],
  ])('is %s', (_, text, kept, dropped) => {
    expect(withoutOverrides(text)).toEqual({ text: kept, dropped });
  });
});

it.each([
  ['pairs', `${RLE}שלום${PDF} ${LRI}12${PDI} ${FSI}ab${PDI} ${LRE}x${PDF}`],
  ['an embedding that ends with its isolate', `${RLI}${LRE}ש${PDI}`],
  ['isolates of names, which turn nothing', `${FSI}Anna${PDI} 2 ${LRI}x${PDI} ${LRM}3 ${LRE}4${PDF}`],
  ['a sum as browsers write it in Hebrew', `${RLM}1,019.00 ${RLM}₪`],
  ['a negative sum as browsers write it in Hebrew', `${LRM}-${RLM}19.00 ${RLM}₪`],
  ['a date as browsers write it in Arabic', `٢٤${RLM}/١٢${RLM}/٢٠٢٦`],
  ['a number at the right edge', `${RLM}12`],
  ['words at the right edge', `${RLM}Coffee, 2 cups: 5.40!`],
  ['a date as browsers write it in Arabic, with other digits', `م 24${RLM}/12${RLM}/2026`],
  ['a range as Hebrew has it', 'ש 10\u05be20'],
  ['a decimal comma of Arabic', 'م 10\u060c50 ٥٫٠'],
  ['a line of Hebrew', `סה"כ ${RLM}19.00 - 5 ${LRM}(x2)`],
  ['text without any', 'TOTAL 19.00 שלום'],
  ['characters of two units', `${RLI}𐤀😀${PDI}`],
])('direction controls in %s are left as they are', (_, text) => {
  expect(withoutOverrides(text)).toEqual({ text, dropped: 0 });
});

it.each(['\ufbb3', '\u05f3', '\u05c3', '\u0888', '\u0640', '\u06d4'])(
  'what is from right to left and no letter (%s) is no sign of a number',
  (sign) => {
    expect(withoutOverrides(`91${sign}00`)).toEqual({ text: '91\ufffd00', dropped: 0 });
    expect(withoutOverrides(`ש 91${sign}00`)).toEqual({ text: 'ש 91\ufffd00', dropped: 0 });
    expect(withoutOverrides(`ש${sign}`)).toEqual({ text: `ש${sign}`, dropped: 0 });
  },
);

/** Letters and digits of one paragraph from left to right on the paper. */
function shown(paragraph: string): string {
  const { levels } = directionsOf(paragraph);
  return visualOrder([...levels])
    .map((at) => paragraph[at] ?? '')
    .filter((char) => /[\p{L}\p{N}]/u.test(char))
    .join('');
}

it('letters and digits of text without a letter from right to left stand in their order, with any direction characters among them', () => {
  const random = randomFrom(27);
  const controls = [LRM, RLM, ALM, LRE, RLE, PDF, LRO, RLO, LRI, RLI, FSI, PDI];
  const others = [...'0123456789  ..,-+/:%$€#*()[]<>"!&abcXYZäß日½²Ⅷˆʹ\t\u0301\u00a0'];
  const pick = (from: readonly (string | undefined)[]) => from[Math.floor(random() * from.length)] ?? '';
  let turned = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const share = random();
    const chars = Array.from({ length: 1 + Math.floor(random() * 14) }, () =>
      pick(random() < share ? controls : others),
    );
    const text = chars.join('');
    const written = chars.filter((char) => /[\p{L}\p{N}]/u.test(char)).join('');
    const { text: kept, dropped } = withoutOverrides(text);
    expect(shown(kept), JSON.stringify(text)).toBe(written);
    expect([...text].length - [...kept].length).toBe(dropped);
    if (shown(text) === written) continue;
    turned += 1;
    expect(dropped, JSON.stringify(text)).toBeGreaterThan(0);
  }
  expect(turned).toBeGreaterThan(1000);
});
