import { expect, it } from 'vitest';
import { Gathered } from '../../runtime/base/gathered.ts';

it('bytes that arrive one by one take a piece for thousands of them, and are the same bytes', () => {
  const gathered = new Gathered();
  const sent = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n & 0xff));
  for (const byte of sent) gathered.push(Uint8Array.of(byte));
  expect(gathered.length).toBe(sent.length);
  expect(gathered.whole().equals(sent)).toBe(true);
  expect(Buffer.concat(gathered.pieces).equals(sent)).toBe(true);
  expect(gathered.pieces.length).toBeLessThan(15);
});

it.each([2, 500, 5000, 50_000])('%i bytes that arrive one by one take twice as much, or 1 KiB', (many) => {
  const gathered = new Gathered();
  for (let at = 0; at < many; at += 1) gathered.push(Uint8Array.of(at & 0xff));
  const taken = gathered.pieces.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  expect(taken).toBeLessThanOrEqual(Math.max(1025, 2 * many));
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
