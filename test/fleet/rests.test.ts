/** Alerts of the fleet itself and of rollouts, where what they are about comes and goes. */
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat } from './fleet.ts';
import { begin, node, rollout, upload } from './rollout.ts';

const database = databases(ENGINES.at(-1)!);
const MANY = 7;
const TOLD = 6;

/** A fleet, its tables, and what is asked of both. */
async function watched() {
  const where = await database();
  const on = await openDatabase(where);
  onTestFinished(() => on.close());
  const fleet = await fleetOn(where, { lookMs: 100 });
  const done = async () =>
    (await on.query<{ at: Date }>("SELECT done_at AS at FROM duty WHERE name = 'watch'"))[0]?.at.getTime() ?? 0;
  // As if it had listened for hours.
  await until(async () => (await done()) > 0);
  await on.query("UPDATE duty SET since = now() - interval '2 hours' WHERE name = 'watch'");
  await on.query("UPDATE listener SET started_at = now() - interval '2 hours'");
  return {
    fleet,
    on,
    /** A look of the watch, and then one that began behind it. */
    async looked() {
      for (let look = 0; look < 2; look += 1) {
        const before = await done();
        await until(async () => (await done()) > before);
      }
    },
    alerts: async (rule: string, query = '') =>
      (await fleet.call('GET', `/api/alerts?rule=${rule}${query}`)).body.total as number,
    minutesLater: () => on.query("UPDATE alert SET began = began - interval '10 minutes'"),
  };
}

it('trouble of the fleet that comes again and again is told a few times, and then each ten minutes', async () => {
  const { on, looked, alerts, minutesLater } = await watched();
  const begins = () =>
    on.query("INSERT INTO listener (name, at) VALUES ('another', clock_timestamp() - interval '1 minute')");
  const ends = () => on.query("DELETE FROM listener WHERE name = 'another'");
  for (let times = 1; times <= MANY; times += 1) {
    await begins();
    await looked();
    expect(await alerts('ingest_refused')).toBe(Math.min(times, TOLD));
    await ends();
    await looked();
    expect(await alerts('ingest_refused', '&open=true')).toBe(0);
  }
  await begins();
  await looked();
  expect(await alerts('ingest_refused')).toBe(TOLD);
  await minutesLater();
  await until(async () => (await alerts('ingest_refused', '&open=true')) === 1);
  expect(await alerts('ingest_refused')).toBe(TOLD + 1);
});

it('a rollout that halts or is stuck again and again is told of a few times, and then each ten minutes', async () => {
  const { fleet, on, looked, alerts, minutesLater } = await watched();
  const [one, two] = [node(fleet, 'one'), node(fleet, 'two')];
  for (const each of [one, two]) await each.beat();
  await upload(fleet);
  await begin(fleet, { groups: ['100%'], stuckAfterSeconds: 60 });
  const toldBefore = (rule: string) =>
    on.query(
      `INSERT INTO alert (rule, subject, ended) SELECT $1::text, 'rollout 1', now() FROM generate_series(1, ${TOLD})`,
      [rule],
    );
  await toldBefore('rollout_stuck');
  await one.update((await one.offer()).body);
  await on.query("UPDATE rollout SET moved_at = moved_at - interval '1 hour'");
  await on.query(
    "UPDATE rollout_node SET offered_at = offered_at - interval '1 hour', taken_at = taken_at - interval '1 hour'",
  );
  await until(async () => (await rollout(fleet)).reason !== null);
  await looked();
  expect(await alerts('rollout_stuck')).toBe(TOLD);
  await minutesLater();
  await until(async () => (await alerts('rollout_stuck', '&open=true')) === 1);
  await toldBefore('rollout_halted');
  await one.crash();
  await until(async () => (await rollout(fleet)).state === 'halted');
  await looked();
  expect([await alerts('rollout_halted'), await alerts('rollout_stuck', '&open=true')]).toEqual([TOLD, 0]);
  await minutesLater();
  await until(async () => (await alerts('rollout_halted', '&open=true')) === 1);
  await fleet.beat(heartbeat());
  await looked();
  expect(await alerts('rollout_halted')).toBe(TOLD + 1);
});
