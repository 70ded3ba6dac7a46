/** A clock of the database that is set back, or put right: nobody is offline by that, and who is silent is so all the same. */
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { heardSince } from '../../runtime/fleet/ingest/heard.ts';
import { Clock } from '../../runtime/fleet/watch/clock.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat, type RunningFleet } from './fleet.ts';

const AFTER_SECONDS = 4;
const IDS = Array.from({ length: 20 }, (_, at) => `node-${at}`);

/** As if the clock had been set back by so much: all that is stored is so much later. */
async function setBack(on: Database, by: string): Promise<void> {
  await on.transaction(async (write) => {
    await write.query(`UPDATE duty SET done_at = done_at + interval '${by}', since = since + interval '${by}'`);
    await write.query(
      `UPDATE listener SET at = at + interval '${by}', started_at = started_at + interval '${by}',
         troubled_at = troubled_at + interval '${by}', troubled_since = troubled_since + interval '${by}'`,
    );
    await write.query(`UPDATE node SET last_seen = last_seen + interval '${by}', look = true`);
    await write.query(`UPDATE due SET at = at + interval '${by}' WHERE at < 'infinity'`);
  });
}
const offline = async (fleet: RunningFleet, query = ''): Promise<string[]> =>
  (await fleet.call('GET', `/api/alerts?rule=offline${query}`)).body.alerts.map(
    ({ subject }: { subject: string }) => subject,
  );

const server = ENGINES.at(-1);
const database = server === undefined ? undefined : databases(server);

it.skipIf(ENGINES.length < 2).each(['10 minutes', '1 day'])(
  'nobody is offline by a clock of the database that is set back by %s, and who is silent is so all the same',
  async (by) => {
    const where = await database!();
    const fleet = await fleetOn(where);
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    const rules = { offline: { afterSeconds: AFTER_SECONDS } };
    expect((await fleet.call('PUT', '/api/settings', { rules })).status).toBe(200);
    let [seq, isOver] = [0, false];
    const speak = async () => {
      seq += 1;
      const beats = IDS.map((node) => fleet.beat(heartbeat({ node, seq, uptimeSeconds: 60 + seq })));
      for (const { status } of await Promise.all(beats)) expect(status).toBe(204);
    };
    await fleet.beat(heartbeat({ node: 'silent' }));
    await speak();
    // A fleet that has listened for hours.
    await until(async () => (await on.query('SELECT name FROM listener')).length === 1);
    await on.query("UPDATE duty SET since = now() - interval '2 hours' WHERE name = 'watch'");
    await on.query("UPDATE listener SET started_at = now() - interval '2 hours'");
    await setBack(on, by);
    // It looks before anybody speaks again: nodes do so once a minute.
    const looked = "SELECT name FROM duty WHERE name = 'watch' AND done_at <= now()";
    await until(async () => (await on.query(looked)).length === 1);
    const speaking = (async () => {
      while (!isOver) await speak();
    })();
    try {
      await until(async () => (await offline(fleet, '&open=true')).length > 0);
      // Who is well was heard before anybody could be offline.
      expect(await offline(fleet)).toEqual(['silent']);
    } finally {
      isOver = true;
      await speaking;
    }
  },
);

it.skipIf(ENGINES.length < 2)(
  'a look that was done while a request waited was not done before a clock was set back',
  async () => {
    const where = await database!();
    await fleetOn(where);
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    await until(async () => (await on.query("SELECT FROM duty WHERE name = 'watch' AND done_at > 'epoch'")).length > 0);
    await on.query("UPDATE duty SET since = now() - interval '2 hours' WHERE name = 'watch'");
    await on.query("UPDATE listener SET started_at = now() - interval '2 hours'");
    await on.transaction(async (request) => {
      await request.query('SELECT now()');
      const later = "SELECT FROM duty WHERE name = 'watch' AND done_at > now()";
      await until(async () => (await request.query(later)).length > 0);
      const [{ now } = { now: new Date(0) }] = await request.query<{ now: Date }>('SELECT now()');
      expect(now.getTime() - (await heardSince(request)).getTime()).toBeGreaterThan(7_000_000);
    });
  },
);

it('a clock that went with time was not moved, and one that went otherwise was, in both directions', () => {
  const moved = (...clocks: readonly [passed: number, clock: number][]) => {
    const clock = new Clock();
    clock.read({ clock: 1e12, from: 100, to: 105 });
    for (const [passed, reading] of clocks) clock.read({ clock: 1e12 + reading, from: 100 + passed, to: 105 + passed });
    return clock.moved;
  };
  expect(moved([2000, 2000], [4000, 4900], [60_000, 60_000])).toBe(false);
  expect(moved([2000, 8000])).toBe(true);
  expect(moved([2000, -8000])).toBe(true);
  expect(moved([2000, 8000], [4000, 10_000])).toBe(true);
  const slow = new Clock();
  slow.read({ clock: 0, from: 0, to: 30_000 });
  slow.read({ clock: 32_000, from: 32_000, to: 32_001 });
  expect(slow.moved).toBe(false);
  slow.read({ clock: 60_000, from: 34_000, to: 34_001 });
  expect(slow.moved).toBe(true);
  slow.settle();
  expect(slow.moved).toBe(false);
});
