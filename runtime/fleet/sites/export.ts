/** Everything that is stored of a site and its nodes, to take along. */
import type { Queries } from '../database/database.ts';
import { readNode } from '../nodes/nodes.ts';

/** Rows of one question: a site may have more than fits the memory. */
const STEP = 5000;

/** What is told of a node, or of the site itself ($1). */
interface Told {
  readonly columns: string;
  readonly from: string;
  /** In this order, each with its type: rows come and go meanwhile, and the next ones are those behind the last. */
  readonly key: Readonly<Record<string, string>>;
}
const OF_NODE: Readonly<Record<string, Told>> = {
  hour: {
    columns: 'began AS at, heartbeats, prints',
    from: 'hour WHERE node = $1',
    key: { 'hour.at': 'timestamptz', began: 'timestamptz' },
  },
  event: {
    columns: 'at, seq, uptime_ms AS "uptimeMs", event',
    from: 'event WHERE node = $1',
    key: { at: 'timestamptz', seq: 'bigint', uptime_ms: 'bigint' },
  },
  transition: {
    columns: 'at, kind AS what, endpoint, before, after, detail',
    from: 'transition WHERE node = $1',
    key: { id: 'bigint' },
  },
  alert: {
    columns: 'id, rule, began, ended, acknowledged_at AS "acknowledgedAt", acknowledged_by AS "acknowledgedBy"',
    from: 'alert WHERE subject = $1',
    key: { id: 'bigint' },
  },
  rollout: {
    columns: `rollout.id, variant, version, in_group AS group, member.state, member.reason, asked_at AS "askedAt",
      offered_at AS "offeredAt", taken_at AS "takenAt", member.ended_at AS "endedAt"`,
    from: 'rollout JOIN rollout_node AS member ON member.rollout = rollout.id WHERE member.node = $1',
    key: { 'rollout.id': 'bigint' },
  },
  audit: { columns: 'id, at, who, what, detail', from: 'audit WHERE subject = $1', key: { id: 'bigint' } },
};

/** What stays of a node that was deleted. */
const OF_DELETED: readonly string[] = ['alert', 'rollout', 'audit'];
/** Nodes of the site ($1) that were deleted, or replaced, as their alerts and the audit have it; what is there again is where it stands now. */
const DELETED = `SELECT id FROM (
    SELECT subject AS id FROM alert WHERE node_site = $1
    UNION SELECT subject FROM audit WHERE what = 'node deleted' AND detail -> 'before' ->> 'site' = $1
    UNION SELECT subject FROM audit WHERE what = 'node replaced'
      AND (detail -> 'after' ->> 'site' = $1 OR EXISTS (SELECT FROM node WHERE node.id = detail ->> 'by' AND node.site = $1))) AS gone
  WHERE id > $2 AND NOT EXISTS (SELECT FROM node WHERE node.id = gone.id) ORDER BY id LIMIT ${STEP}`;

/**
 * Lines of JSON: `{kind: "site", …}`, then of each node `{kind: "node", …}` and what is stored of it, with its id as `node`. Of those that were
 * deleted, `{kind: "node", id, deleted: true}` and what stays.
 */
export async function* exportSite(on: Queries, site: { readonly name: string }): AsyncGenerator<string> {
  yield lineOf({ kind: 'site', ...site });
  yield* rowsOf(on, 'audit', site.name, {});
  for (let after = ''; ; ) {
    const [next] = await on.query<{ id: string }>(
      'SELECT id FROM node WHERE site = $1 AND id > $2 ORDER BY id LIMIT 1',
      [site.name, after],
    );
    if (next === undefined) break;
    after = next.id;
    yield lineOf({ kind: 'node', ...(await readNode(on, next.id)) });
    for (const kind of Object.keys(OF_NODE)) yield* rowsOf(on, kind, next.id, { node: next.id });
  }
  for (let after = ''; ; ) {
    const deleted = await on.query<{ id: string }>(DELETED, [site.name, after]);
    for (const { id } of deleted) {
      yield lineOf({ kind: 'node', id, deleted: true });
      for (const kind of OF_DELETED) yield* rowsOf(on, kind, id, { node: id });
    }
    if (deleted.length < STEP) return;
    after = deleted.at(-1)?.id ?? '';
  }
}

async function* rowsOf(on: Queries, kind: string, subject: string, more: object): AsyncGenerator<string> {
  const { columns, from, key } = OF_NODE[kind] as Told;
  const order = Object.keys(key).join(', ');
  const behind = `(${order}) > (${Object.values(key).map((type, at) => `$${at + 2}::text::${type}`)})`;
  const keys = Object.keys(key).map((column) => `${column}::text`);
  for (let last: readonly string[] | undefined; ; ) {
    const rows = await on.query<{ last: readonly string[] }>(
      `SELECT ${columns}, ARRAY[${keys}] AS last FROM ${from}${last === undefined ? '' : ` AND ${behind}`}
       ORDER BY ${order} LIMIT ${STEP}`,
      [subject, ...(last ?? [])],
    );
    for (const { last: _, ...row } of rows) yield lineOf({ kind, ...more, ...row });
    if (rows.length < STEP) return;
    last = rows.at(-1)?.last;
  }
}

const lineOf = (row: object): string => `${JSON.stringify(row)}\n`;
