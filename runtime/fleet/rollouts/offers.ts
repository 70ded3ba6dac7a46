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

/**
 * The image for a node that asks: that of the running rollout of its variant where its group has begun, else the newest one
 * that was rolled out to all. A node that failed with an image is not offered it again.
 */
export async function offerFor(on: Queries, asking: Asking): Promise<Offered | undefined> {
  const { variant, version, node } = asking;
  const order = orderOf(version);
  if (node !== '') {
    const [running] = await on.query<Offered & { id: number; open_group: number; groups: number }>(
      `SELECT id, open_group, groups, version, sha256, length FROM rollout JOIN release USING (variant, version)
       WHERE variant = $1 AND state = 'running' AND version_order > $2`,
      [variant, order],
    );
    if (running !== undefined && (await isIn(on, running, node))) return running;
  }
  const [done] = await on.query<Offered>(
    `SELECT version, sha256, length FROM rollout JOIN release USING (variant, version)
     WHERE variant = $1 AND state = 'done' AND version_order > $2 AND NOT EXISTS (
       SELECT FROM rollout_node WHERE rollout = rollout.id AND node = $3 AND rollout_node.state IN ('failed', 'excused'))
     ORDER BY version_order DESC LIMIT 1`,
    [variant, order, node],
  );
  return done;
}

/**
 * Whether a rollout has come to this node. One that it does not know belongs to the last group: it is new, and may ask
 * before its first heartbeat.
 */
async function isIn(
  on: Queries,
  { id, open_group, groups }: { id: number; open_group: number; groups: number },
  node: string,
): Promise<boolean> {
  await on.query('INSERT INTO rollout_node (rollout, node, in_group) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    id,
    node,
    groups - 1,
  ]);
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
