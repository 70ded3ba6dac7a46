/** What waits is bounded, and what was seen is told apart. */
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../runtime/fleet/database/database.ts';
import { Busy, Ingest } from '../../runtime/fleet/ingest/ingest.ts';
import { Oddities } from '../../runtime/fleet/ingest/oddities.ts';
import { type Seen, see } from '../../runtime/fleet/ingest/seen.ts';
import { orderOf } from '../../runtime/fleet/ingest/version-order.ts';

it('while the database takes nothing, so many messages wait and no more; those that come are told to come again', async () => {
  const failures: (() => void)[] = [];
  const stuck = {
    parallel: 1,
    transaction: () => new Promise((_, failed) => failures.push(() => failed(new Error('away')))),
  } as unknown as Database;
  const ingest = new Ingest(stuck, () => {});
  const message = (at: number) => ({ kind: 'heartbeat', address: '', message: { node: `n${at}`, seq: 1 } }) as const;
  const outcomes = Array.from({ length: 6000 }, (_, at) => ingest.offer(message(at)).catch((error: unknown) => error));
  const refused = await Promise.race(outcomes);
  expect(refused).toBeInstanceOf(Busy);
  expect((refused as Busy).retryAfter).toBeGreaterThanOrEqual(1);
  // Beside those that wait, a batch of 500 is under way.
  expect(ingest.counts).toMatchObject({ stored: 0, refused: 1500, waiting: 4000 });
  const fail = setInterval(() => failures.splice(0).forEach((each) => void each()), 1);
  onTestFinished(() => clearInterval(fail));
  expect((await Promise.all(outcomes)).every((each) => each instanceof Busy)).toBe(true);
  await ingest.close();
});

it('oddities of many strangers are counted in a bounded number of rows', () => {
  const oddities = new Oddities();
  for (let at = 0; at < 5000; at += 1)
    oddities.add({ kind: 'foreign_token', node: '', address: `192.0.2.${at}`, detail: '' });
  const taken = oddities.take();
  expect(taken.length).toBeLessThanOrEqual(1001);
  expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  expect(oddities.size).toBe(0);
});

it('a number of a boot is seen once, in whatever order they come within the window', () => {
  let boots: readonly Seen[] = [];
  const fresh = (boot: string, seq: number) => {
    const next = see(boots, boot, seq);
    boots = next ?? boots;
    return next !== undefined;
  };
  const order = [5, 3, 4, 36, 6, 5, 4, 37, 5, 40, 39, 40];
  expect(order.map((seq) => fresh('a', seq))).toEqual([
    ...[true, true, true, true, true],
    ...[false, false, true, false, true, true, false],
  ]);
  for (const boot of ['b', 'c', 'd']) expect(fresh(boot, 1)).toBe(true);
  expect([fresh('a', 40), fresh('a', 41)]).toEqual([false, true]);
  // Four boots are remembered.
  expect([fresh('e', 1), fresh('f', 1), fresh('c', 1)]).toEqual([true, true, true]);
});

it('versions sort as text as they do by their numbers', () => {
  const order = ['', '0.9.10', '1.0.0-alpha', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.10.0', '12.0.0'];
  expect(order.toReversed().map(orderOf).sort()).toEqual(order.map(orderOf));
});
