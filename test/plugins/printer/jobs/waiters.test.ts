/** Who is next of those that wait for a printer. */
import { expect, it } from 'vitest';
import { type Source, Waiters } from '../../../../plugins/printer/jobs/waiters.ts';

const waiter = (from: string, by: Source['by'] = 'api') => ({ source: { by, from } });

it('a waiter that is taken out twice, or never came, takes nobody else out', () => {
  const waiters = new Waiters<{ readonly source: Source }>();
  const [first, second, third] = [waiter('a'), waiter('a'), waiter('b')];
  for (const each of [first, second, third]) waiters.add(each);
  for (const each of [first, first, waiter('a'), waiter('c')]) waiters.remove(each);
  expect(waiters.size).toBe(2);
  expect([waiters.next(), waiters.next(), waiters.next(), waiters.size]).toEqual([second, third, undefined, 0]);
  waiters.remove(second);
  expect([waiters.size, waiters.next()]).toEqual([0, undefined]);
});

it('an address of which nobody waits any more is in nobody’s way', () => {
  const waiters = new Waiters<{ readonly source: Source }>();
  const [first, second] = [waiter('a'), waiter('b')];
  for (const each of [first, second]) waiters.add(each);
  waiters.remove(first);
  expect([waiters.next(), waiters.size]).toEqual([second, 0]);
});

it('all who wait are taken out at once, each once', () => {
  const waiters = new Waiters<{ readonly source: Source }>();
  const all = [waiter('a'), waiter('b', 'port9100'), waiter('a', 'port9100'), waiter('b')];
  for (const each of all) waiters.add(each);
  expect(waiters.size).toBe(4);
  expect(new Set(waiters.clear())).toEqual(new Set(all));
  expect([waiters.size, waiters.clear()]).toEqual([0, []]);
});

it('who was served last of an address waits for the others of its way', () => {
  const waiters = new Waiters<{ readonly source: Source }>();
  const [own, other, raw] = [waiter('a'), waiter('b'), waiter('a', 'port9100')];
  waiters.served(own.source);
  for (const each of [own, other]) waiters.add(each);
  expect(waiters.next()).toBe(other);
  waiters.served(other.source);
  waiters.add(raw);
  expect([waiters.next(), waiters.next()]).toEqual([raw, own]);
});
