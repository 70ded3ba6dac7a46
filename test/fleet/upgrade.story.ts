/** An upgrade without a gap: the version before the last change of the tables, and this one, on one database. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../runtime/fleet/database/migrations.ts';
import { until } from '../node.ts';
import { needTools } from '../tools.ts';
import { callsOf, heartbeat, MASTER } from './fleet.ts';
import { noPostgres, startPostgres } from './postgres.ts';
import { bundleFleet, startFleetProcess } from './process.ts';

const missing = noPostgres ?? needTools(['tar']);
/** Where packages are found. */
const BEFORE = '.cache/fleet-before';
const MIGRATION = MIGRATIONS.at(-1)?.name ?? '';
const NODES = 20;

const git = (...args: string[]) => execFileSync('git', args, { maxBuffer: 1 << 28 });

/** Bundles the program as it was before the last migration came into the history of this tree; resolves with its file. */
async function programBefore(): Promise<string> {
  const added = git('log', '--format=%H', '--reverse', '-S', `'${MIGRATION}'`, '--', 'runtime/fleet/database')
    .toString()
    .split('\n')[0];
  expect(added, `no commit has added ${MIGRATION}: the whole history is needed`).toMatch(/^[0-9a-f]{40}$/);
  rmSync(BEFORE, { recursive: true, force: true });
  mkdirSync(BEFORE, { recursive: true });
  execFileSync('tar', ['-x', '-C', BEFORE], { input: git('archive', `${added}~1`) });
  return bundleFleet(join(BEFORE, 'runtime/fleet/main.ts'), join(BEFORE, 'main.mjs'));
}

it.skipIf(missing)('two versions at once answer every heartbeat, lose none and count none twice', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const where = { url: await server.database() };
  const older = await startFleetProcess(where, MASTER, await programBefore());
  onTestFinished(() => older.stop());
  const processes = [callsOf(older.url)];
  const refusals: number[] = [];
  const answered = { byOlder: 0, byNewer: 0 };
  let isOver = false;
  /** A node behind a balancer: each heartbeat until somebody has answered it. */
  const node = async (at: number) => {
    for (let seq = 1; !isOver; ) {
      const to = (at + seq + refusals.length) % processes.length;
      const { status } = await processes[to]!.beat(
        heartbeat({ node: `n${at}`, seq, uptimeSeconds: seq, custodyHold: at === 0 }),
      );
      if (status !== 204) {
        refusals.push(status);
        continue;
      }
      answered[to === 0 && processes[0]?.url === older.url ? 'byOlder' : 'byNewer'] += 1;
      seq += 1;
    }
  };
  const nodes = Promise.all(Array.from({ length: NODES }, (_, at) => node(at)));
  await until(() => answered.byOlder >= 10 * NODES);

  const newer = await startFleetProcess(where, MASTER);
  onTestFinished(() => newer.stop());
  processes.push(callsOf(newer.url));
  const [before, after] = processes as [(typeof processes)[0], (typeof processes)[0]];
  const [then, newThen] = [answered.byOlder, answered.byNewer];
  await until(() => answered.byOlder >= then + 20 * NODES && answered.byNewer >= newThen + 20 * NODES);
  // What people and programs ask is answered by both, and what is done once is done once.
  for (const each of [before, after]) {
    expect((await each.call('GET', '/api/nodes')).body).toMatchObject({ total: NODES });
    expect((await each.call('PUT', '/api/nodes/n1', { tags: ['pilot'] })).status).toBe(200);
    expect((await each.call('GET', '/api/sites')).status).toBe(200);
    expect((await each.call('GET', '/metrics')).status).toBe(200);
  }
  await until(async () => (await after.call('GET', '/api/alerts?rule=custody_hold')).body.total === 1);

  // One after the other is replaced.
  processes.shift();
  await older.stop();
  const newerThen = answered.byNewer;
  await until(() => answered.byNewer >= newerThen + 10 * NODES);
  isOver = true;
  await nodes;
  const { nodes: stored } = (await after.call('GET', '/api/nodes')).body;
  const heartbeats = stored.reduce((sum: number, each: { heartbeats: number }) => sum + each.heartbeats, 0);
  expect([heartbeats, refusals]).toEqual([answered.byOlder + answered.byNewer, []]);
  expect((await after.call('GET', '/api/alerts?rule=custody_hold')).body.total).toBe(1);
  // Who begins now must know the tables.
  await expect(older.start()).rejects.toThrow(`it has the migration ${MIGRATION}`);
});
