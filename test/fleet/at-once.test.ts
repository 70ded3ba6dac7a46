/** Operators who change the same things at once: what was answered is what is stored. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
import { databases, EITHER, ENGINES, fleetOn, heartbeat, type RunningFleet } from './fleet.ts';
import { begin, node, upload } from './rollout.ts';

const ROUNDS = Array.from({ length: 8 }, (_, at) => at);
const statuses = async (...asked: ReturnType<RunningFleet['call']>[]) =>
  (await Promise.all(asked)).map(({ status }) => status);
/** Whether a statement of somebody that begins like this waits for a lock. */
const waits = async (on: Database, statement: string) =>
  (await on.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1", [`${statement}%`]))
    .length > 0;

/** How many there were. */
async function deadlocksOn(on: Database): Promise<number | undefined> {
  const [row] = await on.query<{ deadlocks: number }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks;
}

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('settings that several change at once are changed as each was answered, and the audit says what each changed', async () => {
    const fleet = await fleetOn(await database());
    const put = (body: object) => fleet.call('PUT', '/api/settings', body);
    for (const round of ROUNDS) {
      const days = 100 + round;
      const asked = [
        { rules: { offline: { afterSeconds: days } } },
        { rules: { no_paper: { afterSeconds: days } } },
        { rules: { crash_loop: { withinSeconds: days } } },
        { keep: { hoursDays: days } },
        { keep: { changesDays: days } },
      ];
      expect(await statuses(...asked.map(put))).toEqual([200, 200, 200, 200, 200]);
      expect((await fleet.call('GET', '/api/settings')).body).toMatchObject({
        rules: {
          offline: { afterSeconds: days },
          no_paper: { afterSeconds: days },
          crash_loop: { withinSeconds: days },
        },
        keep: { hoursDays: days, changesDays: days },
      });
    }
    // Each begins from what the one before it left.
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    const ofKeep = entries
      .map(({ detail }: { detail: { before: object } }) => detail)
      .filter(({ before }: { before: object }) => 'keep' in before);
    for (const [at, { before }] of ofKeep.slice(0, -1).entries()) expect(before).toEqual(ofKeep[at + 1].after);
  });

  it('a node that is placed, or replaced, while its site gets another name or goes, is of a site that is there', async () => {
    const fleet = await fleetOn(await database());
    const sites = async () =>
      (await fleet.call('GET', '/api/sites')).body.sites.map(({ name }: { name: string }) => name);
    const node = async (id: string) => (await fleet.call('GET', `/api/nodes/${id}`)).body;
    for (const round of ROUNDS) {
      const [old, fresh] = [`old${round}`, `new${round}`];
      for (const id of [old, fresh]) await fleet.beat(heartbeat({ node: id }));
      for (const site of [`A${round}`, `C${round}`]) await fleet.call('PUT', `/api/sites/${site}`, {});
      const place = (id: string, site: string) => fleet.call('PUT', `/api/nodes/${id}`, { site });
      await statuses(place(old, `A${round}`), fleet.call('PUT', `/api/sites/A${round}`, { name: `B${round}` }));
      await statuses(place(fresh, `C${round}`), fleet.call('DELETE', `/api/sites/C${round}`));
      for (const id of [old, fresh]) expect(await sites()).toContain((await node(id)).site);
      const { site } = await node(old);
      const [replaced] = await statuses(
        fleet.call('POST', `/api/nodes/${old}/replace`, { by: fresh }),
        fleet.call('PUT', `/api/sites/${site}`, { name: `D${round}` }),
      );
      expect([replaced, (await node(fresh)).site]).toEqual([200, `D${round}`]);
    }
  });

  it('of two nodes that are to replace each other one does', async () => {
    const fleet = await fleetOn(await database());
    for (const round of ROUNDS) {
      const [a, b] = [`a${round}`, `b${round}`];
      for (const id of [a, b]) await fleet.beat(heartbeat({ node: id }));
      const replace = (id: string, by: string) => fleet.call('POST', `/api/nodes/${id}/replace`, { by });
      expect((await statuses(replace(a, b), replace(b, a))).sort()).toEqual([200, 404]);
    }
  });

  it('an account that several make or change at once is there once, and each change is in the audit as it was', async () => {
    const fleet = await fleetOn(await database());
    const put = (name: string, role: string) =>
      fleet.call('PUT', `/api/people/${name}`, { role, password: 'correct horse battery' });
    for (const round of ROUNDS) {
      const name = `ada${round}`;
      expect(await statuses(put(name, 'viewer'), put(name, 'operator'), put(name, 'releaser'))).toEqual([
        200, 200, 200,
      ]);
      const { entries } = (await fleet.call('GET', '/api/audit')).body;
      const details = entries
        .filter(({ subject }: { subject: string }) => subject === name)
        .map(({ detail }: { detail: object }) => detail);
      expect(details).toHaveLength(3);
      for (const [at, { before }] of details.slice(0, -1).entries())
        expect(before.role).toBe(details[at + 1].after.role);
    }
  });

  it('of two rollouts of a variant that are to go on at once one does, and the other is told', async () => {
    const fleet = await fleetOn(await database());
    await node(fleet, 'a').beat();
    await upload(fleet);
    for (const round of ROUNDS) {
      const first = await begin(fleet);
      await fleet.call('POST', `/api/rollouts/${first.id}/stop`);
      const other = await begin(fleet);
      await fleet.call('POST', `/api/rollouts/${other.id}/stop`);
      const resume = ({ id }: { id: number }) => fleet.call('POST', `/api/rollouts/${id}/resume`);
      expect([round, ...(await statuses(resume(first), resume(other))).sort()]).toEqual([round, 200, 409]);
      for (const { id } of [first, other]) await fleet.call('POST', `/api/rollouts/${id}/stop`);
    }
  });
});

describe.skipIf(ENGINES.length < 2)('on a server, where several write at once', () => {
  const database = databases(ENGINES.at(-1)!);

  it.each(['deleted', 'replaced'])(
    'a node that is %s while it is heard refuses nobody: it is a new one, and the others are stored',
    async (what) => {
      const where = await database();
      const fleet = await fleetOn(where);
      for (const id of ['goes', 'new-box', 'stays']) await fleet.beat(heartbeat({ node: id }));
      await fleet.call('PUT', '/api/nodes/goes', { site: 'Graz' });
      const on = await openDatabase(where);
      onTestFinished(() => on.close());
      let change: ReturnType<RunningFleet['call']> | undefined;
      let beats: ReturnType<RunningFleet['call']>[] = [];
      await on.transaction(async (holds) => {
        // The change has everything but its entry in the audit.
        await holds.query('LOCK TABLE audit IN SHARE MODE');
        change =
          what === 'deleted'
            ? fleet.call('DELETE', '/api/nodes/goes')
            : fleet.call('POST', '/api/nodes/goes/replace', { by: 'new-box' });
        await until(() => waits(on, 'INSERT INTO audit'));
        beats = ['goes', 'new-box', 'stays'].map((node) => fleet.beat(heartbeat({ node, seq: 2 })));
        await until(() => waits(on, 'SELECT id, states, variant'));
      });
      expect((await change)?.status).toBe(what === 'deleted' ? 204 : 200);
      expect(await statuses(...beats)).toEqual([204, 204, 204]);
      expect((await fleet.call('GET', '/api/nodes/goes')).body).toMatchObject({ heartbeats: 1, site: null });
      expect((await fleet.call('GET', '/api/nodes/stays')).body.heartbeats).toBe(2);
    },
  );

  it('a site that gets another name while its nodes are heard waits, and nobody for it in turn', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    for (const id of ['c', 'b', 'a']) {
      await fleet.beat(heartbeat({ node: id }));
      await fleet.call('PUT', `/api/nodes/${id}`, { site: 'Graz' });
    }
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    let asked: ReturnType<RunningFleet['call']>[] = [];
    await on.transaction(async (holds) => {
      await holds.query("SELECT id FROM node WHERE id = 'b' FOR UPDATE");
      asked = [fleet.call('PUT', '/api/sites/Graz', { name: 'Linz' })];
      await until(() => waits(on, 'SELECT id FROM node WHERE site'));
      asked.push(...['a', 'c'].map((node) => fleet.beat(heartbeat({ node, seq: 2 }))));
      await until(() => waits(on, 'SELECT id, states, variant'));
    });
    expect(await statuses(...asked)).toEqual([200, 204, 204]);
    await until(async () => (await on.query('SELECT pg_stat_force_next_flush()')).length === 1);
    expect(await deadlocksOn(on)).toBe(0);
  });

  it('a site that gets another name while the watch looks at its hours and at its nodes waits, and nobody for it in turn', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    for (const id of ['a', 'b', 'c']) {
      await fleet.beat(heartbeat({ node: id }));
      await fleet.call('PUT', `/api/nodes/${id}`, { site: 'Graz' });
    }
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    await on.query('UPDATE node SET look = false');
    let asked: ReturnType<RunningFleet['call']> | undefined;
    await on.transaction(async (holds) => {
      await holds.query("SELECT id FROM node WHERE id = 'b' FOR UPDATE");
      // Nobody else looks meanwhile.
      await on.transaction(async (duty) => {
        await duty.query("SELECT name FROM duty WHERE name = 'watch' FOR UPDATE");
        await on.query("UPDATE site SET look_at = 'epoch'");
        await on.query("UPDATE node SET look = true WHERE id = 'c'");
        asked = fleet.call('PUT', '/api/sites/Graz', { name: 'Linz' });
        await until(() => waits(on, 'SELECT id FROM node WHERE site'));
      });
      await until(() => waits(on, 'UPDATE site SET look_at'));
    });
    expect((await asked)?.status).toBe(200);
    await until(async () => (await on.query('SELECT pg_stat_force_next_flush()')).length === 1);
    expect(await deadlocksOn(on)).toBe(0);
  });

  it('the watch waits for no row about strangers that is being written', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    const left = async () => (await on.query<{ n: number }>('SELECT count(*)::int AS n FROM oddity'))[0]?.n;
    await on.query("INSERT INTO oddity SELECT 'bad_body', '', 'first', 1, now(), now() - interval '1 day', ''");
    await on.transaction(async (holds) => {
      await holds.query("UPDATE oddity SET count = 2 WHERE address = 'first'");
      await on.query(
        "INSERT INTO oddity SELECT 'bad_body', '', 'a' || i, 1, now(), now() - i * interval '1 second', '' FROM generate_series(1, 1100) AS i",
      );
      await until(async () => (await left()) === 1001);
    });
    await until(async () => (await left()) === 1000);
    expect((await fleet.beat(heartbeat())).status).toBe(204);
  });
});
