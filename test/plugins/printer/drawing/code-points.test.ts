/** A set of code points survives the index of the pack, and knows the place of each. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodePoints, pairsOf } from '../../../../plugins/printer/drawing/code-points.ts';

describe('a set of code points', () => {
  it('has what it was made of, in order, and nothing else', () => {
    const codePoints = fc.uniqueArray(fc.integer({ min: 0, max: 300 }));
    fc.assert(
      fc.property(codePoints, (members) => {
        const set = new CodePoints(pairsOf(members));
        const sorted = [...members].sort((a, b) => a - b);
        expect(set.size).toBe(members.length);
        for (let each = 0; each <= 301; each += 1) expect(set.rank(each)).toBe(sorted.indexOf(each));
      }),
    );
  });

  it('is written as ranges', () => {
    expect(pairsOf([0x41, 0x42, 0x43, 0x61])).toEqual([0x41, 3, 0x1d, 1]);
    expect(pairsOf([])).toEqual([]);
  });
});
