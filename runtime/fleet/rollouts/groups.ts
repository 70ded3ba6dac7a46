/** The groups of a rollout, and which nodes are in each. */
import type { Parameter, Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { conditionOf } from '../nodes/filter.ts';

/** Nodes with an older version that take updates by themselves. */
const FITS = "node.variant = $1 AND node.version_order < $2 AND coalesce(node.update_policy, 'auto') = 'auto'";

/** The nodes that a rollout is for, and the groups that it takes them in. */
export interface Wanted {
  readonly rollout: number;
  readonly variant: string;
  readonly versionOrder: string;
  readonly groups: readonly string[];
  readonly bySite: boolean;
}

/** Throws the Refusal that says what is wrong with groups. */
export function checkGroups(groups: readonly string[]): void {
  if (groups.at(-1) !== '100%') throw new Refusal('invalid_request', 'the last of groups must be "100%"');
  for (const group of groups.filter(isFilter)) conditionOf(group, []);
}

const isFilter = (group: string): boolean => !/^[\d.]+%?$/.test(group);

/** How many of `total` nodes have the image after a group by number, `before` of them before it. */
export function upTo(group: string, total: number, before: number): number {
  const part = group.endsWith('%') ? Math.ceil((total * Number(group.slice(0, -1))) / 100) : Number(group);
  return Math.max(before, Math.min(part, total));
}

/**
 * Puts the nodes into groups: of a filter, those that fit it; of a number, by chance, those that are heard before those that
 * are not; each those alone that are in no group before. Throws the Refusal of a first group with nobody in it.
 */
export async function placeNodes(
  on: Queries,
  { rollout, variant, versionOrder, groups, bySite }: Wanted,
): Promise<void> {
  const [{ total } = { total: 0 }] = await on.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM node WHERE ${FITS}`,
    [variant, versionOrder],
  );
  let before = 0;
  for (const [at, group] of groups.entries()) {
    const parameters: Parameter[] = [variant, versionOrder, rollout, at];
    const condition = isFilter(group) ? conditionOf(group, parameters) : 'true';
    const most = isFilter(group) ? total : upTo(group, total, before) - before;
    const unit = bySite && !isFilter(group) ? 'coalesce(node.site, node.id)' : 'node.id';
    // A site that begins within the number is in it as a whole.
    const [{ placed } = { placed: 0 }] = await on.query<{ placed: number }>(
      `WITH rest AS (SELECT node.id, ${unit} AS unit, row_number() OVER (
            ORDER BY 'offline' = ANY (node.states), md5(${unit} || $3::int), node.id) AS place
          FROM node WHERE ${FITS} AND ${condition}
            AND NOT EXISTS (SELECT FROM rollout_node AS member WHERE member.rollout = $3::int AND member.node = node.id)),
        first AS (SELECT id, min(place) OVER (PARTITION BY unit) AS place FROM rest),
        placed AS (INSERT INTO rollout_node (rollout, node, in_group)
          SELECT $3::int, id, $4::int FROM first WHERE place <= ${most} RETURNING node)
       SELECT count(*)::int AS placed FROM placed`,
      parameters,
    );
    // Otherwise a mistyped tag lets all have it of whom nobody has run it.
    if (at === 0 && placed === 0 && total > 0 && groups.length > 1)
      throw new Refusal(
        'invalid_request',
        `groups: no node that lacks the version is in the first one, ${JSON.stringify(group)}`,
      );
    before += placed;
  }
}
