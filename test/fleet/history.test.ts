/** The fleet over time: what it took in and refused, and which alerts began, by hours. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
import { databases, EITHER, ENGINES, fleetOn, heartbeat, type RunningFleet } from './fleet.ts';

interface Hour {
  readonly at: string;
  readonly stored: number;
  readonly refused: number;
  readonly alerts: Readonly<Record<string, number>>;
}
const historyOf = async (fleet: RunningFleet, query = ''): Promise<Hour[]> =>
  (await fleet.call('GET', `/api/history${query}`)).body.hours;
const sumOf = (hours: readonly Hour[], key: 'stored' | 'refused') => hours.reduce((sum, each) => sum + each[key], 0);

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('an hour in which no process ran is left out, and hours are kept for as long as those of nodes', async () => {
    const where = await database();
    const on = await openDatabase(where);
    await on.query(`INSERT INTO tally SELECT date_trunc('hour', now() - hours * interval '1 hour', 'UTC'), what, 7
      FROM (VALUES (2, 'stored'), (2, 'alert offline'), (3, 'alert offline'), (4, 'stored'), (100, 'stored'), (9000, 'stored'))
        AS row (hours, what)`);
    await on.close();
    const fleet = await fleetOn(where);
    await until(
      () => historyOf(fleet),
      (hours) => hours.length === 3,
    );
    const hours = await historyOf(fleet);
    const ago = hours.map(({ at }) => Math.floor((Date.now() - Date.parse(at)) / 3_600_000));
    expect(ago).toEqual([4, 2, 0]);
    expect(hours.map(({ stored, alerts }) => [stored, alerts])).toEqual([
      [7, {}],
      [7, { offline: 7 }],
      [0, {}],
    ]);
    expect(await historyOf(fleet, '?hours=744')).toHaveLength(4);
    for (const wrong of ['0', '745', '1.5', 'a'])
      expect([wrong, (await fleet.call('GET', `/api/history?hours=${wrong}`)).status]).toEqual([wrong, 422]);
    await fleet.stop();
    const later = await openDatabase(where);
    onTestFinished(() => later.close());
    expect(await later.query("SELECT FROM tally WHERE at < now() - interval '200 days'")).toEqual([]);
  });

  it('alerts are counted when they begin, whatever they are of', async () => {
    const fleet = await fleetOn(await database());
    for (const node of ['a', 'b']) await fleet.beat(heartbeat({ node, custodyHold: true }));
    await until(
      () => historyOf(fleet),
      (hours) => hours.reduce((sum, { alerts }) => sum + (alerts['custody_hold'] ?? 0), 0) === 2,
    );
    expect((await fleet.call('GET', '/api/alerts')).body.total).toBe(2);
  });
});

const server = databases(ENGINES.at(-1)!);
it.skipIf(ENGINES.length < 2)('what several processes took in is one sum, also of one that ends', async () => {
  const where = await server();
  const fleets = [await fleetOn(where), await fleetOn(where)];
  for (const [at, fleet] of fleets.entries())
    for (let seq = 1; seq <= 3 + at; seq += 1)
      expect((await fleet.beat(heartbeat({ node: `n${at}`, seq, uptimeSeconds: seq }))).status).toBe(204);
  await until(
    () => historyOf(fleets[0]!),
    (hours) => sumOf(hours, 'stored') === 7,
  );
  await fleets[0]!.beat(heartbeat({ node: 'n0', seq: 9, uptimeSeconds: 9 }));
  for (const fleet of fleets) await fleet.stop();
  expect(sumOf(await historyOf(await fleetOn(where)), 'stored')).toBe(8);
});
