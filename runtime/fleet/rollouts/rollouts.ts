/** Rollouts: begun, stopped and brought further by operators; in groups, each a part of all nodes of a variant. */
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { DELETED } from '../nodes/gone.ts';
import { spansOf } from '../sites/hours.ts';
import {
  type Cause,
  MEMBER_STATES,
  type Plan,
  type Rollout,
  type RolloutGroup,
  type RolloutSkip,
  type RolloutStart,
} from './contract.ts';
import { checkGroups, placeNodes } from './groups.ts';
import { DEFAULT_PLAN, planned } from './plan.ts';
import { causeInEnglish } from './reasons.ts';
import { failNodes, type Running } from './turn.ts';

/**
 * Begins a rollout to the nodes of its variant that have an older version and take updates by themselves; those that
 * come later belong to the last group. Throws a Refusal.
 */
export async function startRollout(on: Queries, asked: RolloutStart, who: string): Promise<number> {
  const { variant, version, ...rest } = asked;
  const plan: Plan = { ...DEFAULT_PLAN, ...rest };
  checkGroups(plan.groups);
  if (plan.window !== 'closed' && spansOf(plan.window) === undefined)
    throw new Refusal('invalid_request', 'window: "", "closed", or hours as "01:00-05:00" and "Su 08:00-20:00"');
  const [release] = await on.query<{ version_order: string }>(
    'SELECT version_order FROM release WHERE variant = $1 AND version = $2',
    [variant, version],
  );
  if (release === undefined) throw new Refusal('not_found', `no release ${version} of ${variant}`);
  // It would be over at once, and the version of all that come later, without groups.
  const [heard] = await on.query('SELECT id FROM node WHERE variant = $1 LIMIT 1', [variant]);
  if (heard === undefined) throw new Refusal('conflict', `no node of ${variant} has been heard yet`);
  const [begun] = await on.query<{ id: number }>(
    `INSERT INTO rollout (variant, version, plan, state, groups, started_by) VALUES ($1, $2, $3::json, 'running', $4, $5)
     ON CONFLICT DO NOTHING RETURNING id`,
    [variant, version, JSON.stringify(plan), plan.groups.length, who],
  );
  if (begun === undefined) throw new Refusal('conflict', `a rollout to ${variant} is running`);
  const { groups, bySite } = plan;
  await placeNodes(on, { rollout: begun.id, variant, versionOrder: release.version_order, groups, bySite });
  return begun.id;
}

/** Ends a rollout by hand; one that halted is thereby seen. Throws a Refusal. */
export async function stopRollout(on: Queries, id: number, who: string): Promise<void> {
  const stopped = await on.query(
    `UPDATE rollout SET state = 'stopped', ended_at = coalesce(ended_at, now()), ended_by = $2
     WHERE id = $1 AND state IN ('running', 'halted') RETURNING id`,
    [id, who],
  );
  if (stopped.length === 0) throw await whyNot(on, id, 'runs no more');
}

/** Goes on with a rollout that halted or was stopped: the failures so far no longer count. Throws a Refusal. */
export async function resumeRollout(on: Queries, id: number): Promise<void> {
  await mustBeAlone(on, id);
  const [resumed] = await on.query<Running>(
    `UPDATE rollout SET state = 'running', reason = NULL, ended_at = NULL, ended_by = NULL, moved_at = now()
     WHERE id = $1 AND state IN ('halted', 'stopped') RETURNING id, version, plan`,
    [id],
  );
  if (resumed === undefined) throw await whyNot(on, id, 'was not halted');
  // Also what has failed since it halted.
  await failNodes(on, planned(resumed));
  await on.query("UPDATE rollout_node SET state = 'excused' WHERE rollout = $1 AND state = 'failed'", [id]);
  await mustHaveWhoRuns(on, id);
}

/** Throws the Refusal of what would leave a rollout without anybody who has run its version, or may yet. */
async function mustHaveWhoRuns(on: Queries, id: number): Promise<void> {
  const { version, healthy, able, size } = await begunIn(on, id);
  if (healthy + able > 0 || size === 0) return;
  throw new Refusal(
    'conflict',
    `nobody is left in the groups of rollout ${id} that have begun who could run ${version} first: ${INSTEAD}`,
  );
}
const INSTEAD = 'retry a node that failed or was taken out, or stop it and begin another one with other groups';

/** What the groups of a rollout that have begun come to: how many are healthy, and how many may be yet. */
async function begunIn(on: Queries, id: number) {
  const [begun] = await on.query<{ version: string; healthy: number; able: number; size: number }>(
    `SELECT version, count(*) FILTER (WHERE member.state = 'healthy')::int AS healthy, count(member.node)::int AS size,
       count(*) FILTER (WHERE member.state IN ('waiting', 'offered', 'taken'))::int AS able
     FROM rollout LEFT JOIN rollout_node AS member ON member.rollout = id AND in_group <= open_group
     WHERE id = $1 GROUP BY id`,
    [id],
  );
  return begun ?? { version: '', healthy: 0, able: 0, size: 0 };
}

async function mustBeAlone(on: Queries, id: number): Promise<void> {
  const [other] = await on.query<{ id: number }>(
    `SELECT other.id FROM rollout JOIN rollout other USING (variant)
     WHERE rollout.id = $1 AND other.id <> $1 AND other.state = 'running'`,
    [id],
  );
  if (other !== undefined) throw new Refusal('conflict', `rollout ${other.id} of the same variant is running`);
}

/**
 * Takes one node out of a rollout, but not the last that may run the version first; or without one begins the next group of one that
 * runs, once a node is healthy with it, whatever became of the others: with `openGroup` only while that is the open one, so that two who
 * say so at once leave one. Throws a Refusal.
 */
export async function skip(on: Queries, id: number, { node, openGroup }: RolloutSkip): Promise<void> {
  if (node !== undefined) {
    const skipped = await on.query(
      `UPDATE rollout_node SET state = 'skipped', ended_at = now() WHERE rollout = $1 AND node = $2
         AND state IN ('waiting', 'offered', 'failed', 'excused') RETURNING node`,
      [id, node],
    );
    if (skipped.length === 0) throw await whyNot(on, id, `has no node ${node} that waits or failed`);
    await on.query(
      "UPDATE rollout SET moved_at = now(), reason = CASE state WHEN 'running' THEN NULL ELSE reason END WHERE id = $1",
      [id],
    );
    const [open] = await on.query("SELECT id FROM rollout WHERE id = $1 AND state IN ('running', 'halted')", [id]);
    if (open !== undefined) await mustHaveWhoRuns(on, id);
    return;
  }
  const before = await begunIn(on, id);
  const opened = await on.query(
    `UPDATE rollout SET open_group = open_group + 1, reason = NULL, moved_at = now()
     WHERE id = $1 AND state = 'running' AND open_group + 1 < groups AND open_group = coalesce($2, open_group) RETURNING id`,
    [id, openGroup ?? null],
  );
  if (opened.length === 0) throw await whyNot(on, id, 'does not run, or its last group or another one has begun');
  if (before.healthy === 0 && before.size > 0)
    throw new Refusal(
      'conflict',
      `no node of rollout ${id} is healthy with ${before.version} yet, so no next group begins: wait for one, ${INSTEAD}`,
    );
}

const IS_OVER = "state IN ('done', 'stopped')";
/** Whether a node of a rollout was not deleted since. */
const IS_THERE = 'EXISTS (SELECT FROM node WHERE node.id = rollout_node.node)';

/**
 * Offers the image again to the nodes that failed with it, or to one node, also if it was taken out. One that halted goes on; one that
 * somebody stopped stays so, and they wait until it is resumed. Resolves with how many they are. Throws a Refusal.
 */
export async function retry(on: Queries, id: number, node: string | undefined): Promise<number> {
  await mustBeAlone(on, id);
  const [resumed] = await on.query<Running & { readonly state: string }>(
    `UPDATE rollout SET state = CASE WHEN ${IS_OVER} THEN state ELSE 'running' END, reason = NULL, moved_at = now(),
       ended_at = CASE WHEN ${IS_OVER} THEN ended_at END, ended_by = CASE WHEN ${IS_OVER} THEN ended_by END
     WHERE id = $1 RETURNING id, version, plan, state`,
    [id],
  );
  if (resumed === undefined) throw await whyNot(on, id, '');
  if (resumed.state === 'running') await failNodes(on, planned(resumed));
  const again = await on.query(
    `UPDATE rollout_node SET state = CASE WHEN ${IS_THERE} THEN 'waiting' ELSE 'skipped' END, asked_at = NULL,
       offered_at = NULL, taken_at = NULL, ended_at = NULL, reason = CASE WHEN ${IS_THERE} THEN NULL ELSE '${DELETED}' END
     WHERE rollout = $1 AND (node = $2 AND state = 'skipped' OR ($2::text IS NULL OR node = $2) AND state IN ('failed', 'excused'))
     RETURNING node`,
    [id, node ?? null],
  );
  if (again.length === 0) throw await whyNot(on, id, 'has no such node that failed');
  return again.length;
}

async function whyNot(on: Queries, id: number, what: string): Promise<Refusal> {
  const known = await on.query('SELECT id FROM rollout WHERE id = $1', [id]);
  return known.length === 0
    ? new Refusal('not_found', `no rollout ${id}`)
    : new Refusal('conflict', `rollout ${id} ${what}`);
}

interface Row {
  readonly id: number;
  readonly variant: string;
  readonly version: string;
  readonly plan: Plan;
  readonly state: Rollout['state'];
  readonly reason: string | null;
  readonly cause: Cause | null;
  readonly groups: number;
  readonly open_group: number;
  readonly started_at: Date;
  readonly started_by: string;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
  /** What its groups came to when they were counted; null where they are now. */
  readonly counts: readonly Counts[] | null;
}
const COLUMNS = `id, variant, version, plan, state, reason, groups, open_group, started_at, started_by, ended_at, ended_by, counts, cause`;
interface Counts {
  readonly in_group: number;
  readonly state: string;
  readonly nodes: number;
  readonly silent: number;
}

/** The last 100 rollouts, newest first, or one of them. */
export async function listRollouts(on: Queries, id?: number): Promise<Rollout[]> {
  const one = id === undefined ? '' : 'WHERE id = $1';
  const parameters = id === undefined ? [] : [id];
  const rows = await on.query<Row>(`SELECT ${COLUMNS} FROM rollout ${one} ORDER BY id DESC LIMIT 100`, parameters);
  const uncounted = rows.flatMap((row) => (row.counts === null ? [row.id] : []));
  const now = await on.query<Counts & { rollout: number }>(
    `SELECT rollout, in_group, state, count(*)::int AS nodes,
       count(*) FILTER (WHERE state = 'waiting' AND asked_at IS NULL)::int AS silent FROM rollout_node
     WHERE rollout = ANY (ARRAY(SELECT json_array_elements_text($1::json)::int)) GROUP BY rollout, in_group, state`,
    [JSON.stringify(uncounted)],
  );
  return rows
    .map(planned)
    .map(({ groups, open_group, started_at, started_by, ended_at, ended_by, counts, cause, ...row }) => ({
      ...row,
      // What clears or rewrites the reason leaves the cause, in the release before, too: it counts while it is that.
      cause: cause !== null && causeInEnglish(cause) === row.reason ? cause : null,
      startedAt: started_at.toISOString(),
      startedBy: started_by,
      endedAt: ended_at?.toISOString() ?? null,
      endedBy: ended_by,
      openGroup: open_group,
      groups: Array.from({ length: groups }, (_, group) => {
        const counted = counts ?? now.filter(({ rollout }) => rollout === row.id);
        const own = counted.filter(({ in_group }) => in_group === group);
        const of = (state: string) => own.find((each) => each.state === state)?.nodes ?? 0;
        const size = own.reduce((sum, { nodes }) => sum + nodes, 0);
        const silent = own.reduce((sum, each) => sum + each.silent, 0);
        return {
          size,
          silent,
          ...Object.fromEntries(MEMBER_STATES.map((state) => [state, of(state)])),
        } as RolloutGroup;
      }),
    }));
}
