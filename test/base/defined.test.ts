import { expect, it } from 'vitest';
import { defined } from '../../runtime/base/defined.ts';

it('defined() leaves out what is undefined, and nothing else that is empty', () => {
  const values: Record<string, unknown> = { a: undefined, b: null, c: '', d: 0, e: false };
  expect(Object.entries(defined(values))).toEqual([
    ['b', null],
    ['c', ''],
    ['d', 0],
    ['e', false],
  ]);
});
