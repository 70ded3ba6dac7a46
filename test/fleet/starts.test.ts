/** A process of the fleet that is killed and begins again beside another one, which hears nodes all along. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { heardSince } from '../../runtime/fleet/ingest/heard.ts';
import { beginListener, tellListener } from '../../runtime/fleet/watch/listeners.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat, MASTER } from './fleet.ts';
import { startFleetProcess } from './process.ts';

const server = ENGINES.at(-1);
const database = server === undefined ? undefined : databases(server);

/** A fleet that has listened for hours, and its tables. */
async function longThere() {
  const where = await database!();
  const fleet = await fleetOn(where);
  const on = await openDatabase(where);
  onTestFinished(() => on.close());
  await until(async () => (await on.query("SELECT FROM duty WHERE name = 'watch' AND done_at > 'epoch'")).length > 0);
  await on.query("UPDATE duty SET since = now() - interval '2 hours' WHERE name = 'watch'");
  await on.query("UPDATE listener SET started_at = now() - interval '2 hours'");
  return { fleet, on, where };
}

describe.skipIf(ENGINES.length < 2)('a process of the fleet', () => {
  it('that keeps beginning hides no node that is silent, and is one alert', async () => {
    const { fleet, on, where } = await longThere();
    const rules = { offline: { afterSeconds: 8 } };
    await fleet.call('PUT', '/api/settings', { rules });
    const other = await startFleetProcess(where, MASTER);
    onTestFinished(other.stop);
    await fleet.beat(heartbeat());
    const began = async () =>
      (await on.query<{ began: Date }>('SELECT max(started_at) AS began FROM listener'))[0]?.began.getTime() ?? 0;
    const alerts = async () => (await fleet.call('GET', '/api/alerts?open=true')).body.alerts;
    let starts = 0;
    // Each is sooner than the time of the rule after the one before.
    while ((await alerts()).length < 2) {
      starts += 1;
      expect(starts).toBeLessThan(15);
      const before = await began();
      await other.kill();
      await other.start();
      await until(async () => (await began()) > before);
    }
    const told = (await alerts()).map(({ rule, subject }: Record<string, string>) => `${rule} ${subject}`);
    expect(told.sort()).toEqual(['ingest_refused fleet', 'offline 0a1b2c3d']);
  });

  it('that hung or refused before it began again may have kept what was sent to it', async () => {
    const { on } = await longThere();
    const secondsHeard = async () => (Date.now() - (await heardSince(on)).getTime()) / 1000;
    await beginListener(on, 'another');
    expect(await secondsHeard()).toBeGreaterThan(7000);
    await tellListener(on, 'another', { since: 30_000, last: 20_000 });
    await beginListener(on, 'another');
    expect(await secondsHeard()).toBeLessThan(60);
    await on.query(
      "UPDATE listener SET troubled_at = NULL, starts = NULL, at = now() - interval '1 minute' WHERE name = 'another'",
    );
    await beginListener(on, 'another');
    expect(await secondsHeard()).toBeLessThan(60);
  });

  it('that begins where no other was there all along is no worse than one alone: nobody could be heard', async () => {
    const { on } = await longThere();
    await on.query("UPDATE listener SET started_at = now() - interval '5 seconds'");
    await beginListener(on, 'another');
    expect((Date.now() - (await heardSince(on)).getTime()) / 1000).toBeLessThan(60);
  });
});
