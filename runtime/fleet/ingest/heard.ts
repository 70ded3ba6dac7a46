/** The one judgement about silence: whether the fleet itself was there to hear, as all its processes and the watch say. */
import type { Queries } from '../database/database.ts';

/** A process that says nothing for so long hangs or was killed. */
export const SILENT_SECONDS = 30;
/** Longer without a look of the watch, and the fleet itself was away. */
export const AWAY_SECONDS = 30;

/**
 * From when on the watch looked without a gap, in SQL on its row of `duty`. Work that was done in the future was done before a clock
 * was set back; not so what was done since this transaction began, which may have waited for it.
 */
export const WATCHED_SINCE = `CASE WHEN done_at < now() - interval '${AWAY_SECONDS} seconds' OR greatest(done_at, since) > clock_timestamp()
  THEN now() ELSE since END`;

/** Since when everything that nodes said was taken in, in time: who was not heard before may have spoken. */
export async function heardSince(on: Queries): Promise<Date> {
  const [{ since } = { since: new Date(Number.NaN) }] = await on.query<{ since: Date }>(
    `SELECT least(now(), greatest((SELECT ${WATCHED_SINCE} FROM duty WHERE name = 'watch'), max(troubled_at), max(started_at),
       max(CASE WHEN at < now() - interval '${SILENT_SECONDS} seconds' THEN now() END))) AS since FROM listener`,
  );
  return since;
}
