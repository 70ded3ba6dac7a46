/** A partition a day of what came in: made ahead, dropped after the days that are kept. */
import { eachTried } from '../../base/each-tried.ts';
import type { Queries, Transactions } from './database.ts';

/** The tables that have partitions, by the column `at`. */
const TABLES = ['event', 'hour'] as const;
/** Days that are made ahead: for so long the fleet may be left alone. */
const AHEAD = 7;
const DAY_MS = 86_400_000;
/** Key of the advisory lock under which one process makes them. */
const LOCK = 0x74696c6d;
/** Time limit for a lock on a table: others wait behind who waits for one, so a backup that holds it is let go first. */
const LOCK_MS = 2000;
const TRIES = 5;

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const nameOf = (table: string, day: string) => `${table}_${day.replaceAll('-', '')}`;

interface Partition {
  readonly name: string;
  /** Whether its removal was begun. */
  readonly pending: boolean;
}
const partitionsOf = (on: Queries, table: string): Promise<Partition[]> =>
  on.query<Partition>(
    `SELECT child.relname AS name, inhdetachpending AS pending FROM pg_inherits
       JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
     WHERE parent.relname = $1 ORDER BY inhdetachpending DESC, 1`,
    [table],
  );

/**
 * Makes the partitions of the day `now`, by the clock of the database, and of the next days (UTC) where they are lacking. A table is made and then attached: that
 * waits for no reader and lets nobody wait, where `PARTITION OF` locks the whole table behind whoever reads it.
 */
export async function makePartitions(database: Queries & Transactions, now: number): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      for (const table of TABLES) await makeDays(database, table, now);
      return;
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
}

async function makeDays(database: Queries & Transactions, table: string, now: number): Promise<void> {
  // From yesterday on: a clock may be put right by a little.
  const days = Array.from({ length: AHEAD + 2 }, (_, at) => now + (at - 1) * DAY_MS);
  const lacking = async (on: Queries) => {
    const there = new Set((await partitionsOf(on, table)).map(({ name }) => name));
    return days.filter((day) => !there.has(nameOf(table, dayOf(day))));
  };
  if ((await lacking(database)).length === 0) return;
  await database.transaction(async (on) => {
    await on.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await on.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    for (const day of await lacking(on)) {
      const [from, to] = [dayOf(day), dayOf(day + DAY_MS)];
      const name = nameOf(table, from);
      await on.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`);
      await on.query(
        `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from} 00:00:00+00') TO ('${to} 00:00:00+00')`,
      );
    }
  });
}

/**
 * Drops those older than so many whole days; `hoursDays`: sums of hours, at least as long as the rest. Each is tried for itself; rejects where
 * somebody still reads one, with an error that names each such day: it goes the next time.
 */
export async function dropPartitions(
  database: Queries & Transactions,
  now: number,
  keepDays: number,
  hoursDays: number,
): Promise<void> {
  const oldestOf = (table: string) =>
    nameOf(table, dayOf(now - (table === 'hour' ? Math.max(keepDays, hoursDays) : keepDays) * DAY_MS));
  await eachTried(
    TABLES.flatMap((table) => [
      () => detachOlder(database, table, oldestOf(table)),
      () => dropDetached(database, table, oldestOf(table)),
    ]),
  );
}

async function detachOlder(database: Queries & Transactions, table: string, oldest: string): Promise<void> {
  const old = (await partitionsOf(database, table)).filter(({ name }) => name < oldest);
  await eachTried(
    old.map(
      ({ name }) =>
        () =>
          detach(database, table, name),
    ),
  );
}

/**
 * A table has one removal under way (PostgreSQL, ALTER TABLE, DETACH PARTITION): one that was begun is ended first, and none is begun of
 * a day that somebody reads, which would keep all others from theirs. Looking whether somebody does waits for nobody, and makes nobody wait.
 */
async function detach(database: Queries & Transactions, table: string, name: string): Promise<void> {
  const alter = async (day: string, how: string) => {
    await database.transaction((on) => on.query(`LOCK TABLE ${day} IN ACCESS EXCLUSIVE MODE NOWAIT`));
    await database.query(`ALTER TABLE ${table} DETACH PARTITION ${day} ${how}`);
  };
  const begun = (await partitionsOf(database, table)).find(({ pending }) => pending)?.name;
  if (begun !== undefined) await alter(begun, 'FINALIZE');
  if (begun !== name) await alter(name, 'CONCURRENTLY');
}

/** Also those that were detached before, and could not be dropped then. */
async function dropDetached(database: Queries & Transactions, table: string, oldest: string): Promise<void> {
  const tables = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ ('^' || $1 || '_[0-9]{8}$') AND relname < $2
       AND NOT relispartition ORDER BY 1`,
    [table, oldest],
  );
  await eachTried(
    tables.map(
      ({ name }) =>
        () =>
          database.transaction(async (on) => {
            await on.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
            await on.query(`DROP TABLE ${name}`);
          }),
    ),
  );
}
