import { expect, it } from 'vitest';
import { Gathered } from '../../runtime/base/gathered.ts';

it('bytes that arrive one by one take a piece for thousands of them, and are the same bytes', () => {
  const gathered = new Gathered();
  const sent = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n & 0xff));
  for (const byte of sent) gathered.push(Uint8Array.of(byte));
  expect(gathered.length).toBe(sent.length);
  expect(gathered.whole().equals(sent)).toBe(true);
  expect(Buffer.concat(gathered.pieces).equals(sent)).toBe(true);
  expect(gathered.pieces.length).toBeLessThan(10);
});

it('long and short pieces keep their order', () => {
  const gathered = new Gathered();
  const lengths = [3, 20_000, 1, 15_999, 16_384, 0, 40_000, 2];
  const sent = lengths.map((length, n) => Buffer.alloc(length, n + 1));
  for (const each of sent) gathered.push(each);
  expect(gathered.whole().equals(Buffer.concat(sent))).toBe(true);
  gathered.clear();
  gathered.push(Buffer.from('next'));
  expect([gathered.length, gathered.whole().toString()]).toEqual([4, 'next']);
});
