/** Which image a node is offered, and which one it took. */
import type { Queries } from '../database/database.ts';
import { orderOf } from '../ingest/version-order.ts';

/** What is offered. */
export interface Offered {
  readonly version: string;
  readonly sha256: string;
  readonly length: number;
}
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
  /** Group of the node that asks; null where it is not in this rollout. */
  readonly in_group: number | null;
}

// One question for the many that ask and get nothing: the rollout that runs, and the newest one that was for all.
const FIND = `SELECT version, sha256, length, rollout.id, rollout.state, groups, open_group, in_group
  FROM rollout JOIN release USING (variant, version)
    LEFT JOIN rollout_node AS own ON own.rollout = rollout.id AND own.node = $3
  WHERE variant = $1 AND version_order > $2 AND CASE rollout.state
    WHEN 'running' THEN $3 <> ''
    WHEN 'done' THEN (own.state IS NULL OR own.state NOT IN ('failed', 'excused')) AND NOT EXISTS (
      SELECT FROM rollout AS later WHERE later.variant = rollout.variant AND later.version = rollout.version
        AND later.id > rollout.id AND later.state IN ('stopped', 'halted')) END
  ORDER BY rollout.state = 'done', version_order DESC LIMIT 2`;

/**
 * The image for a node that asks: that of the running rollout of its variant where its group has begun, else the newest one
 * that was rolled out to all. A node that failed with an image is not offered it again, and nobody is offered one whose last
 * rollout was stopped or halted.
 */
export async function offerFor(on: Queries, { variant, version, node }: Asking): Promise<Offered | undefined> {
  const found = await on.query<Found>(FIND, [variant, orderOf(version), node]);
  const running = found.find(({ state }) => state === 'running');
  if (running !== undefined && (await isIn(on, running, node))) return running;
  return found.find(({ state }) => state === 'done');
}

/**
 * Whether a rollout has come to this node. One that it does not know belongs to the last group: it is new, and may ask
 * before its first heartbeat.
 */
async function isIn(on: Queries, { id, open_group, groups, in_group }: Found, node: string): Promise<boolean> {
  if (in_group === null)
    await on.query('INSERT INTO rollout_node (rollout, node, in_group) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      id,
      node,
      groups - 1,
    ]);
  else if (in_group > open_group) return false;
  const offered = await on.query(
    `UPDATE rollout_node SET state = CASE state WHEN 'waiting' THEN 'offered' ELSE state END,
       offered_at = coalesce(offered_at, now())
     WHERE rollout = $1 AND node = $2 AND in_group <= $3 AND state IN ('waiting', 'offered', 'taken') RETURNING node`,
    [id, node, open_group],
  );
  return offered.length > 0;
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
