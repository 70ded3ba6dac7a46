/** Simulated nodes, while the fleet and its database are killed under them. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { MASTER } from './fleet.ts';
import type { PostgresServer } from './postgres.ts';
import { startFleetProcess } from './process.ts';
import { Simulation } from './simulate/simulation.ts';

/** How many nodes, how fast, for how long, and how often each is killed. */
export interface Load {
  readonly nodes: number;
  readonly speed: number;
  readonly seconds: number;
  readonly kills: number;
}

/**
 * Kills the process of the fleet so often under the load, and as often its server, or, where the process is the database,
 * the process again. Fails unless what was answered is what is stored, each once.
 */
export async function survivesKills(where: Where, server: PostgresServer | undefined, load: Load): Promise<void> {
  const fleet = await startFleetProcess(where, MASTER);
  onTestFinished(fleet.stop);
  const { nodes, speed, seconds, kills } = load;
  const simulation = new Simulation({ url: fleet.url, token: MASTER, nodes, speed });
  onTestFinished(() => simulation.close());
  simulation.start();
  for (let kill = 0; kill < 2 * kills; kill += 1) {
    await pause((1000 * seconds) / (2 * kills + 1));
    const killed = kill % 2 === 0 || server === undefined ? fleet : server;
    await killed.kill();
    await killed.start();
  }
  await pause((1000 * seconds) / (2 * kills + 1));
  simulation.stop();
  expect([...(simulation.ledger.answers.get('heartbeat')?.keys() ?? [])]).toContain('no answer');
  expect(await simulation.ledger.settle()).toBe(0);
  const { sent, ...rest } = await simulation.compare();
  expect(sent).toBeGreaterThan(nodes);
  expect(rest).toEqual({ answered: sent, stored: sent, lost: [], twice: [] });
  await fleet.stop();
  const tables = await openDatabase(where);
  const rows = async (sql: string) => (await tables.query<{ n: number }>(sql))[0]?.n;
  expect(await rows('SELECT sum(heartbeats)::int AS n FROM node')).toBe(sent);
  const twice = 'SELECT (count(*) - count(DISTINCT (node, seq, uptime_ms)))::int AS n FROM event';
  expect(await rows(twice)).toBe(0);
  await tables.close();
}
