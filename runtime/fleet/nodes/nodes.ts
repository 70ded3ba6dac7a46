/** Reads nodes for operators. */
import type { Parameter, Queries } from '../database/database.ts';
import type { Seen } from '../ingest/seen.ts';
import type { NodeDetail, NodeHours, NodeList, NodeSummary, NodesQuery, State } from './contract.ts';
import { isKept, placeOfPage, totalOf } from './counts.ts';
import { conditionOf, LISTED, LISTED_WORDS, NAME } from './filter.ts';

const LIMIT = 100;
/** Nodes that are put into their order. Where there are more, it is those that stand in a part of the list. */
const FEW = 10_000;
const TRANSITIONS = 100;
const JOBS = 50;

interface Row {
  readonly id: string;
  readonly shown: string;
  readonly site: string | null;
  readonly tags: string[];
  readonly muted_until: Date | null;
  readonly variant: string;
  readonly version: string;
  readonly states: State[];
  readonly last_seen: Date;
  readonly heartbeats: number;
}

const SUMMARY = `id, ${NAME} AS shown, site, tags, muted_until, variant, version, states, last_seen, heartbeats`;
const summaryOf = (row: Row): NodeSummary => ({
  id: row.id,
  name: row.shown,
  site: row.site,
  tags: row.tags,
  mutedUntil: iso(row.muted_until),
  variant: row.variant,
  firmwareVersion: row.version,
  states: row.states,
  lastSeen: row.last_seen.toISOString(),
  heartbeats: row.heartbeats,
});

/** One page of the nodes that fit, by id, and how many fit. Throws the Refusal of a filter that is none. */
export async function listNodes(
  on: Queries,
  { filter = '', limit = LIMIT, after, offset = 0 }: NodesQuery,
): Promise<NodeList> {
  const parameters: Parameter[] = [];
  const condition = conditionOf(filter, parameters, LISTED_WORDS);
  const isWhole = filter.trim() === '';
  if (!isWhole && (!isKept(filter) || (await totalOf(on, filter)) <= FEW)) {
    const few = await fewOf(on, condition, parameters, { limit, after, offset });
    if (few.total <= FEW) return { nodes: await nodesOf(on, few.ids), total: few.total };
  }
  const { total, first, last, skip } = await placeOfPage(on, filter, { after, offset, limit });
  if (first === undefined) return { nodes: [], total };
  const bind = (value: Parameter) => `$${parameters.push(value)}`;
  const within = [
    `id ${first === after ? '>' : '>='} ${bind(first)}`,
    // Nothing that begins with it is behind that.
    ...(last === '' ? [] : [`id <= ${bind(`${last}\u{10ffff}`)}`]),
  ];
  const page = await on.query<{ id: string }>(
    `SELECT id FROM ${LISTED} WHERE ${condition} AND ${within.join(' AND ')} ORDER BY id LIMIT ${limit} OFFSET ${skip}`,
    parameters,
  );
  return {
    nodes: await nodesOf(
      on,
      page.map(({ id }) => id),
    ),
    total,
  };
}

interface Part {
  readonly after: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** How many fit, and a page of them: in one pass. Where more than a few fit it says that they are more, and ends early. */
async function fewOf(on: Queries, condition: string, parameters: readonly Parameter[], { limit, after, offset }: Part) {
  const [few] = await on.query<{ total: number; ids: string[] }>(
    `SELECT count(*)::int AS total,
       (coalesce(array_agg(id ORDER BY id) FILTER (WHERE id > $${parameters.length + 1}), '{}'))[${offset + 1}:${offset + limit}] AS ids
     FROM (SELECT id FROM ${LISTED} WHERE ${condition} LIMIT ${FEW + 1}) AS few`,
    [...parameters, after ?? ''],
  );
  return few ?? { total: 0, ids: [] };
}

async function nodesOf(on: Queries, ids: readonly string[]): Promise<NodeSummary[]> {
  const rows = await on.query<Row>(
    `SELECT ${SUMMARY} FROM node WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json))) ORDER BY id`,
    [JSON.stringify(ids)],
  );
  return rows.map(summaryOf);
}

interface WholeRow extends Row {
  readonly notes: string;
  readonly said_name: string;
  readonly slot: string;
  readonly address: string;
  readonly first_seen: Date;
  readonly uptime_seconds: number;
  readonly boots: readonly Seen[];
  readonly boot_started: Date | null;
  readonly update_policy: string | null;
  readonly printers: object[];
  readonly peripherals: object[];
  readonly counters: object;
  readonly paper_out_since: Date | null;
  readonly custody_since: Date | null;
  readonly crash: NodeDetail['crash'];
  readonly crash_at: Date | null;
  readonly crashes: readonly number[];
}
const iso = (at: Date | null) => at?.toISOString() ?? null;
/** The row without the columns that are null. */
const present = (row: object) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

/** All that is known of a node; undefined if it was never heard of. */
export async function readNode(on: Queries, id: string): Promise<NodeDetail | undefined> {
  const [row] = await on.query<WholeRow>(`SELECT *, ${NAME} AS shown FROM node WHERE id = $1`, [id]);
  if (row === undefined) return undefined;
  const transitions = await on.query<{ at: Date }>(
    `SELECT at, kind, endpoint, before, after, detail FROM transition WHERE node = $1 ORDER BY id DESC LIMIT ${TRANSITIONS}`,
    [id],
  );
  const jobs = await on.query<{ at: Date; event: { commandId?: string; endpoint?: string; error?: string } }>(
    `SELECT at, event FROM event WHERE node = $1 AND type = 'command_result' ORDER BY at DESC LIMIT ${JOBS}`,
    [id],
  );
  return {
    ...summaryOf(row),
    notes: row.notes,
    saidName: row.said_name,
    slot: row.slot,
    address: row.address,
    firstSeen: row.first_seen.toISOString(),
    uptimeSeconds: row.uptime_seconds,
    bootId: row.boots[0]?.boot || null,
    bootStarted: iso(row.boot_started),
    updatePolicy: row.update_policy,
    printers: row.printers,
    peripherals: row.peripherals,
    counters: row.counters,
    paperOutSince: iso(row.paper_out_since),
    custodySince: iso(row.custody_since),
    crash: row.crash,
    crashAt: iso(row.crash_at),
    crashes: row.crashes.map((at) => new Date(at).toISOString()),
    transitions: transitions.map((each) => ({
      ...present(each),
      at: each.at.toISOString(),
    })) as NodeDetail['transitions'],
    jobs: jobs.map(({ at, event }) => ({
      ok: event.error === undefined,
      ...event,
      commandId: event.commandId ?? '',
      endpoint: event.endpoint ?? '',
      at: at.toISOString(),
    })),
    oddities: await listOddities(on, id),
  };
}

/** Hours of 31 days. */
const HOURS = 744;

/** The last hours of a node, newest first, with the one that goes on; undefined if it was never heard of. */
export async function readHours(on: Queries, id: string): Promise<NodeHours | undefined> {
  const rows = await on.query<{ at: Date | null; heartbeats: number; prints: number }>(
    `SELECT hour_at AS at, hour_heartbeats AS heartbeats, hour_prints AS prints FROM node WHERE id = $1
     UNION ALL (SELECT began, heartbeats, prints FROM hour WHERE node = $1 ORDER BY hour.at DESC LIMIT ${HOURS})`,
    [id],
  );
  if (rows.length === 0) return undefined;
  return { hours: rows.flatMap(({ at, ...sums }) => (at === null ? [] : { at: at.toISOString(), ...sums })) };
}

interface OddityRow {
  readonly kind: string;
  readonly node: string;
  readonly address: string;
  readonly count: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly detail: string;
}

/** What is wrong with requests, the latest first: of one node, or of all. */
export async function listOddities(on: Queries, node?: string): Promise<NodeDetail['oddities']> {
  const rows = await on.query<OddityRow>(
    `SELECT * FROM oddity ${node === undefined ? '' : 'WHERE node = $1'} ORDER BY last_at DESC LIMIT 200`,
    node === undefined ? [] : [node],
  );
  return rows.map(({ first_at, last_at, ...row }) => ({
    ...row,
    firstAt: first_at.toISOString(),
    lastAt: last_at.toISOString(),
  }));
}
