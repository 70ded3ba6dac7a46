/** What lists and filters read: rows that the database keeps beside those of nodes. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { databases, EITHER, fleetOn, heartbeat } from './fleet.ts';

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('they say what nodes and operators said last, and go with their nodes', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    for (const node of ['a1', 'b1', 'c1']) await fleet.beat(heartbeat({ node, name: `Till ${node}` }));
    await fleet.beat(heartbeat({ node: 'a1', seq: 2, name: 'Bar', firmwareVersion: '0.9.0' }));
    await fleet.call('PUT', '/api/nodes/b1', { site: 'Graz', tags: ['pilot'], mutedUntil: '2999-01-01T00:00:00.000Z' });
    await fleet.call('PUT', '/api/sites/Graz', { name: 'Linz' });
    await fleet.call('DELETE', '/api/nodes/c1');
    const found = async (filter: string) =>
      (await fleet.call('GET', `/api/nodes?filter=${encodeURIComponent(filter)}`)).body.nodes.map(
        ({ id }: { id: string }) => id,
      );
    expect(await found('')).toEqual(['a1', 'b1']);
    expect(await found('version:>=0.9.0 name:Bar')).toEqual(['a1']);
    expect(await found('site:Linz tag:pilot muted:yes')).toEqual(['b1']);
    expect([await found('LINZ'), await found('till'), await found('127.0.0.1')]).toEqual([
      ['b1'],
      ['b1'],
      ['a1', 'b1'],
    ]);
    await fleet.stop();
    const tables = await openDatabase(where);
    onTestFinished(() => tables.close());
    const columns = 'id, variant, version, version_order, said_name, name, site, tags, address, states, muted_until';
    const rowsOf = (table: string) => tables.query(`SELECT ${columns} FROM ${table} ORDER BY id`);
    expect(await rowsOf('listed')).toEqual(await rowsOf('node'));
  });

  it('a page that is far, or of few, is in the order of ids as a near one is', async () => {
    const fleet = await fleetOn(await database());
    const ids = Array.from({ length: 60 }, (_, at) => `n${(at * 37) % 60}`);
    await Promise.all(ids.map((node) => fleet.beat(heartbeat({ node }))));
    const page = async (query: string) => {
      const { nodes, total } = (await fleet.call('GET', `/api/nodes?${query}`)).body;
      return [nodes.map(({ id }: { id: string }) => id), total];
    };
    const sorted = ids.toSorted();
    for (const filter of ['', 'filter=id:n*&']) {
      expect(await page(`${filter}limit=2`)).toEqual([sorted.slice(0, 2), 60]);
      expect(await page(`${filter}limit=5&offset=50`)).toEqual([sorted.slice(50, 55), 60]);
      expect(await page(`${filter}limit=5&after=${sorted[40]}`)).toEqual([sorted.slice(41, 46), 60]);
      expect(await page(`${filter}limit=5&offset=60`)).toEqual([[], 60]);
    }
  });
});
