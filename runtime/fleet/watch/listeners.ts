/** The processes that nodes are heard by: a node is offline only where one of them was there all along, and none refused or hung. */
import { beginAlert, endAlert } from '../alerts/alerts.ts';
import type { Queries } from '../database/database.ts';
import { SILENT_SECONDS } from '../ingest/heard.ts';
import type { ProcessTrouble } from '../ingest/trouble.ts';
import type { Settings } from '../settings/contract.ts';

/** A process that says nothing for so long is forgotten: nodes are taken to have found others. */
const GONE_SECONDS = 300;
/** Trouble that lasts for so long is told, and is over after so long without. */
const TOLD_SECONDS = 10;
const OVER_SECONDS = 60;
/** Starts of one process, within so many seconds and without an end in order, that are told: what it held is lost each time. */
const STARTS = 3;
const STARTS_SECONDS = 600;
const SILENT = `listener.at < now() - interval '${SILENT_SECONDS} seconds'`;
const RESTARTS = `coalesce(listener.starts[${STARTS}] > now() - interval '${STARTS_SECONDS} seconds', false)`;
/** The alert of all of it. */
const RULE = 'ingest_refused';
const SUBJECT = 'fleet';
/** The alert of trouble that is none of that, but comes again before the time of the rule of `offline` is over. */
const UNJUDGED = 'offline_not_judged';
/** How much longer than that time nobody could begin to be offline, when it is told: one trouble alone takes the time itself. */
const UNJUDGED_SECONDS = 600;

/** What was said in the future was said before a clock was set back: when that was, nobody knows, but it is over. */
const SET_BACK = `UPDATE listener SET at = least(at, now()), started_at = least(started_at, now()),
    troubled_since = least(troubled_since, now()), troubled_at = least(troubled_at, now()), starts = NULL
  WHERE greatest(at, started_at, troubled_since, troubled_at, starts[1]) > now() + interval '5 seconds'`;

/** Says of a process that it is there, and when it was in trouble. `name`: where it listens. */
export async function tellListener(
  on: Queries,
  name: string,
  trouble: ReturnType<ProcessTrouble['ago']>,
): Promise<void> {
  await on.query(
    `INSERT INTO listener AS row (name, at, troubled_since, troubled_at)
       VALUES ($1, now(), now() - $2::float8 * interval '1 ms', now() - $3::float8 * interval '1 ms')
     ON CONFLICT (name) DO UPDATE SET at = excluded.at,
       troubled_since = coalesce(excluded.troubled_since, row.troubled_since),
       troubled_at = coalesce(excluded.troubled_at, row.troubled_at)`,
    [name, trouble?.since ?? null, trouble?.last ?? null],
  );
}

/**
 * A process that starts. What the one before it refused stays refused; where that was missed for long, it may have hung, and held what
 * was sent to it, unless starts are what it does.
 */
export async function beginListener(on: Queries, name: string): Promise<void> {
  await on.query(
    `INSERT INTO listener (name, starts) VALUES ($1, ARRAY[now()])
     ON CONFLICT (name) DO UPDATE SET at = now(), started_at = now(),
       troubled_at = CASE WHEN ${SILENT} AND NOT ${RESTARTS} THEN now() ELSE listener.troubled_at END,
       starts = (now() || listener.starts)[:${STARTS}]`,
    [name],
  );
}

/** A process that ends in order. */
export async function endListener(on: Queries, name: string): Promise<void> {
  await on.query('DELETE FROM listener WHERE name = $1', [name]);
}

/** Forgets those that are gone, and begins and ends the alert. */
export async function turnListeners(on: Queries, settings: Settings): Promise<void> {
  await on.query(SET_BACK);
  await on.query(`DELETE FROM listener WHERE at < now() - interval '${GONE_SECONDS} seconds'`);
  const [found] = await on.query<{ now: boolean; over: boolean }>(
    `SELECT coalesce(bool_or(${SILENT} OR ${RESTARTS} OR troubled_at > now() - interval '${TOLD_SECONDS} seconds'
         AND troubled_at - troubled_since >= interval '${TOLD_SECONDS} seconds'), false) AS now,
       coalesce(bool_and(NOT (${SILENT}) AND NOT ${RESTARTS} AND coalesce(troubled_at < now() - interval '${OVER_SECONDS} seconds', true)), true) AS over
     FROM listener`,
  );
  if (found?.now === true) await beginAlert(on, settings, RULE, SUBJECT);
  else if (found?.over !== false) await endAlert(on, settings, RULE, SUBJECT);
}

/**
 * Begins and ends the alert that nobody could begin to be offline for long, though no trouble was long enough to be told. `since`: since when
 * everything was taken in, in time. Trouble that is told says it already: nothing is counted while it is, nor is it told again as it ends.
 */
export async function turnJudgement(on: Queries, settings: Settings, since: Date): Promise<void> {
  const { afterSeconds, alert } = settings.rules.offline;
  // What was said in the future was said before a clock was set back.
  const [found] = await on.query<{ judged: boolean; long: boolean }>(
    `UPDATE duty SET unjudged_since = CASE
         WHEN $1::timestamptz < now() - $2::float8 * interval '1 second' THEN NULL
         WHEN EXISTS (SELECT FROM alert WHERE ended IS NULL AND rule = $3 AND subject = $4) THEN now()
         ELSE least(now(), unjudged_since) END
       WHERE name = 'watch'
     RETURNING unjudged_since IS NULL AS judged, unjudged_since < now() - ($2::float8 + ${UNJUDGED_SECONDS}) * interval '1 second' AS long`,
    [since.toISOString(), afterSeconds, RULE, SUBJECT],
  );
  if (!alert || found?.judged === true) await endAlert(on, settings, UNJUDGED, SUBJECT);
  else if (found?.long === true) await beginAlert(on, settings, UNJUDGED, SUBJECT);
}
