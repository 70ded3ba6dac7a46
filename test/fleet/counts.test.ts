/** How many nodes there are: sums that the database keeps, beside what each list and filter counts. */
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database, Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { sumUp } from '../../runtime/fleet/nodes/counts.ts';
import { until } from '../node.ts';
import { databases, EITHER, ENGINES, fleetOn, heartbeat } from './fleet.ts';

async function tables(where: Where): Promise<Database> {
  const database = await openDatabase(where);
  onTestFinished(() => database.close());
  return database;
}
const COUNTED = 'left(id, 2) AS prefix, variant, version, version_order, states';
/** What the sums say, and what is listed. */
async function bothOf(on: Database): Promise<[kept: object[], listed: object[]]> {
  const columns = 'prefix, variant, version, version_order, states';
  const kept = await on.query<object>(
    `SELECT ${columns}, sum(nodes)::int AS nodes FROM (TABLE listed_count UNION ALL TABLE listed_change) AS every
     GROUP BY ${columns} HAVING sum(nodes) <> 0 ORDER BY ${columns}`,
  );
  const listed = await on.query<object>(
    `SELECT ${columns}, count(*)::int AS nodes FROM (SELECT ${COUNTED} FROM listed) AS every GROUP BY ${columns} ORDER BY ${columns}`,
  );
  return [kept, listed];
}
/** The same filter, of which only the first is answered by sums: every node has an id. */
const EITHER_WAY = (filter: string) => [filter, `${filter} id:*`.trim()];

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('the sums follow what nodes say and what becomes of them, also of a node that goes', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    for (const node of ['a1', 'b1', 'c1', 'd1']) await fleet.beat(heartbeat({ node, custodyHold: node === 'd1' }));
    await until(async () => (await fleet.call('GET', '/api/alerts')).body.total === 1);
    await fleet.beat(heartbeat({ node: 'a1', seq: 2, firmwareVersion: '0.9.0' }));
    await fleet.beat(heartbeat({ node: 'b1', seq: 2, variant: 'twin' }));
    await fleet.call('PUT', '/api/nodes/b1', { site: 'Graz' });
    await fleet.call('DELETE', '/api/nodes/c1');
    const { body } = await fleet.call('GET', '/api/summary');
    expect(body).toMatchObject({
      total: 3,
      versions: [
        { variant: 'wifi', version: '0.9.0', nodes: 1 },
        { variant: 'twin', version: '0.1.0', nodes: 1 },
        { variant: 'wifi', version: '0.1.0', nodes: 1 },
      ],
    });
    expect(body.states).toContainEqual({ state: 'custody_hold', nodes: 1, seconds: 0 });
    for (const filter of ['', 'version:>=0.9.0', 'state:custody_hold', 'state:fine', '-variant:wifi', 'variant:none']) {
      const [kept, counted] = await Promise.all(
        EITHER_WAY(filter).map(async (each) => {
          const query = `?filter=${encodeURIComponent(each)}`;
          const { nodes, total } = (await fleet.call('GET', `/api/nodes${query}`)).body;
          return [nodes, total, (await fleet.call('GET', `/api/summary${query}`)).body];
        }),
      );
      expect(kept).toEqual(counted);
      expect(kept?.[1]).toBe(kept?.[0].length);
    }
    await fleet.stop();
    const on = await tables(where);
    const [kept, listed] = await bothOf(on);
    expect(kept).toEqual(listed);
    // The watch sums them up, and leaves no row of what is no more.
    await on.transaction(sumUp);
    expect(await bothOf(on)).toEqual([listed, listed]);
    expect(await on.query('TABLE listed_change')).toEqual([]);
    expect(await on.query('SELECT nodes FROM listed_count WHERE nodes <= 0')).toEqual([]);
  });

  it('the watch sums up what changes', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    await fleet.beat(heartbeat());
    const on = 'url' in where ? await tables(where) : undefined;
    await until(async () => on === undefined || (await on.query('TABLE listed_change')).length === 0);
    expect((await fleet.call('GET', '/api/nodes')).body.total).toBe(1);
  });

  it('heartbeats are counted each once, and those of a node that goes stay counted', async () => {
    const fleet = await fleetOn(await database());
    for (const seq of [1, 2, 2, 3]) await fleet.beat(heartbeat({ seq }));
    await fleet.beat(heartbeat({ node: 'b1' }));
    const counted = async (filter = '') =>
      /^tillnode_fleet_heartbeats_total (\d+)$/m.exec((await fleet.call('GET', `/metrics${filter}`)).body)?.[1];
    await until(async () => (await counted()) === '4');
    // A counter never falls, and of a filter it would.
    expect(await counted('?filter=id:b*')).toBeUndefined();
    await fleet.call('DELETE', '/api/nodes/b1');
    expect(await counted()).toBe('4');
  }, 60_000);
});

const database = databases(ENGINES.at(-1)!);
const MANY = 12_000;

it.skipIf(ENGINES.length < 2)(
  'what was there before is listed and counted, some at a time, so that what comes in waits for little',
  async () => {
    const where = await database();
    const older = await openDatabase(where);
    for (const statement of [
      'DROP TRIGGER listed_counted ON listed',
      'DROP FUNCTION count_listed()',
      'DROP TABLE listed_count, listed_change, counter',
      "DELETE FROM migration WHERE name >= '022'",
      'ALTER TABLE node DISABLE TRIGGER ALL',
      `INSERT INTO node (id, heartbeats) SELECT 'n' || i, 2 FROM generate_series(1, ${MANY}) AS i`,
      'ALTER TABLE node ENABLE TRIGGER ALL',
      // One that was heard before it is its turn.
      "UPDATE node SET version = '0.1.0' WHERE id = 'n7'",
      // What later versions made.
      'ALTER TABLE site DROP COLUMN words',
      'DROP FUNCTION fold(text)',
      'ALTER TABLE alert DROP COLUMN node_name, DROP COLUMN node_site',
      'ALTER TABLE rollout DROP COLUMN cause',
      'ALTER TABLE listener DROP COLUMN starts',
      'ALTER TABLE session DROP COLUMN sid',
      'DROP TABLE logout',
      'DROP INDEX IF EXISTS alert_of_site',
      'ALTER TABLE duty DROP COLUMN unjudged_since',
      'DROP INDEX IF EXISTS audit_at, audit_renamed, audit_deleted, audit_replaced, audit_replaced_by',
      'DROP STATISTICS IF EXISTS listed_prefix',
      'ALTER TABLE node DROP COLUMN pace_seconds',
      'DROP INDEX IF EXISTS delivery_of_channel, delivery_waiting',
    ])
      await older.query(statement);
    await older.close();
    const said: string[] = [];
    const query = pg.Client.prototype.query;
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...sent: unknown[]
    ) {
      const [word] = /^(COMMIT|LOCK TABLE node)/.exec(String(sent[0])) ?? [];
      if (word !== undefined) said.push(word);
      return Reflect.apply(query, this, sent);
    } as typeof query);
    onTestFinished(() => spy.mockRestore());
    const on = await tables(where);
    expect(said.join().match(/LOCK TABLE node,COMMIT/g)?.length).toBeGreaterThan(2);
    const [kept, listed] = await bothOf(on);
    expect(kept).toEqual(listed);
    expect(await on.query('SELECT count(*) AS nodes, max(version) AS version FROM listed')).toEqual([
      { nodes: MANY, version: '0.1.0' },
    ]);
    expect(await on.query('TABLE counter')).toEqual([{ name: 'heartbeats', count: 2 * MANY }]);
  },
);

it.skipIf(ENGINES.length < 2)(
  'each page of many nodes is where it is in the whole list, whatever the filter',
  async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    const on = await tables(where);
    // Two that come before and behind all others; and one id that another one begins with.
    await on.query(
      `INSERT INTO node (id, variant, version, tags, states, look) SELECT lpad(to_hex(i::bigint * 2654435761 % 4294967296), 8, '0'), 'wifi', '0.1.' || i % 3,
       CASE WHEN i % 50 > 0 THEN '{most}' ELSE '{}' END::text[], '{}'::text[], false FROM generate_series(1, ${MANY}) AS i
     UNION ALL SELECT unnest('{!,7f,7f!,~~~}'::text[]), 'twin', '1.0.0', '{most}', '{}'::text[], false`,
    );
    const all = await on.query<{ id: string; tagged: boolean; variant: string }>(
      `SELECT id, tags <> '{}' AS tagged, variant FROM node ORDER BY id COLLATE "C"`,
    );
    const idsOf = (rows: typeof all) => rows.map(({ id }) => id);
    const lists: [filter: string, ids: string[]][] = [
      ['', idsOf(all)],
      ['tag:most', idsOf(all.filter(({ tagged }) => tagged))],
      ['-tag:most', idsOf(all.filter(({ tagged }) => !tagged))],
      ['variant:wifi', idsOf(all.filter(({ variant }) => variant === 'wifi'))],
      ['variant:twin', ['!', '7f', '7f!', '~~~']],
      ['WIFI', []],
    ];
    for (const [filter, ids] of lists) {
      const page = async (query: string) => {
        const { body } = await fleet.call('GET', `/api/nodes?limit=7&filter=${encodeURIComponent(filter)}&${query}`);
        return [body.total, body.nodes.map(({ id }: { id: string }) => id)];
      };
      for (const offset of [0, 1, 990, 6003, ids.length - 3, ids.length, ids.length + 10].filter((each) => each >= 0))
        expect([filter, offset, await page(`offset=${offset}`)]).toEqual([
          filter,
          offset,
          [ids.length, ids.slice(offset, offset + 7)],
        ]);
      for (const after of ['!', '7f', '7f0', 'ffff', '~~~'])
        for (const offset of [0, 5000]) {
          const behind = ids.filter((id) => id > after).slice(offset, offset + 7);
          expect([filter, after, await page(`after=${after}&offset=${offset}`)]).toEqual([
            filter,
            after,
            [ids.length, behind],
          ]);
        }
    }
    expect((await fleet.call('GET', '/api/summary?filter=tag:most')).body.total).toBe(lists[1]![1].length);
  },
);
