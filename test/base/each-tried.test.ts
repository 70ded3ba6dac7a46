/** Parts of some work that do not wait for each other to succeed. */
import { expect, it } from 'vitest';
import { eachTried } from '../../runtime/base/each-tried.ts';

const failing = (message: string) => () => Promise.reject(new Error(message));

it('each part is done after the one before it, whatever became of that, and what failed is told at the end', async () => {
  const done: number[] = [];
  const part = (at: number) => async () => void done.push(at);
  await eachTried([]);
  await eachTried([part(1), part(2)]);
  const one = new Error('full');
  await expect(eachTried([part(3), () => Promise.reject(one), part(4)])).rejects.toBe(one);
  const thrown = () => {
    throw new Error('away');
  };
  await expect(eachTried([failing('full'), part(5), thrown, failing('full'), part(6)])).rejects.toThrow(/^full; away$/);
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
});
