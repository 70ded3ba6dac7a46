/** How running rollouts go on: what became of their nodes, the next group, the halt, and that nothing happens. */
import { beginAlert, endAlert } from '../alerts/alerts.ts';
import type { Queries } from '../database/database.ts';
import { heardSince } from '../ingest/heard.ts';
import { DELETED, OUT } from '../nodes/gone.ts';
import type { Settings } from '../settings/contract.ts';
import type { Cause, Plan } from './contract.ts';
import { planned } from './plan.ts';
import { causeInEnglish } from './reasons.ts';

/** A rollout, as far as it says what became of its nodes. */
export interface Running {
  readonly id: number;
  readonly version: string;
  readonly plan: Plan;
}
interface Open extends Running {
  readonly groups: number;
  readonly open_group: number;
  /** What it is stuck with. */
  readonly reason: string | null;
  readonly moved_at: Date;
  readonly now: Date;
}
/** Nodes ask so often: a rollout is stuck at the earliest when all had the time to. */
const ASK_SECONDS = 6 * 3600;
/** Nodes of one kind that are named where a rollout is stuck. */
const NAMED = 10;

const LOOKED = 'node.id = ANY (ARRAY(SELECT json_array_elements_text($3::json)))';
/** Nodes that are counted in a second, whatever their number: a rollout of ten thousand is counted each look, of a million each minute. */
const COUNTED = 20_000;
// Somebody updated it by hand: it has the version as well.
const HAVE = `UPDATE rollout_node SET state = 'taken', taken_at = coalesce(taken_at, now()) FROM node
  WHERE rollout = $1 AND node.id = node AND state IN ('waiting', 'offered') AND node.version = $2 AND ${LOOKED}`;
// It crashed with this version since it was offered, also before it could say that it has it, or was rolled back from it by its launcher, or was not heard again, or did not install it.
const FAIL = `UPDATE rollout_node SET state = 'failed', ended_at = now(), reason = CASE
    WHEN node.crash_at >= coalesce(offered_at, taken_at) THEN node.crash ->> 'reason'
    WHEN node.last_seen < taken_at THEN '${OUT.silent}' ELSE '${OUT.not_run}' END
  FROM node WHERE rollout = $1 AND node.id = node`;
const CRASHED = `${FAIL} AND state IN ('offered', 'taken', 'healthy') AND node.crash_at >= coalesce(offered_at, taken_at)
    AND (node.crash_version = $2 OR node.crash ->> 'reason' = 'rollback')`;
const CRASHED_AT_ALL = `${CRASHED} AND node.crash_at >= (SELECT started_at FROM rollout WHERE id = $1)`;
/** `seconds`, `since`: parameters. Silence in which the fleet itself was not there to hear is not that of the node. */
const lost = (seconds: string, since: string) =>
  `${FAIL} AND state = 'taken' AND (node.last_seen < taken_at OR node.version <> $2)
    AND taken_at < now() - ${seconds}::float8 * interval '1 second'
    AND ${since}::timestamptz < now() - ${seconds}::float8 * interval '1 second'`;
const HEAL = `UPDATE rollout_node SET state = 'healthy', ended_at = now() FROM node
  WHERE rollout = $1 AND node.id = node AND state = 'taken' AND node.version = $2 AND node.uptime_seconds >= $4
    AND node.last_seen > taken_at AND ${LOOKED}`;
// Who cannot be reached, or takes nothing by itself, does not hold up the others. Who was deleted is still of its group; who asks and
// was never heard is of none yet.
const COUNT = `SELECT in_group, count(*)::int AS size,
    count(*) FILTER (WHERE state IN ('taken', 'healthy')
      OR state IN ('waiting', 'offered') AND NOT 'offline' = ANY (states)
        AND coalesce(update_policy, 'auto') = 'auto')::int AS reachable,
    count(*) FILTER (WHERE state = 'healthy')::int AS healthy,
    count(*) FILTER (WHERE state = 'failed')::int AS failed,
    count(*) FILTER (WHERE state IN ('waiting', 'offered', 'taken'))::int AS able,
    count(*) FILTER (WHERE state IN ('excused', 'skipped') AND rollout_node.reason IS DISTINCT FROM '${DELETED}')::int AS looked_at,
    max(greatest(offered_at, taken_at, ended_at)) AS moved_at
  FROM rollout_node LEFT JOIN node ON node.id = node
  WHERE rollout = $1 AND in_group <= $2 AND (node.id IS NOT NULL OR state NOT IN ('waiting', 'offered')) GROUP BY in_group`;

interface Counted {
  readonly in_group: number;
  readonly size: number;
  readonly reachable: number;
  readonly healthy: number;
  readonly failed: number;
  /** Nodes that may still run the version. */
  readonly able: number;
  /** By somebody: excused or taken out. */
  readonly looked_at: number;
  /** When one of them last came further. */
  readonly moved_at: Date | null;
}

const GROUPS = `SELECT json_agg(json_build_object('in_group', in_group, 'state', state, 'nodes', nodes, 'silent', silent)) FROM (
    SELECT in_group, state, count(*)::int AS nodes, count(*) FILTER (WHERE state = 'waiting' AND asked_at IS NULL)::int AS silent
    FROM rollout_node WHERE rollout = $1 GROUP BY in_group, state) AS each`;

/** Writes down what its groups come to where it is over: nothing more becomes of its nodes. */
export const noteCounts = (on: Queries, id: number) =>
  on.query(`UPDATE rollout SET counts = CASE WHEN state <> 'running' THEN (${GROUPS}) END WHERE id = $1`, [id]);

/** Brings the running rollouts further, by what became of their nodes. `since`: of `heardSince`. */
export async function turnRollouts(on: Queries, settings: Settings, since: Date): Promise<void> {
  const running = await on.query<Open>(
    `SELECT id, version, plan, groups, open_group, reason, moved_at, now() AS now FROM rollout WHERE state = 'running'
       AND count_at <= now() ORDER BY id FOR UPDATE`,
  );
  for (const rollout of running) await turn(on, settings, planned(rollout), since);
  for (const { id } of await on.query<{ id: number }>(UNTOLD))
    await beginAlert(on, settings, 'rollout_halted', `rollout ${id}`);
}

/** Rollouts that halted and have no alert of it: they did just now, or the alert had to wait. */
const UNTOLD = `SELECT id FROM rollout WHERE state = 'halted'
  AND (SELECT alert.id FROM alert WHERE ended IS NULL AND subject = 'rollout ' || rollout.id AND rule = 'rollout_halted') IS NULL ORDER BY id`;

/**
 * Writes down which of the nodes that were looked at (JSON of their ids) have the version of a running rollout, failed or are healthy
 * with it. `since`: of `heardSince`.
 */
export async function settleRollouts(on: Queries, looked: string, since: Date): Promise<void> {
  const running = await on.query<Running>("SELECT id, version, plan FROM rollout WHERE state = 'running' ORDER BY id");
  for (const rollout of running.map(planned)) {
    const parameters = [rollout.id, rollout.version, looked];
    await on.query(HAVE, parameters);
    await on.query(`${CRASHED} AND ${LOOKED}`, parameters);
    await on.query(`${lost('$4', '$5')} AND ${LOOKED}`, [
      ...parameters,
      rollout.plan.lostAfterSeconds,
      since.toISOString(),
    ]);
    await on.query(HEAL, [...parameters, rollout.plan.healthyAfterSeconds]);
  }
}

/** Writes down which nodes have failed with the version by now. */
export async function failNodes(on: Queries, { id, version, plan }: Running): Promise<void> {
  await on.query(CRASHED_AT_ALL, [id, version]);
  const since = await heardSince(on);
  await on.query(lost('$3', '$4'), [id, version, plan.lostAfterSeconds, since.toISOString()]);
}

async function turn(on: Queries, settings: Settings, rollout: Open, since: Date): Promise<void> {
  const { id, plan, groups, open_group } = rollout;
  const counted = await on.query<Counted>(COUNT, [id, open_group]);
  const seconds = Math.floor(counted.reduce((sum, { size }) => sum + size, 0) / COUNTED);
  if (seconds > 0)
    await on.query(
      `UPDATE rollout SET count_at = now() + $2::int * interval '1 second', counts = (${GROUPS}) WHERE id = $1`,
      [id, seconds],
    );
  const tooMany = counted.find(({ size, failed }) => failed > 0 && failed * 100 >= plan.errorPercent * size);
  if (tooMany !== undefined) {
    const { failed, size, in_group } = tooMany;
    await on.query("UPDATE rollout SET state = 'halted', ended_at = now() WHERE id = $1", [id]);
    await noteCause(on, id, { group: in_group, failed, size, held: [] });
    await noteCounts(on, id);
    await endAlert(on, settings, 'rollout_stuck', `rollout ${id}`);
    return;
  }
  const group = counted.find(({ in_group }) => in_group === open_group);
  if (!hasRun(counted) || (group !== undefined && !isHealthy(group, plan)))
    return tellStuck(on, settings, rollout, counted, since);
  if (open_group + 1 < groups)
    await on.query('UPDATE rollout SET open_group = open_group + 1, moved_at = now(), reason = NULL WHERE id = $1', [
      id,
    ]);
  else {
    await on.query("UPDATE rollout SET state = 'done', ended_at = now(), reason = NULL WHERE id = $1", [id]);
    await noteCounts(on, id);
  }
  await endAlert(on, settings, 'rollout_stuck', `rollout ${id}`);
}

/** Whatever somebody does with the nodes of a rollout, no group begins after those of which not one has run the version; of those without nodes, all have it. */
const hasRun = (counted: readonly Counted[]): boolean =>
  counted.length === 0 || counted.some(({ healthy }) => healthy > 0);

/** At least one node must have come back, or been looked at by somebody: no news is not good news. */
const isHealthy = ({ reachable, healthy, looked_at }: Counted, { healthyPercent }: Plan): boolean =>
  healthy + looked_at > 0 && healthy * 100 >= healthyPercent * reachable;

/** The alert, and what it is that does not go on; both end where a node came further. */
async function tellStuck(
  on: Queries,
  settings: Settings,
  rollout: Open,
  counted: readonly Counted[],
  since: Date,
): Promise<void> {
  const { id, plan, open_group, reason, now } = rollout;
  const moved = Math.max(...[rollout, ...counted].map(({ moved_at }) => moved_at?.getTime() ?? 0));
  const wereHeard = Math.min(plan.stuckAfterSeconds, ASK_SECONDS) * 1000;
  // Nothing comes of waiting for nobody.
  const isOver = !hasRun(counted) && counted.every(({ able }) => able === 0);
  const isStuck =
    isOver || (now.getTime() - moved >= plan.stuckAfterSeconds * 1000 && now.getTime() - since.getTime() >= wereHeard);
  if (!isStuck && reason === null) return;
  const why = isStuck ? await whyStuck(on, id, open_group, isOver) : null;
  if ((why && causeInEnglish(why)) !== reason) await noteCause(on, id, why);
  const alert = isStuck ? beginAlert : endAlert;
  await alert(on, settings, 'rollout_stuck', `rollout ${id}`);
}

/** The cause in English and as it is; null where it goes on. */
const noteCause = (on: Queries, id: number, cause: Cause | null) =>
  on.query('UPDATE rollout SET reason = $2, cause = $3::json WHERE id = $1', [
    ...[id, cause && causeInEnglish(cause)],
    cause && JSON.stringify(cause),
  ]);

/** Names those that hold it up, the silent ones first; where it `isOver`, those that are out of it. */
async function whyStuck(on: Queries, id: number, group: number, isOver: boolean): Promise<Cause> {
  const held = await on.query<Cause['held'][number]>(
    `SELECT what, count(*)::int AS nodes, (array_agg(node ORDER BY node))[1:${NAMED}] AS some FROM (
       SELECT node, CASE WHEN state = 'skipped' AND reason = '${DELETED}' THEN 'deleted' WHEN state = 'skipped' THEN state
         WHEN state IN ('failed', 'excused') THEN 'failed' WHEN state IN ('taken', 'offered') THEN state
         WHEN asked_at IS NULL THEN 'never_asked' ELSE 'outside' END AS what
       FROM rollout_node WHERE rollout = $1 AND in_group = $2
         AND ($3::boolean OR state IN ('waiting', 'offered', 'taken') OR state = 'skipped' AND reason = '${DELETED}')) AS each
     GROUP BY what ORDER BY what = 'never_asked' DESC, what`,
    [id, group, isOver],
  );
  return { group, failed: 0, size: 0, held };
}
