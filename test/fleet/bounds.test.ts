/** What waits is bounded, and what was seen is told apart. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Batches } from '../../runtime/fleet/database/database.ts';
import { inTurn } from '../../runtime/fleet/firmware/turns.ts';
import { Busy } from '../../runtime/fleet/http/errors.ts';
import { Ingest } from '../../runtime/fleet/ingest/ingest.ts';
import { Oddities } from '../../runtime/fleet/ingest/oddities.ts';
import { type Seen, see } from '../../runtime/fleet/ingest/seen.ts';
import { orderOf } from '../../runtime/fleet/ingest/version-order.ts';

/** One whose database never ends a transaction, and what lets each of them fail. */
function stuck(): { ingest: Ingest; failures: (() => void)[] } {
  const failures: (() => void)[] = [];
  const database = {
    parallel: 1,
    transaction: () => new Promise((_, failed) => failures.push(() => failed(new Error('away')))),
  } as Batches;
  return { ingest: new Ingest(database, () => {}), failures };
}
const offered = (ingest: Ingest, at: number, bytes: number): Promise<unknown> =>
  ingest
    .offer({ kind: 'heartbeat', address: '', message: { node: `n${at}`, seq: 1 } }, bytes)
    .catch((error: unknown) => error);

it('while the database takes nothing, so many messages wait and no more; those that come are told to come again', async () => {
  const { ingest, failures } = stuck();
  const outcomes = Array.from({ length: 6000 }, (_, at) => offered(ingest, at, 1000));
  const refused = await Promise.race(outcomes);
  expect(ingest.trouble.ago()?.last).toBeGreaterThanOrEqual(0);
  expect(refused).toBeInstanceOf(Busy);
  expect(Number((refused as Busy).headers?.['Retry-After'])).toBeGreaterThanOrEqual(1);
  // Beside those that wait, a batch of 500 is under way.
  expect(ingest.counts).toMatchObject({ stored: 0, refused: 1500, waiting: 4000 });
  const fail = setInterval(() => failures.splice(0).forEach((each) => void each()), 1);
  onTestFinished(() => clearInterval(fail));
  expect((await Promise.all(outcomes)).every((each) => each instanceof Busy)).toBe(true);
  await ingest.close();
});

it('large messages fill the queue by their bytes', async () => {
  const { ingest, failures } = stuck();
  const outcomes = Array.from({ length: 2000 }, (_, at) => offered(ingest, at, 16 * 1024));
  expect(await Promise.race(outcomes)).toBeInstanceOf(Busy);
  // 8 MiB of them.
  expect(ingest.counts.waiting).toBe(512);
  const fail = setInterval(() => failures.splice(0).forEach((each) => void each()), 1);
  onTestFinished(() => clearInterval(fail));
  await Promise.all(outcomes);
  await ingest.close();
});

it('one node fills its own places, and leaves those of others', async () => {
  const { ingest, failures } = stuck();
  const of = (node: string, seq: number) =>
    ingest.offer({ kind: 'heartbeat', address: '', message: { node, seq } }, 100).catch((error: unknown) => error);
  const outcomes = Array.from({ length: 100 }, (_, at) => of('loud', at));
  expect(await Promise.race(outcomes)).toBeInstanceOf(Busy);
  expect(ingest.counts.waiting).toBe(32);
  const others = Array.from({ length: 100 }, (_, at) => of(`quiet-${at}`, 1));
  expect(ingest.counts.waiting).toBe(132);
  const fail = setInterval(() => failures.splice(0).forEach((each) => void each()), 1);
  onTestFinished(() => clearInterval(fail));
  await Promise.all([...outcomes, ...others]);
  await ingest.close();
});

it('while a batch takes too long, those that wait are told to come again, and others before they are read', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { ingest, failures } = stuck();
  const outcomes = Array.from({ length: 600 }, (_, at) => offered(ingest, at, 1000));
  const isLate = () => {
    try {
      ingest.mustHaveRoom();
      return false;
    } catch (error) {
      return error instanceof Busy;
    }
  };
  while (failures.length === 0) await pause(1);
  vi.advanceTimersByTime(4000);
  expect(isLate()).toBe(false);
  vi.advanceTimersByTime(3000);
  expect(isLate()).toBe(true);
  expect((await Promise.all(outcomes)).every((each) => each instanceof Busy)).toBe(true);
  expect(ingest.counts).toMatchObject({ refused: 601, waiting: 0 });
  for (const fail of failures) fail();
  while (ingest.counts.refused < 602 && isLate()) await pause(1);
  expect(isLate()).toBe(false);
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
});

it('versions sort as text as they do by their numbers', () => {
  const order = ['', '0.9.10', '1.0.0-alpha', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.10.0', '12.0.0'];
  expect(order.toReversed().map(orderOf).sort()).toEqual(order.map(orderOf));
});

it('between pieces of images connections are accepted, of which a turn of the loop takes one', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const pieces = 20;
  await Promise.all(Array.from({ length: pieces }, () => inTurn(async () => {})));
  isOver = true;
  // Two at a time.
  expect(turns).toBeGreaterThan((4 * pieces) / 2);
});
