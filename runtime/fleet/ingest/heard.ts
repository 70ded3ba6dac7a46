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

/**
 * Since when everything that nodes said was taken in, in time: who was not heard before may have spoken. A process that refuses, or hangs,
 * is still sent to, and counts whatever the others do. One that is gone is not: whoever finds nobody there goes to another, so
 * that the one counts that has been there for longest.
 */
export async function heardSince(on: Queries): Promise<Date> {
  const silent = `at < now() - interval '${SILENT_SECONDS} seconds'`;
  const [{ since } = { since: new Date(Number.NaN) }] = await on.query<{ since: Date }>(
    `SELECT least(now(), greatest((SELECT ${WATCHED_SINCE} FROM duty WHERE name = 'watch'), max(troubled_at), min(started_at),
       max(CASE WHEN ${silent} THEN now() END))) AS since FROM listener`,
  );
  return since;
}

/**
 * How long a node may be silent before it is offline, as an interval: by the rule, and twice its own pace where that is longer, so that
 * one which comes seldom may lose a heartbeat, too. `ruleSeconds`: what stands for the rule in the statement.
 */
export const silenceOf = (ruleSeconds: string): string =>
  `greatest(${ruleSeconds}::float8, 2.0 * coalesce(node.pace_seconds, 0)) * interval '1 second'`;
