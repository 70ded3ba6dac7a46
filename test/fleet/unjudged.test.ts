/** Trouble of the fleet that is too short to be told, and comes again before anybody can begin to be offline. */
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { answer, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat } from './fleet.ts';

const database = databases(ENGINES.at(-1)!);
const RULE_SECONDS = 180;

it('a process that stalls again and again keeps everybody from being offline, which is told once, and ends by itself', async () => {
  const receiver = await startReceiver(answer(204));
  const fleet = await fleetOn(await database());
  const on = await openDatabase(fleet.where);
  onTestFinished(() => on.close());
  await fleet.call('PUT', '/api/settings', {
    rules: { offline: { afterSeconds: RULE_SECONDS } },
    alerts: { webhook: { url: receiver.url, secret: 'sesame' } },
  });
  await fleet.beat(heartbeat());
  await until(async () => (await on.query("SELECT FROM duty WHERE name = 'watch' AND done_at > 'epoch'")).length > 0);
  /** A look of the watch, and then one that began behind it. */
  const looked = async () => {
    const done = async () =>
      (await on.query<{ at: Date }>("SELECT done_at AS at FROM duty WHERE name = 'watch'"))[0]?.at.getTime() ?? 0;
    for (let look = 0; look < 2; look += 1) {
      const before = await done();
      await until(async () => (await done()) > before);
    }
  };
  const open = async () =>
    (await fleet.call('GET', '/api/alerts?open=true')).body.alerts.map(
      ({ rule, subject }: Record<string, string>) => `${rule} ${subject}`,
    );
  const minutes = (many: number) =>
    on.query(
      `UPDATE duty SET since = since - $1::int * interval '1 minute', unjudged_since = unjudged_since - $1::int * interval '1 minute'
     WHERE name = 'watch'`,
      [many],
    );
  const heard = (many: number) =>
    on.query("UPDATE listener SET started_at = started_at - $1::int * interval '1 minute'", [many]);
  // It has just begun to listen, or was in trouble once: nobody is judged, as it should be.
  await looked();
  expect(await open()).toEqual([]);
  await minutes(12);
  await looked();
  expect(await open()).toEqual([]);
  // Five seconds in each minute: never ten at once.
  const stall = () => on.query('UPDATE listener SET troubled_since = now(), troubled_at = now()');
  await heard(60);
  await stall();
  await minutes(2);
  await until(async () => (await open()).includes('offline_not_judged fleet'));
  await stall();
  await looked();
  expect(await open()).toEqual(['offline_not_judged fleet']);
  // What is told already is one alert.
  await on.query(
    "UPDATE listener SET troubled_at = now() - interval '1 hour', troubled_since = now() - interval '2 hours'",
  );
  await until(async () => (await open()).length === 0);
  const told = () => receiver.received.map(({ body }) => body).join('');
  await until(async () => (told().match(/offline_not_judged/g) ?? []).length === 2);
  // Beside trouble that is told it is none: that says it already.
  await on.query("INSERT INTO listener (name, at) VALUES ('another', now() - interval '1 minute')");
  await until(async () => (await open()).includes('ingest_refused fleet'));
  await looked();
  await minutes(20);
  await looked();
  expect(await open()).toEqual(['ingest_refused fleet']);
  // Nor is it told again as that ends, with nobody judged yet.
  await on.query("DELETE FROM listener WHERE name = 'another'");
  await on.query(
    "UPDATE listener SET troubled_since = now() - interval '80 seconds', troubled_at = now() - interval '70 seconds'",
  );
  await until(async () => !(await open()).includes('ingest_refused fleet'));
  await looked();
  expect(await open()).toEqual([]);
});
