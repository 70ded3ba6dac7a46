import { expect, it } from 'vitest';
import { backoff } from '../../runtime/base/backoff.ts';

it('a pause is the first one, twice as long after each failure that follows, and never more than the longest', () => {
  expect([0, 1, 2, 3, 4, 5, 2000].map((failures) => backoff(failures, 250, 1900))).toEqual([
    250, 250, 500, 1000, 1900, 1900, 1900,
  ]);
  expect(backoff(11, 1)).toBe(1024);
});

it('a first pause of nothing stays nothing', () => {
  expect(backoff(5000, 0)).toBe(0);
});
