/** The database: its tables, its days, and a folder of its own. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database, Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { dropPartitions, makePartitions } from '../../runtime/fleet/database/partitions.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, folder, heartbeat } from './fleet.ts';

const DAY_MS = 86_400_000;
async function tables(where: Where): Promise<Database> {
  const database = await openDatabase(where);
  onTestFinished(() => database.close());
  return database;
}

describe.each(ENGINES)('on %s', (engine) => {
  const database = databases(engine);

  it('what came in is kept in a partition a day, made ahead and dropped after the days that are set', async () => {
    const on = await tables(await database());
    const days = async () =>
      (
        await on.query<{ name: string }>(
          "SELECT relname AS name FROM pg_class WHERE relname ~ '^event_[0-9]+$' ORDER BY 1",
        )
      ).map(({ name }) => name.slice('event_'.length));
    const now = Date.parse('2026-03-01T12:00:00Z');
    const turn = async (at: number) => {
      await makePartitions(on, at);
      await dropPartitions(on, at, 2, 62);
    };
    await turn(now);
    const week = ['20260302', '20260303', '20260304', '20260305', '20260306', '20260307', '20260308'];
    expect(await days()).toEqual(['20260228', '20260301', ...week]);
    await turn(now);
    await turn(now + 3 * DAY_MS);
    expect(await days()).toEqual([...week, '20260309', '20260310', '20260311']);
  });

  it('a database that a later version has changed is not touched', async () => {
    const where = await database();
    const on = await openDatabase(where);
    await on.query("INSERT INTO migration (name) VALUES ('999-later')");
    await on.close();
    await expect(openDatabase(where)).rejects.toThrow(/later version.*999-later/);
  });
});

it('a folder gives free what was deleted, and opens, to be read, where its disk is full', async () => {
  const where = { folder: join(folder(), 'data') };
  const on = await openDatabase(where);
  const size = async () => (await on.query<{ n: number }>("SELECT pg_relation_size('audit') AS n"))[0]?.n;
  await on.query(
    "INSERT INTO audit (who, what, subject) SELECT '', '', repeat('x', 100) FROM generate_series(1, 5000)",
  );
  await on.query('DELETE FROM audit');
  await on.tidy();
  expect(await size()).toBe(0);
  await on.query("INSERT INTO setting (name, value) VALUES ('keepDays', '5')");
  await on.close();
  const full = vi.spyOn(fs, 'statfsSync').mockReturnValue({ ...fs.statfsSync('.'), bavail: 0 });
  syncBuiltinESMExports();
  const free = () => {
    full.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(free);
  const told: string[] = [];
  const fleet = await fleetOn(where, { report: ({ message }) => told.push(message) });
  expect((await fleet.call('GET', '/api/settings')).body.keepDays).toBe(5);
  expect((await fleet.beat(heartbeat())).body.error).toBe('busy');
  expect((await fleet.call('PUT', '/api/settings', { keepDays: 6 })).status).toBe(503);
  for (const path of [
    'nodes',
    'nodes?filter=x',
    'nodes?filter=state:fine',
    'summary',
    'sites',
    'alerts',
    'rollouts',
    'history',
  ])
    expect([path, (await fleet.call('GET', `/api/${path}`)).status]).toEqual([path, 200]);
  for (const path of ['/metrics', '/recipes?node=a1', '/firmware?variant=wifi&version=0.1.0&node=a1'])
    expect([path, (await fleet.call('GET', path)).status]).not.toContain(503);
  expect(told.join()).toMatch(/the disk is full, and the fleet read-only: less than/);
  free();
  expect((await fleet.beat(heartbeat())).status).toBe(204);
});

/** Writes so many bytes into the log of what is committed, and nothing else. */
const LOG = "SELECT length(pg_logical_emit_message(true, '', repeat('x', $1::int))::text)";

it('a folder whose disk fills while something is written has room for that, which it kept', async () => {
  const where = { folder: join(folder(), 'data') };
  const on = await tables(where);
  await on.query('SELECT 1');
  const kept = join(where.folder, 'tillnode-reserve');
  expect(fs.existsSync(kept)).toBe(true);
  const write = fs.writeSync;
  let refused = 0;
  const full = vi.spyOn(fs, 'writeSync').mockImplementation(((...given: Parameters<typeof write>) => {
    if (!fs.existsSync(kept)) return write(...given);
    refused += 1;
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  }) as typeof write);
  onTestFinished(() => full.mockRestore());
  // More than a segment of the log.
  await on.transaction((queries) => queries.query(LOG, [20_000_000]));
  expect([refused, fs.existsSync(kept)]).toEqual([1, false]);
});

it('a folder uses the segments of its log again, however much is written', async () => {
  const where = { folder: join(folder(), 'data') };
  const on = await tables(where);
  const segments = () => fs.readdirSync(join(where.folder, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const first = segments()[0];
  // Until the first four are others.
  while (segments().includes(first ?? '')) {
    await on.query(LOG, [4_000_000]);
    expect(segments().length).toBeLessThan(12);
  }
  await on.query(LOG, [40_000_000]);
  await until(() => segments().length <= 6);
});

it('a folder belongs to one process', async () => {
  const where = { folder: join(folder(), 'data') };
  await tables(where);
  await expect(openDatabase(where)).rejects.toThrow(/another process has/);
});
