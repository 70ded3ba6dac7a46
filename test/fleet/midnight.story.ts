/**
 * A backup over the turn of a day, while a hundred heartbeats and some events a second come in: days are made and dropped beside it, and what
 * comes goes into the next one. `MIDNIGHT_SECONDS`: how long the dump is under way, in whose middle the day ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../node.ts';
import { Bars } from './bars.ts';
import { callsOf, MASTER } from './fleet.ts';
import { GoodNodes, lostOf } from './good-nodes.ts';
import { noPostgres, startPostgres } from './postgres.ts';
import { startFleetProcess } from './process.ts';

const NODES = 1000;
/** A hundred a second. */
const EVERY_MS = 10_000;
const EVENT_EVERY_MS = 100;
const STAY_MS = Number(process.env['MIDNIGHT_SECONDS'] ?? 30) * 1000;
const OFFLINE_SECONDS = 30;
const TABLES = ['event', 'hour'];
const DAY_MS = 86_400_000;

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const nameOf = (table: string, at: number) => `${table}_${dayOf(at).replaceAll('-', '')}`;

/**
 * Ends the day of both tables at a moment, behind which another one begins: both are empty, and the second stands for what is left of the day.
 * The last of the days that are made ahead is taken away, and one is there that is to be dropped.
 */
async function endDayAt(client: pg.Client, turn: Date): Promise<void> {
  const now = Date.now();
  for (const table of TABLES) {
    const attach = async (name: string, from: string, to: string) => {
      await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`);
      await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`);
    };
    const midnight = (day: number) => `${dayOf(now + day * DAY_MS)} 00:00:00+00`;
    const today = nameOf(table, now);
    await client.query('BEGIN');
    await client.query(`DROP TABLE ${today}, ${nameOf(table, now + 7 * DAY_MS)}`);
    await attach(today, midnight(0), turn.toISOString());
    await attach(`${today}_rest`, turn.toISOString(), midnight(1));
    await attach(nameOf(table, now - 100 * DAY_MS), midnight(-100), midnight(-99));
    await client.query('COMMIT');
  }
}

/** Up to ten events a second of one node, each sent when the one before it is answered; resolves, when it is stopped, with how many were. */
function events(url: string): () => Promise<number> {
  const { webhook } = callsOf(url);
  let [answered, isOver] = [0, false];
  const send = async () => {
    for (let seq = 1; !isOver; seq += 1) {
      const event = { type: 'command_result', commandId: `c${seq}`, endpoint: 'receipt', ok: true };
      const sent = webhook({ node: 'till', seq, uptimeMs: Math.round(performance.now()), event });
      const [status] = await Promise.all([sent.then((answer) => answer.status).catch(() => 0), pause(EVENT_EVERY_MS)]);
      if (status === 204) answered += 1;
    }
  };
  const sending = send();
  return async () => {
    isOver = true;
    await sending;
    return answered;
  };
}

it.skipIf(noPostgres)(
  'a backup over the turn of a day keeps nobody from being answered, and loses nothing; days are made beside it, and dropped behind it',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const url = await server.database();
    const [one, two] = [await startFleetProcess({ url }, MASTER), await startFleetProcess({ url }, MASTER)];
    onTestFinished(two.stop);
    onTestFinished(one.stop);
    const { call } = callsOf(one.url);
    await call('PUT', '/api/settings', { rules: { offline: { afterSeconds: OFFLINE_SECONDS } } });
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    const times = { stay: STAY_MS, control: 10_000, settle: 5000 };
    // The first time without anybody, and then the middle of the dump; where it comes again, the day is over already.
    const turn = new Date(Date.now() + EVERY_MS + times.control + STAY_MS / 2);
    await endDayAt(client, turn);
    const good = new GoodNodes([one.url, two.url], NODES, EVERY_MS);
    onTestFinished(() => good.stop());
    const stopEvents = events(two.url);
    onTestFinished(() => stopEvents().then(() => {}));
    await pause(EVERY_MS);

    const partitions = async (): Promise<string[]> =>
      (
        await client.query('SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE NOT inhdetachpending')
      ).rows.map(({ name }) => name);
    const keepHouse = () => client.query("UPDATE duty SET done_at = 'epoch' WHERE name = 'partitions'");
    const ahead = TABLES.map((table) => nameOf(table, Date.now() + 7 * DAY_MS));
    const old = TABLES.map((table) => nameOf(table, Date.now() - 100 * DAY_MS));
    const codes: unknown[] = [];
    const bars = new Bars(good, times, (line) => process.stdout.write(`${line}\n`));
    await bars.measure('a dump over the turn of a day', async () => {
      const dump = spawn('pg_dump', ['--dbname', url], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void dump.kill());
      const ended = once(dump, 'exit');
      // It holds all tables from then on, until its reader has read.
      await until(
        async () =>
          (
            await client.query(
              "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE application_name = 'pg_dump' AND relation = 'event'::regclass",
            )
          ).rowCount,
      );
      await keepHouse();
      return async () => {
        expect(await partitions()).toEqual(expect.arrayContaining([...ahead, ...old]));
        dump.stdout.resume();
        codes.push(...(await ended));
      };
    });
    expect(new Set(codes)).toEqual(new Set([0, null]));
    expect(Date.now()).toBeGreaterThan(turn.getTime());
    await keepHouse();
    await until(async () => !(await partitions()).some((name) => old.includes(name)));

    const answered = await stopEvents();
    await good.stop();
    expect(await lostOf(good, call)).toEqual([]);
    const today = nameOf('event', turn.getTime());
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM ${today}) AS before, (SELECT count(*)::int FROM ${today}_rest) AS behind`,
    );
    const [{ before, behind }] = rows;
    process.stdout.write(`${answered} events answered; ${before} are stored before the turn and ${behind} behind it\n`);
    expect(Math.min(before, behind)).toBeGreaterThan(10);
    expect(before + behind).toBeGreaterThanOrEqual(answered);
    expect((await call('GET', '/api/oddities')).body.oddities).toEqual([]);
    expect((await call('GET', '/api/alerts?rule=offline')).body.total).toBe(0);
    const { unanswered, late, unknown } = bars;
    if (unknown.length > 0) process.stdout.write('not judged by the second, as the machine was not quiet\n');
    expect({ unanswered, late }).toEqual({ unanswered: [], late: [] });
  },
  900_000,
);
