/** Which image a node is offered and when, and which one it took. */
import type { Queries } from '../database/database.ts';
import { orderOf } from '../ingest/version-order.ts';
import { DELETED } from '../nodes/gone.ts';
import { secondsUntil } from '../sites/hours.ts';
import type { Plan } from './contract.ts';

/** What is offered. */
export interface Offered {
  readonly version: string;
  readonly sha256: string;
  readonly length: number;
}
/** The image for a node that asks; or in how many seconds it is to ask for one again, undefined where nobody knows. */
export type Offer =
  | { readonly image: Offered; readonly againInSeconds?: never }
  | { readonly image?: never; readonly againInSeconds?: number | undefined };
interface Asking {
  readonly variant: string;
  readonly version: string;
  /** '' where it does not say. */
  readonly node: string;
}

interface Found extends Offered {
  readonly id: number;
  readonly state: 'running' | 'done';
  readonly groups: number;
  readonly open_group: number;
  readonly plan: Partial<Plan>;
  /** Group of the node that asks; null where it is not in this rollout. */
  readonly in_group: number | null;
  /** Whether it was deleted since, and is heard again. */
  readonly is_back: boolean;
  /** Clock and hours of its site. */
  readonly zone: string | null;
  readonly hours: string | null;
  readonly now: Date;
}

// One question for the many that ask and get nothing: the rollout that runs, and the newest one that was for all.
const FIND = `SELECT release.version, sha256, length, rollout.id, rollout.state, groups, open_group, plan, in_group,
    node.id IS NOT NULL AND own.state = 'skipped' AND own.reason = '${DELETED}' AS is_back, zone, hours, now() AS now
  FROM rollout JOIN release ON release.variant = rollout.variant AND release.version = rollout.version
    LEFT JOIN rollout_node AS own ON own.rollout = rollout.id AND own.node = $3
    LEFT JOIN node ON node.id = $3 LEFT JOIN site ON site.name = node.site
  WHERE rollout.variant = $1 AND release.version_order > $2 AND CASE rollout.state
    WHEN 'running' THEN $3 <> ''
    WHEN 'done' THEN (own.state IS NULL OR own.state NOT IN ('failed', 'excused', 'skipped')
        OR own.state = 'skipped' AND own.reason = '${DELETED}') AND NOT EXISTS (
      SELECT FROM rollout AS later WHERE later.variant = rollout.variant AND later.version = rollout.version
        AND later.id > rollout.id AND later.state IN ('stopped', 'halted')) END
  ORDER BY rollout.state = 'done', release.version_order DESC LIMIT 2`;

/**
 * The image for a node that asks: that of the running rollout of its variant where its group has begun, else the newest one
 * that was rolled out to all; each within its window. A node that failed with an image is not offered it again, and nobody is
 * offered one whose last rollout was stopped or halted.
 */
export async function offerFor(on: Queries, { variant, version, node }: Asking): Promise<Offer> {
  const found = await on.query<Found>(FIND, [variant, orderOf(version), node]);
  const running = found.find(({ state }) => state === 'running');
  const due = running !== undefined && (await isDue(on, running, node)) ? running : undefined;
  const own = due ?? found.find(({ state }) => state === 'done');
  if (own === undefined) return {};
  const wait = waitOf(own);
  return wait === 0 ? { image: own } : { againInSeconds: wait };
}

/** In how many seconds the window of a rollout opens for the site of a node; 0 where it is open. */
function waitOf({ plan: { window = '' }, zone, hours, now }: Found): number | undefined {
  // Nobody knows when it is closed.
  if (window === '' || (window === 'closed' && (hours ?? '') === '')) return 0;
  const clock = zone ?? 'UTC';
  return window === 'closed' ? secondsUntil(hours ?? '', clock, now, false) : secondsUntil(window, clock, now);
}

/**
 * Whether a rollout has come to this node, which is noted to have asked. One that it does not know belongs to the last group:
 * it is new, and may ask before its first heartbeat.
 */
async function isDue(on: Queries, found: Found, node: string): Promise<boolean> {
  const { id, open_group, groups, in_group, is_back } = found;
  if (is_back === true)
    await on.query(
      `UPDATE rollout_node SET state = 'waiting', reason = NULL, ended_at = NULL, asked_at = NULL, offered_at = NULL
       WHERE rollout = $1 AND node = $2`,
      [id, node],
    );
  if (in_group === null)
    await on.query('INSERT INTO rollout_node (rollout, node, in_group) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      id,
      node,
      groups - 1,
    ]);
  const [member] = await on.query<{ is_due: boolean }>(
    `UPDATE rollout_node AS member SET asked_at = now(),
       state = CASE WHEN state = 'waiting' AND in_group <= $3 AND $4::boolean THEN 'offered' ELSE state END,
       offered_at = CASE WHEN state = 'waiting' AND in_group <= $3 AND $4::boolean THEN now() ELSE offered_at END
     WHERE member.rollout = $1 AND member.node = $2 RETURNING in_group <= $3 AND state IN ('waiting', 'offered', 'taken') AS is_due`,
    [id, node, open_group, waitOf(found) === 0],
  );
  return member?.is_due === true;
}

/** Notes that a node downloads the image of a running rollout that it was offered. */
export async function tookImage(
  on: Queries,
  node: string,
  release: { variant: string; version: string },
): Promise<void> {
  await on.query(
    `UPDATE rollout_node SET state = 'taken', taken_at = now() FROM rollout
     WHERE rollout.id = rollout AND rollout.state = 'running' AND variant = $2 AND version = $3
       AND node = $1 AND rollout_node.state = 'offered'`,
    [node, release.variant, release.version],
  );
}
