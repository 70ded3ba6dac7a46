/** How running rollouts go on: what became of their nodes, the next group, the halt. */
import { beginAlert } from '../alerts/alerts.ts';
import type { Queries } from '../database/database.ts';
import type { Settings } from '../settings/contract.ts';
import type { Plan } from './contract.ts';

/** A rollout, as far as it says what became of its nodes. */
export interface Running {
  readonly id: number;
  readonly version: string;
  readonly plan: Plan;
}
interface Open extends Running {
  readonly groups: number;
  readonly open_group: number;
}

// Somebody updated it by hand: it has the version as well.
const HAVE = `UPDATE rollout_node SET state = 'taken', taken_at = coalesce(taken_at, now()) FROM node
  WHERE rollout = $1 AND node.id = node AND state IN ('waiting', 'offered') AND node.version = $2`;
// It crashed with this version, or was rolled back from it by its launcher, or was not heard again, or did not install it.
const FAIL = `UPDATE rollout_node SET state = 'failed', ended_at = now(), reason = CASE
    WHEN node.crash_at >= coalesce(taken_at, offered_at) THEN node.crash ->> 'reason'
    WHEN node.last_seen < taken_at THEN 'not heard since' ELSE 'took the image and does not run it' END
  FROM node WHERE rollout = $1 AND node.id = node AND (
    state IN ('offered', 'taken', 'healthy') AND node.crash_at >= coalesce(taken_at, offered_at)
      AND (node.crash_version = $2 OR node.crash ->> 'reason' = 'rollback')
    OR state = 'taken' AND (node.last_seen < taken_at OR node.version <> $2)
      AND taken_at < now() - $3::float8 * interval '1 second')`;
const HEAL = `UPDATE rollout_node SET state = 'healthy', ended_at = now() FROM node
  WHERE rollout = $1 AND node.id = node AND state = 'taken' AND node.version = $2 AND node.uptime_seconds >= $3
    AND node.last_seen > taken_at`;
// Who cannot be reached, or takes nothing by itself, does not hold up the others.
const COUNT = `SELECT in_group, count(*)::int AS size,
    count(*) FILTER (WHERE state IN ('taken', 'healthy')
      OR state IN ('waiting', 'offered') AND NOT 'offline' = ANY (states)
        AND coalesce(update_policy, 'auto') = 'auto')::int AS reachable,
    count(*) FILTER (WHERE state = 'healthy')::int AS healthy,
    count(*) FILTER (WHERE state = 'failed')::int AS failed,
    count(*) FILTER (WHERE state = 'excused')::int AS excused
  FROM rollout_node JOIN node ON node.id = node WHERE rollout = $1 AND in_group <= $2 GROUP BY in_group`;

interface Counted {
  readonly in_group: number;
  readonly size: number;
  readonly reachable: number;
  readonly healthy: number;
  readonly failed: number;
  readonly excused: number;
}

/** Brings the running rollouts up to date. */
export async function turnRollouts(on: Queries, settings: Settings): Promise<void> {
  const running = await on.query<Open>(
    "SELECT id, version, plan, groups, open_group FROM rollout WHERE state = 'running' ORDER BY id FOR UPDATE",
  );
  for (const rollout of running) await turn(on, settings, rollout);
}

/** Writes down which nodes have the version, failed with it, or are healthy with it. */
export async function settleNodes(on: Queries, { id, version, plan }: Running): Promise<void> {
  await on.query(HAVE, [id, version]);
  await on.query(FAIL, [id, version, plan.lostAfterSeconds]);
  await on.query(HEAL, [id, version, plan.healthyAfterSeconds]);
}

async function turn(on: Queries, settings: Settings, rollout: Open): Promise<void> {
  const { id, plan, groups, open_group } = rollout;
  await settleNodes(on, rollout);
  const counted = await on.query<Counted>(COUNT, [id, open_group]);
  const tooMany = counted.find(({ size, failed }) => failed > 0 && failed * 100 >= plan.errorPercent * size);
  if (tooMany !== undefined) {
    const { failed, size, in_group } = tooMany;
    const reason = `${failed} of the ${size} nodes of group ${in_group + 1} failed`;
    await on.query("UPDATE rollout SET state = 'halted', reason = $2, ended_at = now() WHERE id = $1", [id, reason]);
    await beginAlert(on, settings, 'rollout_halted', `rollout ${id}`);
    return;
  }
  const group = counted.find(({ in_group }) => in_group === open_group);
  if (group !== undefined && !isHealthy(group, plan)) return;
  if (open_group + 1 < groups) await on.query('UPDATE rollout SET open_group = open_group + 1 WHERE id = $1', [id]);
  else await on.query("UPDATE rollout SET state = 'done', ended_at = now() WHERE id = $1", [id]);
}

/** At least one node must have come back, or have been looked at by who resumed the rollout: no news is not good news. */
const isHealthy = ({ reachable, healthy, excused }: Counted, { healthyPercent }: Plan): boolean =>
  healthy + excused > 0 && healthy * 100 >= healthyPercent * reachable;
