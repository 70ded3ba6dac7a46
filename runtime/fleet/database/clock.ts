/** The clock that decides: that of the database, which all processes of a fleet share. */
import type { Queries } from './database.ts';

/** What it shows now, in milliseconds since 1970. */
export async function clockOf(on: Queries): Promise<number> {
  const [{ clock } = { clock: Number.NaN }] = await on.query<{ clock: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock',
  );
  return clock;
}
