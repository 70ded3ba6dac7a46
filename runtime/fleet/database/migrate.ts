/** Brings the tables of a database up to date, one migration after the other, each in one transaction. */
import type { Database, Queries } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

/** Key of the advisory lock under which one process migrates while the others wait: the ASCII codes of "till". */
const LOCK = 0x74696c6c;

/** Rejects if the database has migrations that this version does not know: an older program must not write to it. */
export async function migrate(database: Database): Promise<void> {
  if (await isMigrated(database)) return;
  for (const migration of MIGRATIONS) {
    for (let last: string | null = ''; last !== null; ) {
      const from: string = last;
      last = await database.transaction((on) => step(on, migration, from));
    }
  }
}

/** Some of its batches, or its statements behind the last one. Resolves with where the next one begins; null where all is done. */
async function step(
  on: Queries,
  { name, statements, batches }: (typeof MIGRATIONS)[number],
  from: string,
): Promise<string | null> {
  await on.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  await on.query('CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())');
  const done = (await on.query<{ name: string }>('SELECT name FROM migration')).map((each) => each.name);
  const strange = done.find((each) => MIGRATIONS.every((known) => known.name !== each));
  if (strange !== undefined)
    throw new Error(`the database is of a later version of the fleet: it has the migration ${strange}`);
  if (done.includes(name)) return null;
  if (batches !== undefined) {
    await on.query(batches.lock);
    const [some] = await on.query<{ last: string | null }>(batches.next, [from]);
    if (some?.last != null) return some.last;
  }
  for (const statement of statements) await on.query(statement);
  await on.query('INSERT INTO migration (name) VALUES ($1)', [name]);
  return null;
}

/** Whether there is nothing to do: a database that is up to date opens on a full disk, too. */
async function isMigrated(on: Queries): Promise<boolean> {
  const [found] = await on.query<{ name: string | null }>("SELECT to_regclass('migration')::text AS name");
  if (found?.name == null) return false;
  const done = await on.query<{ name: string }>('SELECT name FROM migration ORDER BY name');
  const wanted = MIGRATIONS.map(({ name }) => name).sort();
  return done.length === wanted.length && done.every(({ name }, at) => name === wanted[at]);
}
