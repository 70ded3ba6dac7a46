/** The order of those that wait for a printer. */
import fc from 'fast-check';
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

it('whoever gives up, the first keeps its place, and so do all of one address', () => {
  const source = fc.record({
    by: fc.constantFrom('api' as const, 'port9100' as const),
    from: fc.constantFrom('a', 'b', 'c'),
  });
  const some = fc.array(source, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(source, { maxLength: 3 }), some, fc.array(fc.nat(11)), (served, sources, leaving) => {
      const queue = (gone: ReadonlySet<number>) => {
        const waiters = new Waiters<{ readonly source: Source; readonly at: number }>();
        for (const each of served) waiters.served(each);
        const all = sources.map((each, at) => ({ source: each, at }));
        for (const each of all) waiters.add(each);
        for (const each of all) if (gone.has(each.at)) waiters.remove(each);
        return waiters.clear();
      };
      const [first] = queue(new Set());
      const left = queue(new Set(leaving.filter((at) => at !== first!.at)));
      expect(left[0]).toEqual(first);
      for (const { source: of } of left) {
        const own = left.flatMap(({ source: { by, from }, at }) => (by === of.by && from === of.from ? at : []));
        expect(own).toEqual([...own].sort((a, b) => a - b));
      }
    }),
  );
});
