/** A partition a day of what came in: made ahead, dropped after the days that are kept. */
import type { Queries } from './database.ts';

/** The tables that have partitions, by the column `at`. */
const TABLES = ['beat', 'event'] as const;
/** Days that are made ahead: so long may nobody look after it. */
const AHEAD = 3;
const DAY_MS = 86_400_000;

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const nameOf = (table: string, day: string) => `${table}_${day.replaceAll('-', '')}`;

/** Makes the partitions of today and the next days (UTC), and drops those older than `keepDays` whole days. */
export async function turnPartitions(on: Queries, now: number, keepDays: number): Promise<void> {
  for (const table of TABLES) {
    // From yesterday on: the clock of the database may be a little behind.
    for (let day = -1; day <= AHEAD; day += 1) {
      const from = dayOf(now + day * DAY_MS);
      const to = dayOf(now + (day + 1) * DAY_MS);
      await on.query(
        `CREATE TABLE IF NOT EXISTS ${nameOf(table, from)} PARTITION OF ${table}
         FOR VALUES FROM ('${from} 00:00:00+00') TO ('${to} 00:00:00+00')`,
      );
    }
    const oldest = nameOf(table, dayOf(now - keepDays * DAY_MS));
    const old = await on.query<{ name: string }>(
      `SELECT child.relname AS name FROM pg_inherits
         JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
       WHERE parent.relname = $1 AND child.relname < $2`,
      [table, oldest],
    );
    for (const { name } of old) await on.query(`DROP TABLE ${name}`);
  }
}
