/** How the engine runs the statements of the fleet where there are many nodes: EXPLAIN of each that a walk of all issues. */
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import type { Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
import { fleetOn, heartbeat } from './fleet.ts';
import { addressOf, prepare, WALK } from './walk.ts';

/** Tables whose rows are of one node, with the column that says of which: the key by which they could be spread. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ node: 'id', listed: 'id', due: 'node', transition: 'node', event: 'node', hour: 'node', boot: 'node' },
  oddity: 'node',
  ...{ rollout_node: 'node', node_token: 'node', alert: 'subject' },
};
const LARGE = [...Object.keys(KEYS), 'site', 'audit'];

/** What reads all of a table, and why it may. */
const WHOLE: readonly [statement: RegExp, why: string][] = [
  // A person asks, and sees how many fit.
  [/^SELECT count\(\*\)::int AS total FROM (node|site|alert|rollout_node) WHERE/, 'how many fit'],
  [/^SELECT count\(\*\)::int AS total FROM audit$/, 'how many there are'],
  // Without a filter, and by site or state, nobody reads them all.
  [
    /FROM listed AS node\b.* WHERE .*node\.(words LIKE|tags @>|tags <>|version =|site LIKE|muted_until|said_name\) LIKE)/s,
    'a filter that may be anything',
  ],
  [/^SELECT kind, sum\(count\)::float8 AS count FROM oddity/, '/metrics'],
  // In an index of those that go on alone.
  [/^SELECT rule, count\(\*\)::int AS alerts FROM alert WHERE ended IS NULL GROUP BY/, 'how many alerts go on'],
  [/^SELECT DISTINCT json_array_elements_text\(codecs\)/, 'a new table of recipes is checked'],
  // Of a rollout of up to 20,000 nodes; the counts of others, and of those that are over, are kept.
  [/^SELECT rollout, in_group, state, count\(\*\)::int AS nodes/, 'what became of the nodes of a rollout'],
  // In a time that grows with their number (COUNTED of rollouts/turn.ts).
  [/^SELECT in_group, count\(\*\)::int AS size/, 'a rollout goes on'],
  [/^UPDATE rollout SET counts/, 'a rollout is over'],
  // Begins with all nodes of a variant.
  [/^SELECT id FROM node WHERE variant = \$1 LIMIT 1/, 'a rollout is placed'],
  [/^SELECT count\(\*\)::int AS total FROM node WHERE node.variant/, 'a rollout is placed'],
  [/^WITH rest AS \(SELECT node.id/, 'a rollout is placed'],
];
const EXPLAINED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Plans?: readonly Plan[];
}

/** The tables that a plan reads from end to end: without an index, or by one without a condition and no end after some rows. */
function readWhole(plan: Plan, rowsOf: ReadonlyMap<string, number>, isLimited = false): string[] {
  const { 'Node Type': type, 'Relation Name': relation, 'Index Cond': condition, Plans = [] } = plan;
  const table = relation?.replace(/_\d{8}$/, '') ?? '';
  const isWhole =
    // Days that are ahead are empty.
    (rowsOf.get(relation ?? '') ?? 0) > 1000 &&
    (type === 'Seq Scan' || (/^Index (Only )?Scan$/.test(type) && condition === undefined && !isLimited));
  return [
    ...(isWhole && LARGE.includes(table) ? [table] : []),
    // What is sorted or grouped is read whole before the first row of it comes.
    ...Plans.flatMap((each) => readWhole(each, rowsOf, type === 'Limit' || (isLimited && !/Sort|Agg|Hash/.test(type)))),
  ];
}

/** The tables of nodes that a plan reads in another way than by the key of a node. */
function readAcross(plan: Plan, rowsOf: ReadonlyMap<string, number>): string[] {
  const { 'Node Type': type, 'Relation Name': relation = '', Plans = [] } = plan;
  const table = relation.replace(/_\d{8}$/, '');
  const condition = plan['Index Cond'] ?? plan['Recheck Cond'] ?? '';
  const isAcross =
    /Scan$/.test(type) &&
    (rowsOf.get(relation) ?? 0) > 1000 &&
    Object.hasOwn(KEYS, table) &&
    !new RegExp(`\\b${KEYS[table]}\\b`).test(condition);
  return [...(isAcross ? [table] : []), ...Plans.flatMap((each) => readAcross(each, rowsOf))];
}

/** Whether it sorts rows of nodes, to count them by what they then stand next to each other by: of a million that takes two seconds. */
function sortsNodes({ 'Node Type': type, 'Relation Name': relation, Plans = [] }: Plan, isSorted = false): boolean {
  // What was counted before it is sorted is little.
  const sorts = type === 'Sort' || (isSorted && type !== 'Aggregate');
  return (isSorted && relation === 'listed') || Plans.some((each) => sortsNodes(each, sorts));
}
/** Nodes, as the planner counts them. */
const MILLION = 900_000;

/** Whether one process alone looks at all nodes, though others would help it. */
function looksAlone({ 'Node Type': type, 'Relation Name': relation, Plans = [] }: Plan, isShared = false): boolean {
  const shared = isShared || /^Gather/.test(type);
  return (type === 'Seq Scan' && relation === 'listed' && !shared) || Plans.some((each) => looksAlone(each, shared));
}
/** Filters that most nodes fit, of which the planner knows little. */
const WIDE = [
  'site:s*',
  '-site:x*',
  'name:*',
  '-name:x*',
  '-tag:x*',
  '-tag:* -name:x* site:*1*',
  'muted:no',
  '-x',
  '-x -y -z',
];
const COUNTED = /FROM listed AS node\b.*GROUP BY/s;

interface Issued {
  readonly parameters: readonly unknown[];
  /** By the connections of what comes in, which every heartbeat waits for. */
  readonly ofIngest: boolean;
}
/** What the transactions of those begin with, and no others. */
const INGEST = 'lock_timeout = 6000';
/** Asked once a second, whatever comes. */
const TOKENS = /^SELECT node, generation FROM node_token/;

/** All that goes to the engine in this process, each statement with its last parameters. */
function recorded(): ReadonlyMap<string, Issued> {
  const statements = new Map<string, Issued>();
  const ingest = new WeakSet<pg.Client>();
  const query = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...sent: unknown[]) {
    const [sql, parameters = []] = sent as [unknown, unknown[]?];
    if (String(sql).includes(INGEST)) ingest.add(this);
    if (typeof sql === 'string' && EXPLAINED.test(sql)) statements.set(sql, { parameters, ofIngest: ingest.has(this) });
    return Reflect.apply(query, this, sent);
  } as typeof query);
  onTestFinished(() => spy.mockRestore());
  return statements;
}

/** Rows as many nodes make them. */
const fillOf = (nodes: number): readonly string[] => [
  `INSERT INTO site (name, is_open) SELECT 's' || i, i % 4 > 0 FROM generate_series(0, ${nodes}) AS i`,
  `INSERT INTO node (id, variant, version, version_order, look, states, site, crash_at)
   SELECT 'n' || i, 'wifi', '0.1.' || i % 5, '0000.' || i % 5, false, CASE WHEN i % 50 = 0 THEN '{offline}' ELSE '{}' END::text[],
     's' || i, CASE WHEN i % 100 = 0 THEN now() - i * interval '1 minute' END FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO due SELECT 'n' || i, now() + (300 + i % 180) * interval '1 second' FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO rollout_node (rollout, node, in_group, state, taken_at) SELECT 1, 'n' || i, i % 3, CASE WHEN i % 20 = 0 THEN 'taken' ELSE 'waiting' END,
     CASE WHEN i % 20 = 0 THEN now() END
   FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO transition (node, at, kind) SELECT 'n' || i, now() - i * interval '1 second', 'paper' FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO event SELECT now(), 'n' || i, 1, 1, 'a', '{}' FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO hour SELECT now(), 'n' || i, now(), 1, 1 FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO boot (node, boot, highest, bits) SELECT 'n' || i, 'b', 1, 1 FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO oddity SELECT 'clock', 'n' || i, 'a', 1, now(), now() - i * interval '1 second', '' FROM generate_series(1, ${nodes / 5}) AS i`,
  `INSERT INTO node_token SELECT 'n' || i, 1, now() - i * interval '1 minute' FROM generate_series(1, ${nodes / 5}) AS i`,
  `INSERT INTO alert (rule, subject, began, ended) SELECT 'offline', 'n' || i, now(), CASE WHEN i % 50 > 0 THEN now() END
   FROM generate_series(1, ${nodes}) AS i`,
  `INSERT INTO audit (at, who, what, subject, detail) SELECT now() - (${nodes} - i) * interval '1 minute', 'ada',
     ('{node changed,node deleted,node replaced,site changed,signed in}'::text[])[1 + i % 5], CASE i % 5 WHEN 3 THEN 's' || i ELSE 'n' || i END,
     json_build_object('by', 'n' || i, 'before', json_build_object('site', 's' || i, 'name', 's' || i), 'after', json_build_object('site', 's' || i, 'name', 's' || i))
   FROM generate_series(1, ${nodes}) AS i`,
];

/** Statements that a fleet on an empty database issues, whatever is asked of it; the counts of wide filters apart. */
interface Statements {
  readonly all: ReadonlyMap<string, Issued>;
  readonly others: ReadonlySet<string>;
}

/** Walks through all that a fleet does, on a database without nodes. */
async function issueAll(where: Where): Promise<Statements> {
  await (await openDatabase(where)).close();
  const statements = recorded();
  const fleet = await fleetOn(where);
  await prepare(fleet);
  // It gets another name on the walk.
  await fleet.call('PUT', '/api/sites/Linz', {});
  await fleet.call('PUT', '/api/sites/Graz', { hours: 'off' });
  for (const name of Object.keys(WALK)) {
    const { body, headers } = WALK[name]!;
    expect([name, (await fleet.call(...addressOf(name), body, headers)).status]).not.toContain(500);
  }
  for (const path of [
    'nodes?offset=2000',
    'nodes?after=b&offset=2000',
    'nodes?limit=1&filter=state:offline',
    'nodes?filter=site:Graz',
    'sites?filter=site:Graz',
    'sites?filter=id:a1',
  ])
    expect((await fleet.call('GET', `/api/${path}`)).status).toBe(200);
  for (const path of ['/api/nodes', '/api/sites', '/api/summary', '/api/alerts', '/metrics'])
    for (const filter of ['graz', 'tag:pilot', 'version:0.2.0', 'state:custody_hold'])
      expect((await fleet.call('GET', `${path}?filter=${filter}`)).status).toBe(200);
  const others = new Set(statements.keys());
  // Without a filter an alert is counted without its node.
  const ofRules = [...others].filter((sql) => /^SELECT rule, count/.test(sql));
  expect(ofRules.filter((sql) => !sql.includes('listed'))).toHaveLength(1);
  for (const filter of WIDE)
    for (const path of ['nodes?offset=9', 'summary?'])
      expect((await fleet.call('GET', `/api/${path}&filter=${encodeURIComponent(filter)}`)).status).toBe(200);
  // A node that comes back with another boot, and a look at it.
  for (const bootId of ['b2', 'b3', 'b4', 'b5', 'b6', 'b1'])
    await fleet.beat(heartbeat({ node: 'd1', bootId, custodyHold: true }));
  await until(async () => (await fleet.call('GET', '/api/alerts?subject=d1')).body.total === 1);
  await fleet.stop();

  return { all: statements, others };
}

/** Walks through all that a fleet does on an empty database of a server, and expects that nothing reads more than it may among so many nodes. */
export async function expectPlans(where: Where, nodes: number): Promise<void> {
  const { all: statements, others } = await issueAll(where);
  if (!('url' in where)) return;
  const client = new pg.Client(where.url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SET synchronous_commit = off');
  for (const statement of [...fillOf(nodes), 'VACUUM ANALYZE']) await client.query(statement);
  const found: object[] = [];
  let counted = 0;
  const { rows: tables } = await client.query('SELECT relname, reltuples FROM pg_class');
  const rowsOf = new Map(tables.map(({ relname, reltuples }) => [String(relname), Number(reltuples)]));
  // Of fewer, one process is through before others have begun.
  const isMany = (rowsOf.get('listed') ?? 0) >= MILLION;
  for (const [sql, { parameters, ofIngest }] of statements) {
    const isCounted = COUNTED.test(sql) && !others.has(sql);
    if (!isCounted && WHOLE.some(([statement]) => statement.test(sql))) continue;
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${sql}`, [...parameters]).catch((error: Error) => {
      throw new Error(`${sql}: ${error.message}`);
    });
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    if (isCounted) {
      counted += 1;
      if (sortsNodes(plan) || (isMany && looksAlone(plan))) found.push({ sql, parameters });
      continue;
    }
    const across = ofIngest && !TOKENS.test(sql) ? readAcross(plan, rowsOf) : [];
    const whole = readWhole(plan, rowsOf);
    if (whole.length + across.length > 0) found.push({ sql, whole, across });
  }
  expect(found).toEqual([]);
  expect(counted).toBe(WIDE.length);
  expect(statements.size).toBeGreaterThan(100);
  expect([...statements.values()].filter(({ ofIngest }) => ofIngest).length).toBeGreaterThan(8);
}
