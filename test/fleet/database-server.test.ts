/** The database on a server: its days, its absence, and what many processes do with it at once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Away, type Database, type Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { dropPartitions, makePartitions } from '../../runtime/fleet/database/partitions.ts';
import { until } from '../node.ts';
import { fleetOn, folder, heartbeat, printer } from './fleet.ts';
import { noPostgres, type PostgresServer, startPostgres } from './postgres.ts';

const DAY_MS = 86_400_000;
async function tables(where: Where): Promise<Database> {
  const database = await openDatabase(where);
  onTestFinished(() => database.close());
  return database;
}

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
    // For a second it is known which tokens count; then that, too, is asked in vain.
    let refused = 1;
    const again = async () => {
      const answered = (await fleet.beat(heartbeat({ seq: 2 }))).status;
      if (answered === 503) refused += 1;
      return answered;
    };
    for (const killed = performance.now(); performance.now() - killed < 1500; ) expect(await again()).toBe(503);
    await server.start();
    await until(async () => (await again()) === 204);
    expect((await fleet.call('GET', '/api/nodes')).body.nodes[0].heartbeats).toBe(2);
    expect((await fleet.call('GET', '/metrics')).body).toContain(
      `\ntillnode_fleet_process_messages_refused_total ${refused}\n`,
    );
  });

  it.each([
    ['takes no new file, which nobody is told of', '/proc', undefined],
    ['has what cannot be deleted, which is told', undefined, /upload-folder/],
  ])('loses the days that are over also where the folder of images %s', async (_what, given, told) => {
    const where = { url: await server.database() };
    const on = await tables(where);
    await on.query('CREATE TABLE hour_20200101 (LIKE hour INCLUDING ALL)');
    const [images, faults] = [given ?? folder(), [] as string[]];
    if (given === undefined) {
      fs.mkdirSync(join(images, 'upload-folder'));
      fs.utimesSync(join(images, 'upload-folder'), 0, 0);
    }
    const fleet = await fleetOn(where, { images, report: ({ message }) => faults.push(message) });
    await until(async () => (await on.query("SELECT to_regclass('hour_20200101') AS there"))[0]?.['there'] === null);
    await fleet.stop();
    expect(faults).toEqual(told === undefined ? [] : [expect.stringMatching(told)]);
  });

  it('loses each day that is over, also where somebody reads another one', async () => {
    const where = { url: await server.database() };
    const on = await tables(where);
    const add = async (table: string, day: number) => {
      await on.query(`CREATE TABLE ${table}_2020010${day} (LIKE ${table} INCLUDING ALL)`);
      const bounds = `FROM ('2020-01-0${day} 00:00:00+00') TO ('2020-01-0${day + 1} 00:00:00+00')`;
      await on.query(`ALTER TABLE ${table} ATTACH PARTITION ${table}_2020010${day} FOR VALUES ${bounds}`);
    };
    for (const day of [1, 2, 3]) await add('event', day);
    await add('hour', 1);
    const there = async () =>
      (
        await on.query<{ name: string }>(
          "SELECT relname AS name FROM pg_class WHERE relname ~ '^(event|hour)_2020....$' ORDER BY 1",
        )
      ).map(({ name }) => name);
    const drop = () => dropPartitions(on, Date.now(), 7, 62);
    await tables(where).then((reader) =>
      reader.transaction(async (held) => {
        await held.query('SELECT FROM event_20200102');
        await expect(drop()).rejects.toThrow(/^[^;]*event_20200102[^;]*$/);
        expect(await there()).toEqual(['event_20200102']);
      }),
    );
    await drop();
    expect(await there()).toEqual([]);
  });

  it('names each day that is over and that somebody reads, and begins to remove none of them', async () => {
    const where = { url: await server.database() };
    const on = await tables(where);
    await makePartitions(on, Date.parse('2020-01-02T00:00:00Z'));
    const drop = () => dropPartitions(on, Date.parse('2020-01-04T00:00:00Z'), 1, 62);
    const pending = 'SELECT FROM pg_inherits WHERE inhdetachpending';
    await tables(where).then((reader) =>
      reader.transaction(async (held) => {
        await held.query('SELECT FROM event');
        await expect(drop()).rejects.toThrow(/event_20200101.*event_20200102/);
        expect(await on.query(pending)).toEqual([]);
      }),
    );
    await drop();
    expect(await on.query("SELECT to_regclass('event_20200102') AS there")).toEqual([{ there: null }]);
  });

  it('ends the removal of a day that was broken off, and then removes the others', async () => {
    const where = { url: await server.database() };
    const on = await tables(where);
    await makePartitions(on, Date.parse('2020-01-02T00:00:00Z'));
    const broken = new pg.Client(where.url);
    await broken.connect();
    await tables(where).then((reader) =>
      reader.transaction(async (held) => {
        await held.query('SELECT FROM event_20200102');
        await broken.query('SET lock_timeout = 1');
        await expect(broken.query('ALTER TABLE event DETACH PARTITION event_20200102 CONCURRENTLY')).rejects.toThrow(
          /lock timeout/,
        );
      }),
    );
    await broken.end();
    await dropPartitions(on, Date.parse('2020-01-04T00:00:00Z'), 1, 62);
    const left = "SELECT relname AS name FROM pg_class WHERE relname ~ '^event_2020010[12]$'";
    expect(await on.query(left)).toEqual([]);
  });

  it('goes on with others where a process was stopped in the middle of its work', async () => {
    const where = { url: await server.database() };
    const fleet = await fleetOn(where, { report: () => {} });
    await fleet.beat(heartbeat());
    const on = await tables(where);
    // As a process does that hangs: it has locked a node and the duties, and does not go on.
    const stopped = await tables(where);
    let goOn = () => {};
    const hanging = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    onTestFinished(() => goOn());
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const work = stopped.ingest.transaction(async (held) => {
      await held.query('SELECT FROM node FOR UPDATE');
      await held.query('SELECT FROM duty FOR UPDATE');
      locked();
      await hanging;
      await held.query('SELECT 1');
    });
    await isLocked;
    const done = async () =>
      (await on.query<{ at: Date }>("SELECT done_at AS at FROM duty WHERE name = 'watch'"))[0]?.at;
    const before = await done();
    await until(async () => (await fleet.beat(heartbeat({ seq: 2 }))).status === 204);
    await until(async () => Number(await done()) > Number(before));
    goOn();
    await expect(work).rejects.toThrow(Away);
  });

  it('is backed up while days are made and dropped, and what comes in does not wait', async () => {
    const where = { url: await server.database() };
    const fleet = await fleetOn(where);
    const on = await tables(where);
    await on.query(
      "INSERT INTO audit (who, what, subject) SELECT '', '', repeat('x', 1000) FROM generate_series(1, 2000)",
    );
    // A dump whose reader does not read: it holds a lock on every table for as long as it lasts.
    const dump = spawn('pg_dump', ['--dbname', where.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(dump, 'exit');
    onTestFinished(() => void dump.kill());
    const locks =
      "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE application_name = 'pg_dump' AND relation = 'event'::regclass";
    await until(async () => (await on.query(locks)).length > 0);
    const later = Date.now() + 20 * DAY_MS;
    await makePartitions(on, later);
    const dropped = dropPartitions(on, later, 2, 62).catch(() => {});
    for (let seq = 1; seq <= 5; seq += 1) {
      expect((await fleet.beat(heartbeat({ seq }))).status).toBe(204);
      const event = { type: 'scan_read', value: `${seq}` };
      expect((await fleet.webhook({ node: '0a1b2c3d', seq, uptimeMs: 60_000 + seq, event })).status).toBe(204);
    }
    expect(dump.exitCode).toBe(null);
    dump.stdout.resume();
    expect((await ended)[0]).toBe(0);
    await dropped;
    await dropPartitions(on, later, 2, 62);
    const days = await on.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relname ~ '^event_[0-9]+$'",
    );
    expect(days).toHaveLength(9);
  });

  it('that is a standby is answered with 503; of several in one URL the one that is none is taken', async () => {
    const own = await startPostgres();
    onTestFinished(() => own.stop());
    const url = await own.database();
    const fleet = await fleetOn(
      { url: url.replace(/@[^/]+/, (host) => `@127.0.0.1:1,${host.slice(1)}`) },
      { report: () => {} },
    );
    expect((await fleet.beat(heartbeat({ seq: 1 }))).status).toBe(204);
    await own.demote();
    await until(async () => (await fleet.beat(heartbeat({ seq: 2 }))).body.error === 'busy');
    expect((await fleet.call('PUT', '/api/settings', { keepDays: 3 })).status).toBe(503);
    expect((await fleet.call('GET', '/api/nodes')).status).toBe(503);
    const client = new pg.Client(url);
    await client.connect();
    await client.query('SELECT pg_promote()');
    await client.end();
    await until(async () => (await fleet.beat(heartbeat({ seq: 2 }))).status === 204);
  });

  it('has a fleet that sends nothing to itself, nor to what can be no receiver', async () => {
    const fleet = await fleetOn({ url: await server.database() });
    const { port } = new URL(fleet.url);
    const addresses = [
      `127.0.0.1:${port}`,
      `0x7f.1:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      '169.254.169.254',
      '0.0.0.0:9',
      '224.0.0.1',
      '[::]',
    ];
    for (const url of [...addresses.map((each) => `http://${each}/`), 'http://user:secret@example.org/'])
      for (const put of [{ compose: { url } }, { alerts: { webhook: { url } } }])
        expect([put, (await fleet.call('PUT', '/api/settings', put)).status]).toEqual([put, 422]);
    for (const origin of ['http://x?y=', 'https://user:secret@cdn.example', 'https://cdn.example/a#b'])
      expect([origin, (await fleet.call('PUT', '/api/settings', { firmware: { origin } })).status]).toEqual([
        origin,
        422,
      ]);
    for (const put of [{ rules: { offline: { afterSeconds: 0 } } }, { keepDays: 60, keep: { hoursDays: 59 } }])
      expect([put, (await fleet.call('PUT', '/api/settings', put)).status]).toEqual([put, 422]);
    // Where a name leads to is known when something is sent.
    const url = `http://localhost:${port}`;
    await fleet.call('PUT', '/api/settings', { compose: { url, model: 'm' } });
    const { status, body } = await fleet.call('POST', '/compose', { prompt: 'a receipt' });
    expect([status, body.detail]).toEqual([502, expect.stringMatching(/refused/)]);
    const mail = { server: `smtp://localhost:${port}`, from: 'a@example.org', to: ['b@example.org'] };
    const put = { alerts: { webhook: { url: `${url}/events`, secret: '' }, mail } };
    expect((await fleet.call('PUT', '/api/settings', put)).status).toBe(200);
    await fleet.beat(heartbeat({ custodyHold: true }));
    const on = await tables(fleet.where);
    const faults = () => on.query<{ fault: string }>('SELECT fault FROM delivery WHERE fault IS NOT NULL');
    await until(async () => (await faults()).length === 2);
    for (const { fault } of await faults()) expect(fault).toMatch(/refused|nothing is sent/);
  });

  it('keeps for a year no more of one node than it may have; what is over is told in one', async () => {
    const where = { url: await server.database() };
    const fleet = await fleetOn(where);
    const paper = (seq: number) => printer({ paperOut: seq % 2 === 1, more: 'x'.repeat(5000) });
    for (let first = 1; first < 320; first += 20) {
      const beats = Array.from({ length: 20 }, (_, at) =>
        heartbeat({ seq: first + at, printers: [paper(first + at)] }),
      );
      for (const { status } of await Promise.all(beats.map((each) => fleet.beat(each)))) expect(status).toBe(204);
    }
    const event = (seq: number) =>
      fleet.webhook({ node: '0a1b2c3d', seq, uptimeMs: 60_000 + seq, event: { type: 'scan_read' } });
    for (let first = 1; first < 2100; first += 25)
      await Promise.all(Array.from({ length: 25 }, (_, at) => event(first + at)));
    const on = await tables(where);
    await until(async () => (await on.query("SELECT FROM oddity WHERE kind = 'flood'")).length > 0);
    const rows = async (table: string) =>
      (await on.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n;
    // They grow by some in an hour.
    expect(await rows('transition')).toBeLessThan(220);
    expect(await rows('event')).toBeLessThan(2050);
    await on.query("UPDATE node SET budget = json_build_object('at', 0, 'rows', 0, 'events', 0, 'folded', 7)");
    await fleet.beat(heartbeat({ bootId: 'b0000002', firmwareVersion: '0.2.0' }));
    const { transitions } = (await fleet.call('GET', '/api/nodes/0a1b2c3d')).body;
    expect(transitions.filter(({ kind }: { kind: string }) => kind === 'folded')).toMatchObject([
      { detail: { count: 7 } },
    ]);
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
    const rows = (node: string) => async () =>
      (await on.query<{ rows: number }>('SELECT count(*)::int AS rows FROM oddity WHERE node = $1', [node]))[0]?.rows;
    await until(rows(''), (seen) => seen === 1000);
    // A batch writes what came in its time as of one time: here of strangers, and of a node that is looked at.
    const many = (node: string) => `INSERT INTO oddity
      SELECT 'bad_body', '${node}', '203.0.113.' || i, 1, now(), now(), '' FROM generate_series(1, 1200) AS i`;
    await fleet.beat(heartbeat());
    await on.query(many(''));
    await on.query(many('0a1b2c3d'));
    await until(rows(''), (seen) => seen === 1000);
    await fleet.beat(heartbeat({ seq: 2 }));
    await until(rows('0a1b2c3d'), (seen) => seen === 16);
  });
});
