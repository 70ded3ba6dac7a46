/**
 * A hundred heartbeats a second beside somebody who fills the disk: what is answered is stored, all else is refused for as long as there is no
 * room, and all is as before within seconds once there is. `FULL_SECONDS`: how long there is none.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { answer, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { needRoot } from '../tools.ts';
import { SHARE } from './bars.ts';
import { type Disk, makeDisk, noDisk } from './beside/disk.ts';
import { callsOf, databases, ENGINES, folder, MASTER } from './fleet.ts';
import { GoodNodes, lostOf } from './good-nodes.ts';
import { startPostgres } from './postgres.ts';
import { startFleetProcess } from './process.ts';

const NODES = 1000;
/** A hundred a second. */
const EVERY_MS = 10_000;
const FULL_MS = Number(process.env['FULL_SECONDS'] ?? 60) * 1000;
/** In proportion to the 180 s of nodes that send each minute; the disk is full for longer. */
const OFFLINE_SECONDS = 30;
/** Within which heartbeats are answered again, once there is room. */
const BACK_MS = 10_000;
const SIZE = '512m';

/** An engine with its data on a small disk. */
interface Engine {
  readonly where: Where;
  /** What runs a fleet on it. */
  readonly run: readonly string[];
  /** What takes the room that it has kept for itself. */
  press(): Promise<void>;
  /** What an operator does once there is room again. */
  mend(): Promise<void>;
}

const made = databases(ENGINES[0]);
const STARTED: Readonly<Record<(typeof ENGINES)[number], (disk: Disk) => Promise<Engine>>> = {
  async 'PostgreSQL in the process'(disk) {
    const { folder: empty } = (await made()) as { folder: string };
    const data = `${disk.folder}/data`;
    execFileSync('env', [...disk.run, 'cp', '-a', empty, data]);
    return { where: { folder: data }, run: disk.run, async press() {}, async mend() {} };
  },
  async 'PostgreSQL of Debian'(disk) {
    const server = await startPostgres(disk);
    onTestFinished(server.stop);
    const url = await server.database();
    await (await openDatabase({ url })).close();
    // It writes on into the segments of its log that it has, and stops where it can make no other one.
    const press = async () => {
      const client = new pg.Client(url);
      client.on('error', () => {});
      await client.connect();
      for (let nth = 0; nth < 100; nth += 1)
        await client.query("SELECT pg_switch_wal(), pg_logical_emit_message(false, '', '')");
    };
    return {
      where: { url },
      run: [],
      press: () => press().catch(() => {}),
      mend: () => server.start(),
    };
  },
};

describe.skipIf(noDisk ?? needRoot()).each(ENGINES)('on %s', (engine) => {
  it('a disk that fills while heartbeats come in loses none that was answered, calls nobody offline, and is told once', async () => {
    const disk = await makeDisk(folder(), SIZE);
    onTestFinished(disk.end);
    const { where, run, press, mend } = await STARTED[engine](disk);
    const fleet = await startFleetProcess(where, MASTER, undefined, run);
    onTestFinished(fleet.stop);
    const receiver = await startReceiver(answer(204));
    const { call } = callsOf(fleet.url);
    const settings = {
      rules: { offline: { afterSeconds: OFFLINE_SECONDS } },
      alerts: { webhook: { url: receiver.url, secret: 'sesame' } },
    };
    expect((await call('PUT', '/api/settings', settings)).status).toBe(200);
    const good = new GoodNodes([fleet.url], NODES, EVERY_MS);
    onTestFinished(() => good.stop());
    const say = (what: string, said: object) => process.stdout.write(`${engine}, ${what}: ${JSON.stringify(said)}\n`);
    const look = async (what: string) => {
      const answers = await good.look();
      say(what, answers);
      return answers;
    };
    await pause(2 * EVERY_MS);
    await look('before');

    const give = await disk.fill();
    onTestFinished(give);
    await pause(FULL_MS / 2);
    await press();
    await pause(FULL_MS / 2);
    const full = await look('full');
    await give();
    const freed = performance.now();
    await mend();
    await until(async () => (await good.look()).answered > 0);
    const backMs = Math.round(performance.now() - freed);
    await pause(2 * OFFLINE_SECONDS * 1000);
    const after = await look('after');
    const told = (what: 'begun' | 'ended') =>
      receiver.received
        .flatMap(({ body }) => JSON.parse(body)[what])
        .map(({ rule, subject }: Record<string, string>) => `${rule} ${subject}`);
    await until(() => told('ended').length > 0);
    await good.stop();
    say('operators', { backMs, said: fleet.said, begun: told('begun'), ended: told('ended') });

    // As a power cut, and what is there then.
    await fleet.kill();
    await fleet.start();
    expect(await lostOf(good, call)).toEqual([]);
    expect((await call('GET', '/api/alerts?rule=offline')).body.total).toBe(0);
    expect(full.others).toEqual([]);
    expect(full.refused).toBeGreaterThan(0);
    expect(backMs).toBeLessThan(BACK_MS);
    expect(after.answered).toBeGreaterThanOrEqual(SHARE * after.sent);
    expect([told('begun'), told('ended')]).toEqual([['ingest_refused fleet'], ['ingest_refused fleet']]);
    // A line a minute, of each thing that a database says of itself.
    expect(fleet.said.length).toBeGreaterThan(0);
    const times = fleet.said.map((line) => fleet.said.filter((each) => each === line).length);
    expect(Math.max(...times)).toBeLessThanOrEqual(1 + FULL_MS / 60_000);
  }, 900_000);
});
