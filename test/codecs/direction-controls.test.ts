/** Direction controls of text that is printed: what would show digits in another order is left out. */
import { describe, expect, it } from 'vitest';
import { withoutOverrides } from '../../codecs/direction-controls.ts';

const [LRE, RLE, PDF, LRO, RLO, LRI, RLI, FSI, PDI] = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';

describe('what is left out', () => {
  it.each([
    ['an override and its end', `TOTAL ${RLO}00.91${PDF}`, 'TOTAL 00.91', 2],
    ['an override that has no end', `TOTAL ${RLO}00.91`, 'TOTAL 00.91', 1],
    ['an override of the usual direction', `${LRO}a${PDF}`, 'a', 2],
    ['an override inside an isolate, which ends with that', `${RLI}${RLO}12${PDI}`, `${RLI}12${PDI}`, 1],
    ['an override around an embedding', `${RLO}${RLE}1${PDF}2${PDF}`, `${RLE}1${PDF}2`, 2],
    ['an embedding that has no end', `${RLE}12 34`, '12 34', 1],
    ['an end that has no beginning', `1${PDF}2${PDI}3`, '123', 2],
    ['an isolate that has no end', `${FSI}12 34`, '12 34', 1],
    ['an isolate that ends behind the line', `${RLI}12\n34${PDI}`, '12\n34', 2],
    [
      'an end of an embedding that began outside of the isolate',
      `${RLE}${LRI}a${PDF}b${PDI}c${PDF}`,
      `${RLE}${LRI}ab${PDI}c${PDF}`,
      1,
    ],
  ])('is %s', (_, text, kept, dropped) => {
    expect(withoutOverrides(text)).toEqual({ text: kept, dropped });
  });
});

it.each([
  ['pairs', `${RLE}שלום${PDF} ${LRI}12${PDI} ${FSI}ab${PDI} ${LRE}x${PDF}`],
  ['an embedding that ends with its isolate', `${RLI}${LRE}ab${PDI}`],
  ['text without any', 'TOTAL 19.00 שלום'],
  ['characters of two units', `${RLI}𐤀😀${PDI}`],
])('direction controls in %s are left as they are', (_, text) => {
  expect(withoutOverrides(text)).toEqual({ text, dropped: 0 });
});
