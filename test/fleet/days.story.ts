/**
 * What a node leaves on the disk in a day, over thirty days: beside the figure of `deploy/README.md`. The days are those of the database, whose
 * clock is put forward. `DAYS_NODES`: how many nodes; of few, a day does not fill its pages.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { clockOf } from '../../runtime/fleet/database/clock.ts';
import type { Queries } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { makePartitions } from '../../runtime/fleet/database/partitions.ts';
import { type Message, store } from '../../runtime/fleet/ingest/batch.ts';
import { heartbeat, printer } from './fleet.ts';
import { noPostgres, startPostgres } from './postgres.ts';

const NODES = Number(process.env['DAYS_NODES'] ?? 100);
const DAYS = 30;
const HOURS = 24;
/** A node's, a day: as the figure has it. */
const EVENTS = 200;
const TRANSITIONS = 10;
/** What may be between what is told and what is measured. */
const SHARE = 0.2;
const ADDRESS = '192.0.2.7';

/**
 * A clock that somebody puts forward by whole hours: of two functions with the same name, PostgreSQL takes that of the schema which
 * `search_path` has first, and that of its own comes first only where none is named.
 */
const CLOCK = [
  'CREATE TABLE forward (hours int NOT NULL)',
  'INSERT INTO forward VALUES (0)',
  ...['now', 'clock_timestamp'].map(
    (name) => `CREATE FUNCTION ${name}() RETURNS timestamptz LANGUAGE sql STABLE
      AS $$ SELECT pg_catalog.${name}() + (SELECT hours FROM public.forward) * interval '1 hour' $$`,
  ),
];

/** Bytes of all tables, with their indexes. */
async function bytesOf(on: Queries): Promise<number> {
  const [row] = await on.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  return row?.bytes ?? 0;
}

/** What the nodes send in an hour. */
function messagesOf(hour: number): Message[] {
  const uptimeSeconds = 60 + hour * 3600;
  const before = Math.floor((hour * EVENTS) / HOURS);
  const events = Math.floor(((hour + 1) * EVENTS) / HOURS) - before;
  // Each turn is one.
  const paperOut = Math.floor((hour * TRANSITIONS) / HOURS) % 2 === 1;
  return Array.from({ length: NODES }, (_, at) => `node-${String(at).padStart(5, '0')}`).flatMap((node) => [
    {
      kind: 'heartbeat' as const,
      address: ADDRESS,
      message: {
        ...heartbeat({ node, seq: hour + 1, uptimeSeconds, counters: { prints: hour * 4 } }),
        printers: [printer({ paperOut })],
      } as never,
    },
    ...Array.from({ length: events }, (_one, nth) => {
      const seq = before + nth + 1;
      const event =
        nth % 2 === 0
          ? {
              type: 'scan_read',
              endpoint: 'scanner',
              value: `40063813${String(seq).padStart(5, '0')}`,
              symbology: 'ean13',
              verdict: 'accepted',
            }
          : {
              type: 'command_result',
              commandId: `order-${hour}-${seq}`,
              endpoint: 'receipt',
              ok: true,
              outcome: 'accepted',
            };
      const uptimeMs = (uptimeSeconds + nth + 1) * 1000;
      return { kind: 'webhook' as const, address: ADDRESS, message: { node, seq, uptimeMs, event } as never };
    }),
  ]);
}

it.skipIf(noPostgres)(
  'a node leaves as much on the disk in a day as is told, over thirty days',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const url = await server.database();
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    for (const statement of CLOCK) await client.query(statement);
    await client.query(`ALTER DATABASE ${url.split('/').at(-1)} SET search_path = public, pg_catalog`);
    const database = await openDatabase({ url });
    onTestFinished(() => database.close());
    await makePartitions(database, await clockOf(database));
    const empty = await bytesOf(database);
    for (let hour = 0; hour < DAYS * HOURS; hour += 1) {
      await database.query('UPDATE forward SET hours = $1', [hour]);
      if (hour % HOURS === 0) await makePartitions(database, await clockOf(database));
      await store(database, messagesOf(hour), []);
    }
    await client.query('VACUUM');
    const [kept] = await database.query<Record<'events' | 'hours' | 'transitions' | 'odd', number>>(
      `SELECT (SELECT count(*)::int FROM event) AS events, (SELECT count(*)::int FROM hour) AS hours,
         (SELECT count(*)::int FROM transition) AS transitions, (SELECT count(*)::int FROM oddity) AS odd`,
    );
    const days = NODES * DAYS;
    const measured = ((await bytesOf(database)) - empty) / days / 1000;
    const told = Number(/That is (\d+) KB a day/.exec(readFileSync('runtime/fleet/deploy/README.md', 'utf8'))?.[1]);
    process.stdout.write(
      `${NODES} nodes, ${DAYS} days: ${measured.toFixed(1)} KB a node and day, with ${JSON.stringify(kept)}; ${told} KB are told\n`,
    );
    expect(kept).toMatchObject({ events: days * EVENTS, odd: 0 });
    expect(kept?.transitions).toBeGreaterThan(0.9 * days * TRANSITIONS);
    expect(kept?.hours).toBeGreaterThan(0.9 * days * HOURS);
    expect(Math.abs(measured - told)).toBeLessThan(SHARE * told);
  },
  3_600_000,
);
