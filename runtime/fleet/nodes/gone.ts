/** What becomes of the place of a node in rollouts where it is deleted or replaced: nobody ran the version by that. */
import { filled } from '../../base/language.ts';
import type { Queries } from '../database/database.ts';

/** The reason of those that were skipped as they were deleted: nobody has looked at them. */
export const DELETED = 'deleted';

/** Why a node is out of a rollout, beside the codes of a crash: each with the English that the API says. */
export const OUT = {
  deleted: DELETED,
  gone: 'deleted after it took the image',
  replaced: 'replaced by {by} after it took the image',
  silent: 'not heard since',
  not_run: 'took the image and does not run it',
} as const;

/** The code of what the API says of a node, with the id in it; of a crash its own code. */
export function outOf(reason: string): { readonly code: string; readonly by: string } {
  for (const [code, said] of Object.entries(OUT)) {
    const [head = '', tail] = said.split('{by}');
    if (tail === undefined ? reason === head : reason.startsWith(head) && reason.endsWith(tail))
      return { code, by: reason.slice(head.length, reason.length - (tail?.length ?? 0)) };
  }
  return { code: reason, by: '' };
}

const OF = 'rollout = ANY (ARRAY(SELECT id FROM rollout WHERE state';
const OPEN = `${OF} <> 'done')) AND node = $1`;
// Done is done: the version is that of all.
const FORGET = `DELETE FROM rollout_node WHERE ${OF} = 'done')) AND node = $1`;
// It may be that which ended it.
const FAIL = `UPDATE rollout_node SET state = 'failed', ended_at = now(), reason = $2 WHERE ${OPEN} AND state = 'taken'`;
// The new box stands for it where it can run the version, in the earlier group of the two.
const FOLLOW = `WITH old AS (DELETE FROM rollout_node AS old USING rollout, release, node
    WHERE old.node = $1 AND old.state IN ('waiting', 'offered') AND rollout.id = old.rollout AND rollout.state <> 'done'
      AND release.variant = rollout.variant AND release.version = rollout.version
      AND node.id = $2 AND node.variant = rollout.variant AND node.version_order <= release.version_order
      AND coalesce(node.update_policy, 'auto') = 'auto' RETURNING old.rollout, old.in_group)
  INSERT INTO rollout_node AS own (rollout, node, in_group) SELECT rollout, $2, in_group FROM old
  ON CONFLICT (rollout, node) DO UPDATE SET in_group = least(own.in_group, excluded.in_group)`;
const SKIP = `UPDATE rollout_node SET state = 'skipped', ended_at = now(), reason = '${DELETED}'
  WHERE ${OPEN} AND state IN ('waiting', 'offered')`;

// No look has seen it yet: it says so since the last one.
const HAS = `UPDATE rollout_node SET state = 'taken', taken_at = coalesce(taken_at, now()) FROM rollout, node
  WHERE rollout.id = rollout AND rollout.state <> 'done' AND node = $1 AND node.id = $1 AND node.version = rollout.version
    AND rollout_node.state IN ('waiting', 'offered')`;

/** Notes of a node that is about to leave what it runs: it has the image of a rollout whose version that is. */
export const noteTaken = (on: Queries, id: string) => on.query(HAS, [id]);

/** A node leaves, for another one or for none: what it was in rollouts that are not done stays, as its group has to know. */
export async function leaveRollouts(on: Queries, id: string, by?: string): Promise<void> {
  await on.query(FORGET, [id]);
  await on.query(FAIL, [id, by === undefined ? OUT.gone : filled(OUT.replaced, { by })]);
  if (by !== undefined) await on.query(FOLLOW, [id, by]);
  await on.query(SKIP, [id]);
}
