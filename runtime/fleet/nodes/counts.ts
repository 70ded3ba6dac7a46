/** How many nodes there are, of each version and in each state: by sums that the database keeps, as far as a filter asks for no more. */
import type { Parameter, Queries } from '../database/database.ts';
import type { State } from './contract.ts';
import { conditionOf, keysOf, LISTED, LISTED_WORDS } from './filter.ts';

/** The sums, and what came and went since; for conditions on the table `node`. */
const KEPT = '(TABLE listed_count UNION ALL TABLE listed_change) AS node';
/** The keys of filters that they answer. */
const KEYS: readonly (string | undefined)[] = ['variant', 'version', 'state'];

/** Whether the sums answer this filter. Throws the Refusal of one that is none. */
export const isKept = (filter: string): boolean => keysOf(filter).every((key) => KEYS.includes(key));

/** Numbers of the nodes that fit. */
export interface Counts {
  readonly total: number;
  readonly states: readonly { readonly state: State; readonly nodes: number }[];
  readonly versions: readonly { readonly variant: string; readonly version: string; readonly nodes: number }[];
}

/** Versions that are listed: the newest, or those that most nodes have. */
const VERSIONS = 100;
const ORDER = { newest: 'version_order DESC, variant, version', frequent: 'nodes DESC, variant, version' } as const;

/** Counts the nodes that fit, in one pass. Throws the Refusal of a filter that is none. */
export async function countNodes(on: Queries, filter: string, order: keyof typeof ORDER): Promise<Counts> {
  const parameters: Parameter[] = [];
  const condition = conditionOf(filter, parameters, LISTED_WORDS);
  const [from, nodes] = isKept(filter) ? [KEPT, 'sum(nodes)::int'] : [LISTED, 'count(*)::int'];
  const [counts] = await on.query<Counts>(
    `WITH each AS MATERIALIZED (SELECT variant, version, version_order, states, ${nodes} AS nodes FROM ${from}
         WHERE ${condition} GROUP BY variant, version, version_order, states),
       of_state AS (SELECT state, sum(nodes) AS nodes FROM each, unnest(states) AS state GROUP BY state),
       of_version AS (SELECT variant, version, sum(nodes) AS nodes FROM each GROUP BY variant, version, version_order
         HAVING sum(nodes) > 0 ORDER BY ${ORDER[order]} LIMIT ${VERSIONS})
     SELECT coalesce((SELECT sum(nodes) FROM each), 0)::int AS total,
       coalesce((SELECT json_agg(of_state) FROM of_state), '[]') AS states,
       coalesce((SELECT json_agg(of_version) FROM of_version), '[]') AS versions`,
    parameters,
  );
  return counts ?? { total: 0, states: [], versions: [] };
}

/** How many nodes fit a filter that the sums answer. */
export async function totalOf(on: Queries, filter: string): Promise<number> {
  const parameters: Parameter[] = [];
  const condition = conditionOf(filter, parameters);
  const [sum] = await on.query<{ total: number }>(
    `SELECT coalesce(sum(nodes), 0)::int AS total FROM ${KEPT} WHERE ${condition}`,
    parameters,
  );
  return sum?.total ?? 0;
}

/** Where a page of the list by id is: `skip` of those that fit stand before it, from the id `first` on, and none of it is behind `last`. */
export interface ListPlace {
  /** How many fit. */
  readonly total: number;
  /** undefined where the list ends before. */
  readonly first: string | undefined;
  readonly last: string;
  readonly skip: number;
}

/** Finds a page of the nodes that fit, behind the id `after`: in one pass, or by the sums. Throws the Refusal of a filter that is none. */
export async function placeOfPage(
  on: Queries,
  filter: string,
  { after, offset, limit }: { readonly after: string | undefined; readonly offset: number; readonly limit: number },
): Promise<ListPlace> {
  // They know the first letters alone.
  if (after !== undefined && isKept(filter))
    return { total: await totalOf(on, filter), first: after, last: '', skip: offset };
  const parameters: Parameter[] = [];
  const condition = conditionOf(filter, parameters, LISTED_WORDS);
  const bind = (value: Parameter) => `$${parameters.push(value)}`;
  const each = isKept(filter)
    ? `SELECT prefix, sum(nodes) AS nodes, sum(nodes) AS behind FROM ${KEPT} WHERE ${condition} GROUP BY prefix`
    : `SELECT left(id, 2) AS prefix, count(*) AS nodes, count(*)${after === undefined ? '' : ` FILTER (WHERE id > ${bind(after)})`} AS behind
       FROM ${LISTED} WHERE ${condition} GROUP BY left(id, 2)`;
  const [from, many] = [bind(offset), bind(limit)];
  const [place] = await on.query<{ total: number; first: string | null; before: number | null; last: string | null }>(
    `WITH each AS MATERIALIZED (${each}),
       added AS (SELECT prefix, behind, sum(behind) OVER (ORDER BY prefix COLLATE "C") AS upto FROM each)
     SELECT coalesce((SELECT sum(nodes) FROM each), 0)::int AS total, first.prefix AS first, before,
       (SELECT prefix FROM added WHERE upto >= ${from}::int + ${many}::int ORDER BY upto LIMIT 1) AS last
     FROM (SELECT 1) AS one LEFT JOIN (SELECT prefix, (upto - behind)::int AS before FROM added
       WHERE upto > ${from}::int ORDER BY upto LIMIT 1) AS first ON true`,
    parameters,
  );
  const { total = 0, first, before, last } = place ?? {};
  const skip = offset - (before ?? 0);
  if (first == null) return { total, first: undefined, last: '', skip };
  return { total, first: after !== undefined && after > first ? after : first, last: last ?? '', skip };
}

/** Sums up what came and went. */
export async function sumUp(on: Queries): Promise<void> {
  const changed = await on.query(
    `WITH gone AS (DELETE FROM listed_change RETURNING *)
     INSERT INTO listed_count AS kept SELECT prefix, variant, version, version_order, states, sum(nodes) FROM gone
       GROUP BY prefix, variant, version, version_order, states HAVING sum(nodes) <> 0
     ON CONFLICT (prefix, variant, version, version_order, states) DO UPDATE SET nodes = kept.nodes + excluded.nodes
     RETURNING nodes`,
  );
  if (changed.some(({ nodes }) => nodes === 0)) await on.query('DELETE FROM listed_count WHERE nodes = 0');
}
