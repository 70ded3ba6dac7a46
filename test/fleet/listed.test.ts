/** What lists and filters read: rows that the database keeps beside those of nodes. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { databases, EITHER, fleetOn, heartbeat } from './fleet.ts';

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('lists say what nodes and operators said last, and go with their nodes', async () => {
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

  it('words are found in whatever case, in every script, also those that were there before', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    const names = [
      'Österreich Ring',
      'Straße 7',
      'ΟΔΟΣ 3',
      'Łódź',
      'ÎLE-DE-FRANCE',
      'İstanbul',
      'Isparta',
      'Москва',
      'GRAZ_1',
    ];
    for (const [at, name] of names.entries()) {
      await fleet.beat(heartbeat({ node: `named${at}`, name }));
      await fleet.beat(heartbeat({ node: `placed${at}` }));
      await fleet.call('PUT', `/api/nodes/placed${at}`, { site: name });
    }
    const look = async (path: string) => (await fleet.call('GET', path)).body;
    const find = async (word: string) => {
      const { nodes } = await look(`/api/nodes?${new URLSearchParams({ filter: `"${word}"` })}`);
      const { sites } = await look(`/api/sites?${new URLSearchParams({ search: word })}`);
      return [...nodes.map(({ id }: { id: string }) => id), ...sites.map(({ name }: { name: string }) => name)];
    };
    for (const [at, name] of names.entries())
      for (const word of [name, name.toLowerCase(), name.toUpperCase(), name.toLocaleLowerCase('tr'), name.slice(1)])
        expect([word, ...(await find(word))]).toEqual([word, `named${at}`, `placed${at}`, name]);
    expect(await find('strasse')).toEqual(['named1', 'placed1', 'Straße 7']);
    expect(await find('graz%1')).toEqual([]);
    await fleet.stop();
    // As the program before this one listed them.
    const on = await openDatabase(where);
    await on.query(
      "UPDATE listed SET words = (SELECT lower(concat_ws(E'\\n', node.id, node.said_name, node.site)) FROM node WHERE node.id = listed.id)",
    );
    await on.query("DELETE FROM migration WHERE name = '025-folded-filled'");
    await on.close();
    const again = await fleetOn(where);
    const { nodes } = (await again.call('GET', `/api/nodes?filter=${encodeURIComponent('"ÖSTERREICH RING"')}`)).body;
    expect(nodes.map(({ id }: { id: string }) => id)).toEqual(['named0', 'placed0']);
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
