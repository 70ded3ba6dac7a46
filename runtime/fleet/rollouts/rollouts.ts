/** Rollouts: begun, stopped and resumed by operators; in groups, each a part of all nodes of a variant. */
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { MEMBER_STATES, type Plan, type Rollout, type RolloutGroup, type RolloutStart } from './contract.ts';
import { type Running, settleNodes } from './turn.ts';

const DEFAULT_PLAN: Plan = {
  groups: ['1', '1%', '10%', '100%'],
  healthyPercent: 95,
  errorPercent: 1,
  healthyAfterSeconds: 600,
  lostAfterSeconds: 3600,
};

// Those that are there go first; otherwise by chance, another one for each rollout.
const PLACE = `INSERT INTO rollout_node (rollout, node, in_group)
  SELECT $1::int, id, (SELECT count(*) FROM json_array_elements_text($2::json) AS up_to (rank) WHERE up_to.rank::bigint < place)
  FROM (SELECT id, row_number() OVER (ORDER BY 'offline' = ANY (states), md5(id || $1::int)) AS place FROM node
    WHERE variant = $3 AND version_order < $4 AND coalesce(update_policy, 'auto') = 'auto') AS placed`;

/**
 * Begins a rollout to the nodes of its variant that have an older version and take updates by themselves; those that
 * come later belong to the last group. Throws a Refusal.
 */
export async function startRollout(on: Queries, asked: RolloutStart, who: string): Promise<number> {
  const { variant, version, ...rest } = asked;
  const plan: Plan = { ...DEFAULT_PLAN, ...rest };
  if (plan.groups.at(-1) !== '100%') throw new Refusal('invalid_request', 'the last of groups must be "100%"');
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
  const [{ total } = { total: 0 }] = await on.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM node
     WHERE variant = $1 AND version_order < $2 AND coalesce(update_policy, 'auto') = 'auto'`,
    [variant, release.version_order],
  );
  await on.query(PLACE, [begun.id, JSON.stringify(upTo(plan.groups, total)), variant, release.version_order]);
  return begun.id;
}

/** How many of `total` nodes have the image after each group but the last, never fewer than after the one before. */
export function upTo(groups: readonly string[], total: number): number[] {
  let before = 0;
  return groups.slice(0, -1).map((group) => {
    const part = group.endsWith('%') ? Math.ceil((total * Number(group.slice(0, -1))) / 100) : Number(group);
    before = Math.max(before, Math.min(part, total));
    return before;
  });
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
  const [other] = await on.query<{ id: number }>(
    `SELECT other.id FROM rollout JOIN rollout other USING (variant)
     WHERE rollout.id = $1 AND other.id <> $1 AND other.state = 'running'`,
    [id],
  );
  if (other !== undefined) throw new Refusal('conflict', `rollout ${other.id} of the same variant is running`);
  const [resumed] = await on.query<Running>(
    `UPDATE rollout SET state = 'running', reason = NULL, ended_at = NULL, ended_by = NULL
     WHERE id = $1 AND state IN ('halted', 'stopped') RETURNING id, version, plan`,
    [id],
  );
  if (resumed === undefined) throw await whyNot(on, id, 'was not halted');
  // Also what has failed since it halted.
  await settleNodes(on, resumed);
  await on.query("UPDATE rollout_node SET state = 'excused' WHERE rollout = $1 AND state = 'failed'", [id]);
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
  readonly groups: number;
  readonly open_group: number;
  readonly started_at: Date;
  readonly started_by: string;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
}

/** The last 100 rollouts, newest first, or one of them. */
export async function listRollouts(on: Queries, id?: number): Promise<Rollout[]> {
  const one = id === undefined ? '' : 'WHERE id = $1';
  const parameters = id === undefined ? [] : [id];
  const rows = await on.query<Row>(`SELECT * FROM rollout ${one} ORDER BY id DESC LIMIT 100`, parameters);
  const counted = await on.query<{ rollout: number; in_group: number; state: string; nodes: number }>(
    `SELECT rollout, in_group, state, count(*)::int AS nodes FROM rollout_node
     WHERE rollout IN (SELECT id FROM rollout ${one} ORDER BY id DESC LIMIT 100) GROUP BY rollout, in_group, state`,
    parameters,
  );
  return rows.map(({ groups, open_group, started_at, started_by, ended_at, ended_by, ...row }) => ({
    ...row,
    startedAt: started_at.toISOString(),
    startedBy: started_by,
    endedAt: ended_at?.toISOString() ?? null,
    endedBy: ended_by,
    openGroup: open_group,
    groups: Array.from({ length: groups }, (_, group) => {
      const own = counted.filter(({ rollout, in_group }) => rollout === row.id && in_group === group);
      const of = (state: string) => own.find((each) => each.state === state)?.nodes ?? 0;
      const size = own.reduce((sum, { nodes }) => sum + nodes, 0);
      return { size, ...Object.fromEntries(MEMBER_STATES.map((state) => [state, of(state)])) } as RolloutGroup;
    }),
  }));
}
