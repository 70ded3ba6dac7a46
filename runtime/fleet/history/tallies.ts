/** The fleet by hours: what it took in, what it refused, which alerts began. */
import type { Queries } from '../database/database.ts';
import type { Oddity } from '../ingest/oddities.ts';
import type { History } from './contract.ts';

/** What is counted: messages that were stored and refused, and alerts that began by their rule. */
export type What = 'stored' | 'refused' | `alert ${string}`;

/** Adds to the counts of this hour. */
export async function addTallies(on: Queries, counts: Readonly<Partial<Record<What, number>>>): Promise<void> {
  if (Object.keys(counts).length === 0) return;
  await on.query(
    `INSERT INTO tally AS row (at, what, count)
       SELECT date_trunc('hour', now(), 'UTC'), key, value::bigint FROM json_each_text($1::json) ORDER BY key
     ON CONFLICT (at, what) DO UPDATE SET count = row.count + excluded.count`,
    [JSON.stringify(counts)],
  );
}

/** What is counted for the whole fleet, for good: heartbeats, and what is wrong with requests by its kind. */
export type Counter = 'heartbeats' | `oddity ${Oddity['kind']}`;

/** Adds to a count. */
export async function addCounter(on: Queries, name: Counter, count: number): Promise<void> {
  if (count > 0)
    await on.query(
      `INSERT INTO counter AS row (name, count) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET count = row.count + excluded.count`,
      [name, count],
    );
}

/** All that was counted so far. */
export async function readCounters(on: Queries): Promise<ReadonlyMap<Counter, number>> {
  const rows = await on.query<{ name: Counter; count: number }>('SELECT name, count FROM counter');
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** Deletes the hours that are older than so many days. */
export async function forgetTallies(on: Queries, days: number): Promise<void> {
  await on.query("DELETE FROM tally WHERE at < now() - $1::int * interval '1 day'", [days]);
}

/**
 * The last hours, the oldest first, with the one that goes on. An hour in which no process said what it took in is left out:
 * nothing is known of it.
 */
export async function readHistory(on: Queries, hours: number): Promise<History> {
  const rows = await on.query<{ at: Date; counts: Readonly<Record<string, number>> }>(
    `SELECT at, json_object_agg(what, count) AS counts FROM tally
     WHERE at > now() - $1::int * interval '1 hour' GROUP BY at HAVING bool_or(what = 'stored') ORDER BY at`,
    [hours],
  );
  return {
    hours: rows.map(({ at, counts: { stored = 0, refused = 0, ...alerts } }) => ({
      at: at.toISOString(),
      ...{ stored, refused },
      alerts: Object.fromEntries(
        Object.entries(alerts).map(([what, count]) => [what.replace('alert ', ''), count] as const),
      ),
    })),
  };
}
