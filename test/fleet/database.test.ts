/** The database: its tables, its days and its absence. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Database, Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { turnPartitions } from '../../runtime/fleet/database/partitions.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, folder, heartbeat } from './fleet.ts';
import { noPostgres, type PostgresServer, startPostgres } from './postgres.ts';

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
        await on.query<{ name: string }>("SELECT relname AS name FROM pg_class WHERE relname ~ '^beat_' ORDER BY 1")
      ).map(({ name }) => name.slice('beat_'.length));
    const now = Date.parse('2026-03-01T12:00:00Z');
    await turnPartitions(on, now, 2);
    expect(await days()).toEqual(['20260228', '20260301', '20260302', '20260303', '20260304']);
    await turnPartitions(on, now, 2);
    await turnPartitions(on, now + 3 * DAY_MS, 2);
    expect(await days()).toEqual(['20260302', '20260303', '20260304', '20260305', '20260306', '20260307']);
  });

  it('one that a later version has changed is not touched', async () => {
    const where = await database();
    const on = await openDatabase(where);
    await on.query("INSERT INTO migration (name) VALUES ('999-later')");
    await on.close();
    await expect(openDatabase(where)).rejects.toThrow(/later version.*999-later/);
  });
});

it('a folder belongs to one process', async () => {
  const where = { folder: join(folder(), 'data') };
  await tables(where);
  await expect(openDatabase(where)).rejects.toThrow(/another process has/);
});

describe.skipIf(noPostgres)('a server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server.stop());

  it('that is away is answered with 503 and when to come again; nothing that was answered is lost', async () => {
    const fleet = await fleetOn({ url: await server.database() }, { report: () => {} });
    expect((await fleet.beat(heartbeat({ seq: 1 }))).status).toBe(204);
    await server.kill();
    const { status, headers, body } = await fleet.beat(heartbeat({ seq: 2 }));
    expect([status, body.error]).toEqual([503, 'busy']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (const path of ['/api/nodes', '/recipes', '/firmware?variant=wifi&version=0.1.0&node=0a1b2c3d']) {
      const asked = await fleet.call('GET', path);
      expect([path, asked.status, Number(asked.headers.get('retry-after')) > 0]).toEqual([path, 503, true]);
    }
    await server.start();
    await until(async () => (await fleet.beat(heartbeat({ seq: 2 }))).status === 204);
    expect((await fleet.call('GET', '/api/nodes')).body.nodes[0].heartbeats).toBe(2);
  });

  it('takes any number of processes, which count each message once', async () => {
    const where = { url: await server.database() };
    const fleets = [await fleetOn(where), await fleetOn(where), await fleetOn(where)];
    const beats = Array.from({ length: 200 }, (_, at) =>
      heartbeat({ node: `node-${at % 20}`, seq: 1 + Math.floor(at / 20), uptimeSeconds: at }),
    );
    // Each of them at two of the three, as a balancer sends what was not answered in time.
    const sent = await Promise.all(
      beats.flatMap((beat, at) => [0, 1].map((next) => fleets[(at + next) % 3]?.beat(beat))),
    );
    expect(new Set(sent.map((each) => each?.status))).toEqual(new Set([204]));
    for (const fleet of fleets) {
      const { nodes } = (await fleet.call('GET', '/api/nodes')).body;
      expect(new Set(nodes.map((node: { heartbeats: number }) => node.heartbeats))).toEqual(new Set([10]));
    }
  });

  it('keeps the last thousand rows about strangers, however many they are', async () => {
    const fleet = await fleetOn({ url: await server.database() }, { behindProxy: true });
    const wrong = (address: string) =>
      fleet.call('POST', '/heartbeat', '{', { 'X-Forwarded-For': address }).then(({ status }) => status);
    for (let batch = 0; batch < 6; batch += 1) {
      const addresses = Array.from({ length: 200 }, (_, at) => `198.51.${batch}.${at}`);
      expect(new Set(await Promise.all(addresses.map(wrong)))).toEqual(new Set([400]));
    }
    const on = await tables(fleet.where);
    const rows = async () => (await on.query<{ rows: number }>('SELECT count(*)::int AS rows FROM oddity'))[0]?.rows;
    await until(rows, (seen) => seen === 1000);
  });
});
