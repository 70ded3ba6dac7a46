/** Everything that is stored of a site and its nodes, to take along. */
import type { Parameter, Queries } from '../database/database.ts';
import { readNode } from '../nodes/nodes.ts';

/** Rows of one question: a site may have more than fits the memory. */
const STEP = 5000;

/** What is told of a node ($1), or of the site itself. */
interface Told {
  readonly columns: string;
  readonly from: string;
  /** In this order, each with its type: rows come and go meanwhile, and the next ones are those behind the last. */
  readonly key: Readonly<Record<string, string>>;
}
const AUDIT = { columns: 'id, at, who, what, detail', key: { id: 'bigint' } };
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
  // A site or an account may be called as a node is.
  audit: { ...AUDIT, from: "audit WHERE subject = $1 AND what LIKE 'node %'" },
};
/** What was done to the site, under one of its names. */
const OF_SITE: Told = { ...AUDIT, from: "audit WHERE subject = $1 AND id > $2 AND id <= $3 AND what LIKE 'site %'" };

/** What stays of a node that was deleted. */
const OF_DELETED = Object.entries(OF_NODE).filter(([kind]) => ['alert', 'rollout', 'audit'].includes(kind));
/** A name that a site had, in the entries of the audit behind `after` up to `upTo`. */
interface Named {
  readonly name: string;
  readonly after: number;
  readonly upTo: number;
}
const changed = (what: string, how: string) =>
  `SELECT id, subject AS before FROM audit WHERE what = 'site ${what}' AND ${how} AND id < $2 ORDER BY id DESC LIMIT 1`;
/** The last entry before $2 that gave the name $1 to a site which was called otherwise, or took it from one, or with which that went. */
const NAMED = `
    (${changed('changed', "detail -> 'after' ->> 'name' = $1 AND subject <> $1")})
    UNION ALL (${changed('changed', "subject = $1 AND detail -> 'after' ->> 'name' <> $1")})
    UNION ALL (${changed('deleted', 'subject = $1')})
  ORDER BY id DESC LIMIT 1`;

/** Nodes of the site ($1) that were deleted, or replaced, as their alerts and the audit have it; what is there again is where it stands now. */
const OF_NAME =
  'FROM json_to_recordset($2::json) AS own (name text, after bigint, "upTo" bigint) JOIN audit ON id > after AND id <= "upTo"';
const DELETED = `SELECT id FROM (
    SELECT subject AS id FROM alert WHERE node_site = $1
    UNION SELECT subject ${OF_NAME} AND what = 'node deleted' AND detail -> 'before' ->> 'site' = name
    UNION SELECT subject ${OF_NAME} AND what = 'node replaced' AND detail -> 'after' ->> 'site' = name
    UNION SELECT subject FROM node JOIN audit ON what = 'node replaced' AND detail ->> 'by' = node.id WHERE node.site = $1) AS gone
  WHERE id > $3 AND NOT EXISTS (SELECT FROM node WHERE node.id = gone.id) ORDER BY id LIMIT ${STEP}`;

/**
 * Lines of JSON: `{kind: "site", …}`, then of each node `{kind: "node", …}` and what is stored of it, with its id as `node`. Of those that were
 * deleted, `{kind: "node", id, deleted: true}` and what stays.
 */
export async function* exportSite(on: Queries, site: { readonly name: string }): AsyncGenerator<string> {
  yield lineOf({ kind: 'site', ...site });
  const names = await namesOf(on, site.name);
  for (const { name, after, upTo } of names) yield* rowsOf(on, 'audit', OF_SITE, [name, after, upTo], {});
  for (let after = ''; ; ) {
    const [next] = await on.query<{ id: string }>(
      'SELECT id FROM node WHERE site = $1 AND id > $2 ORDER BY id LIMIT 1',
      [site.name, after],
    );
    if (next === undefined) break;
    after = next.id;
    yield lineOf({ kind: 'node', ...(await readNode(on, next.id)) });
    for (const [kind, told] of Object.entries(OF_NODE)) yield* rowsOf(on, kind, told, [next.id], { node: next.id });
  }
  for (let after = ''; ; ) {
    const deleted = await on.query<{ id: string }>(DELETED, [site.name, JSON.stringify(names), after]);
    for (const { id } of deleted) {
      yield lineOf({ kind: 'node', id, deleted: true });
      for (const [kind, told] of OF_DELETED) yield* rowsOf(on, kind, told, [id], { node: id });
    }
    if (deleted.length < STEP) return;
    after = deleted.at(-1)?.id ?? '';
  }
}

/** The names of the site that is called so now, the first one first; one that another site gave up, or with which it was deleted, counts from then on. */
async function namesOf(on: Queries, now: string): Promise<readonly Named[]> {
  const names: Named[] = [];
  for (let [name, upTo] = [now, Number.MAX_SAFE_INTEGER]; ; ) {
    const [last]: { id: number; before: string }[] = await on.query(NAMED, [name, upTo]);
    names.unshift({ name, after: last?.id ?? 0, upTo });
    if (last === undefined || last.before === name) return names;
    [name, upTo] = [last.before, last.id];
  }
}

/** `subject`: the first parameters of what is told. */
async function* rowsOf(
  on: Queries,
  kind: string,
  { columns, from, key }: Told,
  subject: readonly Parameter[],
  more: object,
): AsyncGenerator<string> {
  const order = Object.keys(key).join(', ');
  const behind = `(${order}) > (${Object.values(key).map((type, at) => `$${subject.length + 1 + at}::text::${type}`)})`;
  const keys = Object.keys(key).map((column) => `${column}::text`);
  for (let last: readonly string[] | undefined; ; ) {
    const rows = await on.query<{ last: readonly string[] }>(
      `SELECT ${columns}, ARRAY[${keys}] AS last FROM ${from}${last === undefined ? '' : ` AND ${behind}`}
       ORDER BY ${order} LIMIT ${STEP}`,
      [...subject, ...(last ?? [])],
    );
    for (const { last: _, ...row } of rows) yield lineOf({ kind, ...more, ...row });
    if (rows.length < STEP) return;
    last = rows.at(-1)?.last;
  }
}

const lineOf = (row: object): string => `${JSON.stringify(row)}\n`;
