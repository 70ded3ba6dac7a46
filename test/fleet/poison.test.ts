/** What one node says is its own trouble: nothing in a message of it makes a statement fail, or keeps others out. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Batches } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { Refusal } from '../../runtime/fleet/http/errors.ts';
import { Ingest } from '../../runtime/fleet/ingest/ingest.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { databases, EITHER, fleetOn, heartbeat, MASTER, printer } from './fleet.ts';

const NODE = '0a1b2c3d';
const INT = 2 ** 31 - 1;

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('a counter of any size is taken, also when its hour and its day are summed up', async () => {
    const where = await database();
    let fleet = await fleetOn(where);
    let seq = 0;
    const beat = async (prints: unknown) => {
      seq += 1;
      const beaten = heartbeat({ seq, uptimeSeconds: 60 + seq, counters: { prints }, crash: crash(seq) });
      return (await fleet.beat(beaten, tokenOf(MASTER, NODE))).status;
    };
    const crash = (at: number) => ({ bootId: 'b', reason: 'crash', uptimeSeconds: at * 1e300 });
    const said = [0, 3e9, 6e9, 0, Number.MAX_SAFE_INTEGER, 0, 1e300, -1e300, -1, 'x', { valueOf: 1, toString: 1 }, 5];
    const hourLater = async () => {
      await fleet.stop();
      const tables = await openDatabase(where);
      await tables.query("UPDATE node SET hour_at = hour_at - interval '1 hour'");
      // As an earlier version summed it.
      await tables.query('UPDATE node SET hour_prints = 3000000000000');
      await tables.close();
      fleet = await fleetOn(where);
    };
    for (const prints of said) expect([prints, await beat(prints)]).toEqual([prints, 204]);
    for (let hour = 0; hour < 2; hour += 1) {
      await hourLater();
      expect([await beat(3e9), await beat(0)]).toEqual([204, 204]);
    }
    const { hours } = (await fleet.call('GET', `/api/nodes/${NODE}/hours`)).body;
    expect(hours.slice(1).map(({ prints }: { prints: number }) => prints)).toEqual([INT, INT]);
    const { status, body } = await fleet.call('GET', `/api/nodes/${NODE}/days`);
    expect(status).toBe(200);
    const printed = body.days.reduce((sum: number, { prints }: { prints: number }) => sum + prints, 0);
    expect(printed).toBeGreaterThanOrEqual(2 * INT);
    expect((await fleet.call('GET', '/api/alerts?rule=ingest_refused')).body.total).toBe(0);
  });

  it('printers that a node tells of are bounded by number and bytes, and what it says of those that are known still counts', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat());
    let seq = 0;
    const tell = async (over: object) => {
      seq += 1;
      const event = { ...printer(), ...over };
      return (await fleet.webhook({ node: NODE, seq, uptimeMs: 60_000 + seq, event })).status;
    };
    const one = async () => (await fleet.call('GET', `/api/nodes/${NODE}`)).body;
    for (let at = 0; at < 100; at += 1) expect(await tell({ endpoint: `p${at}` })).toBe(204);
    expect((await one()).printers).toHaveLength(64);
    const much = 'x'.repeat(1500);
    for (let at = 0; at < 60; at += 1) expect(await tell({ endpoint: `p${at}`, more: much })).toBe(204);
    for (let at = 0; at < 40; at += 1) expect(await tell({ endpoint: 'p1', [`field${at}`]: much })).toBe(204);
    for (const endpoint of [{}, ['a'], 7, null, 'x'.repeat(65)]) expect(await tell({ endpoint })).toBe(204);
    const { printers } = await one();
    expect(JSON.stringify(printers).length).toBeLessThan(32_000);
    expect(printers.length).toBeLessThanOrEqual(64);
    const { oddities } = (await fleet.call('GET', '/api/oddities')).body;
    expect(oddities).toContainEqual(expect.objectContaining({ kind: 'flood', node: NODE }));
    expect(await tell({ paperOut: true })).toBe(204);
    const receipt = (await one()).printers.find((each: { endpoint: string }) => each.endpoint === 'receipt');
    expect(receipt).toMatchObject({ paperOut: true, paperOutSince: expect.any(String) });
    // What it says of all is what it has.
    expect((await fleet.beat(heartbeat({ seq: 2, uptimeSeconds: 120 }))).status).toBe(204);
    expect((await one()).printers).toHaveLength(1);
  });
});

it('a message that the database does not take is refused as its own fault, and those beside it are stored', async () => {
  const stored: string[] = [];
  let transactions = 0;
  const database = {
    parallel: 1,
    transaction: async (work: (on: object) => Promise<unknown>) => {
      transactions += 1;
      const query = async (sql: string, [rows = '[]']: readonly string[] = []) => {
        const ids: string[] = /FROM node WHERE id = ANY|INSERT INTO node/.test(sql) ? JSON.parse(rows) : [];
        if (ids.includes('bad')) throw Object.assign(new Error('out of range'), { code: '22003' });
        if (sql.startsWith('UPDATE node')) stored.push(...JSON.parse(rows).map(({ id }: { id: string }) => id));
        return ids.map((id) => ({ id, states: [], boots: [], heartbeats: 0, printers: [], counters: {}, crashes: [] }));
      };
      return work({ query });
    },
  } as unknown as Batches;
  const reports: Error[] = [];
  const ingest = new Ingest(database, (error) => reports.push(error));
  onTestFinished(() => ingest.close());
  const offered = (node: string) =>
    ingest.offer({ kind: 'heartbeat', address: '', message: { node, seq: 1 } }, 100).then(
      () => 'stored',
      (error: unknown) => error,
    );
  const others = Array.from({ length: 200 }, (_, at) => `good${at}`);
  const outcomes = await Promise.all([...others.slice(0, 77), 'bad', ...others.slice(77)].map(offered));
  expect(outcomes.filter((each) => each === 'stored')).toHaveLength(200);
  expect(outcomes[77]).toBeInstanceOf(Refusal);
  expect((outcomes[77] as Refusal).code).toBe('invalid_request');
  expect(stored.sort()).toEqual([...others].sort());
  // Neither is the process in trouble, nor is each of the others stored by itself.
  expect(ingest.trouble.ago()).toBeUndefined();
  expect(ingest.counts).toMatchObject({ stored: 200, refused: 0 });
  expect(transactions).toBeLessThan(30);
});
