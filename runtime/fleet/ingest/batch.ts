/** One batch of messages into the database, in one transaction. */

import type { Queries, Transactions } from '../database/database.ts';
import { spend } from './budget.ts';
import type { Heartbeat, Webhook } from './contract.ts';
import type { HourSums } from './hours.ts';
import type { Oddity } from './oddities.ts';
import type { Seen } from './seen.ts';
import {
  bootOf,
  isAstray,
  isUnclear,
  type NodeState,
  type Taken,
  type Transition,
  takeHeartbeat,
  takeWebhook,
  versionOrder,
} from './state.ts';

/** A message that waits to be stored. */
export type Message = { readonly address: string } & (
  | { readonly kind: 'heartbeat'; readonly message: Heartbeat }
  | { readonly kind: 'webhook'; readonly message: Webhook }
);
export type CountedOddity = Oddity & { readonly count: number };
/** What was stored: heartbeats that had not been before, and what was wrong, by its kind. */
export interface Stored {
  readonly heartbeats: number;
  readonly oddities: ReadonlyMap<Oddity['kind'], number>;
}

/** The columns of NodeState, with their types in SQL. Those of json are sent only where they have changed. */
const COLUMNS = {
  variant: 'text',
  version: 'text',
  slot: 'text',
  last_seen: 'bigint',
  heartbeats: 'bigint',
  address: 'text',
  address_before: 'text',
  address_since: 'bigint',
  boots: 'json',
  uptime_seconds: 'bigint',
  pace_seconds: 'bigint',
  boot_started: 'bigint',
  boot_told: 'boolean',
  event_seq: 'bigint',
  event_at: 'bigint',
  printers: 'json',
  peripherals: 'json',
  counters: 'json',
  crash: 'json',
  crash_at: 'bigint',
  crash_version: 'text',
  crashes: 'json',
  paper_out_since: 'bigint',
  custody_since: 'bigint',
  update_policy: 'text',
  said_name: 'text',
  hour_at: 'bigint',
  hour_heartbeats: 'bigint',
  hour_prints: 'bigint',
  budget: 'json',
  codecs: 'json',
} as const satisfies { [Column in Exclude<keyof NodeState, 'id'>]: 'text' | 'bigint' | 'boolean' | 'json' };
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const TIMES = /_(seen|since|started|at)$/;
const JSONS = NAMES.filter((name) => COLUMNS[name] === 'json');

const time = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint AS ${column}`;
const SELECT = `SELECT id, states, ${NAMES.map((name) => (TIMES.test(name) ? time(name) : name)).join(', ')},
    (extract(epoch FROM now()) * 1000)::bigint AS clock
  FROM node WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json))) ORDER BY id FOR UPDATE`;
const THERE = `SELECT id FROM node WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))`;
const INSERT = `INSERT INTO node (id) SELECT id FROM json_array_elements_text($1::json) AS each (id) ORDER BY id
  ON CONFLICT DO NOTHING`;
const UPDATE = `UPDATE node SET ${NAMES.map((name) => {
  if (TIMES.test(name)) return `${name} = to_timestamp(was.${name} / 1000.0)`;
  return JSONS.includes(name) && name !== 'crash'
    ? `${name} = coalesce(was.${name}, node.${name})`
    : `${name} = was.${name}`;
}).join(', ')}, version_order = was.version_order, look = node.look OR was.look
  FROM json_to_recordset($1::json)
    AS was (id text, version_order text, look boolean, ${NAMES.map((name) => `${name} ${COLUMNS[name]}`).join(', ')})
  WHERE node.id = was.id`;
// In the partition of the day in which the hour ended.
const HOURS = `INSERT INTO hour SELECT now(), node, to_timestamp(hour_at / 1000.0), hour_heartbeats, hour_prints
  FROM json_to_recordset($1::json) AS row (node text, hour_at bigint, hour_heartbeats int, hour_prints int)`;
const EVENTS = `INSERT INTO event SELECT now(), node, seq, uptime_ms, event ->> 'type', event
  FROM json_to_recordset($1::json) AS row (node text, seq bigint, uptime_ms bigint, event json)`;
// Those that the row of the node has no place for.
const OLD_BOOTS = `INSERT INTO boot (node, boot, highest, bits) SELECT node, boot, highest, bits
  FROM json_to_recordset($1::json) AS row (node text, boot text, highest bigint, bits bigint)
  ON CONFLICT (node, boot) DO UPDATE SET highest = excluded.highest, bits = excluded.bits`;
const OLD_BOOTS_OF = `SELECT node, boot, highest, bits FROM boot
  JOIN json_to_recordset($1::json) AS row (node text, boot text) USING (node, boot)`;
// A partition is searched by its index on node and time.
const STORED = `SELECT DISTINCT node, seq, uptime_ms FROM event JOIN json_to_recordset($1::json)
    AS row (node text, seq bigint, uptime_ms bigint) USING (node, seq, uptime_ms)`;
const TRANSITIONS = `INSERT INTO transition (node, at, kind, endpoint, before, after, detail)
  SELECT node, now(), kind, endpoint, before, after, detail FROM json_to_recordset($1::json)
    AS row (node text, kind text, endpoint text, before text, after text, detail json)`;
const ODDITY = `INSERT INTO oddity (kind, node, address, count, first_at, last_at, detail)
  SELECT kind, node, address, sum(count), now(), now(), max(detail) FROM json_to_recordset($1::json)
    AS row (kind text, node text, address text, count bigint, detail text)
  GROUP BY kind, node, address ORDER BY kind, node, address
  ON CONFLICT (kind, node, address) DO UPDATE SET count = oddity.count + excluded.count, last_at = now(),
    detail = excluded.detail`;

/** Comes every few seconds. */
const REPEATED = 'printer_status';
/** Boots in the row of a node: a message that was under way as the node restarted comes after the first of the next. */
const BOOTS = 4;

/** Tries of one batch: nobody deletes nodes of it again and again. */
const TRIES = 5;
/** A node was deleted while the batch waited for its row: the others are not to wait for that, nor to be refused. */
class Deleted extends Error {}

/**
 * Stores the messages in their order, and what was counted beside them. When it resolves, they are committed.
 */
export async function store(
  database: Transactions,
  messages: readonly Message[],
  counted: readonly CountedOddity[],
): Promise<Stored> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await storeOnce(database, messages, counted);
    } catch (error) {
      if (tried === TRIES || !(error instanceof Deleted)) throw error;
    }
  }
}

async function storeOnce(
  database: Transactions,
  messages: readonly Message[],
  counted: readonly CountedOddity[],
): Promise<Stored> {
  const ids = [...new Set(messages.map(({ message }) => message.node))].sort();
  return database.transaction(async (on) => {
    const known = await withOldBoots(on, messages, await statesOf(on, ids));
    const { heartbeats, changed, boots, hours, events, transitions, oddities } = apply(
      messages,
      known,
      await storedOf(on, messages, known),
    );
    const write = async (sql: string, rows: readonly object[]) => {
      if (rows.length > 0) await on.query(sql, [JSON.stringify(rows)]);
    };
    await write(UPDATE, changed);
    await write(OLD_BOOTS, boots);
    await write(HOURS, hours);
    await write(EVENTS, events);
    await write(TRANSITIONS, transitions);
    const odd = [...counted, ...oddities];
    await write(ODDITY, odd);
    const kinds = new Map<Oddity['kind'], number>();
    for (const { kind, count } of odd) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    return { heartbeats, oddities: kinds };
  });
}

type Row = NodeState & { readonly clock: number; readonly states: readonly string[] };

/**
 * Makes the rows that are lacking, then locks all, both in the same order everywhere: whoever still makes rows has locked
 * none of those that were there, so that two processes never wait for each other. Rejects with Deleted where one of them went.
 */
async function statesOf(on: Queries, ids: readonly string[]): Promise<Map<string, Row>> {
  if (ids.length === 0) return new Map();
  const wanted = JSON.stringify(ids);
  const there = new Set((await on.query<{ id: string }>(THERE, [wanted])).map(({ id }) => id));
  const lacking = ids.filter((id) => !there.has(id));
  if (lacking.length > 0) await on.query(INSERT, [JSON.stringify(lacking)]);
  const rows = await on.query<Row>(SELECT, [wanted]);
  if (rows.length < ids.length) throw new Deleted('a node was deleted meanwhile');
  return new Map(rows.map((row) => [row.id, row]));
}

/** The states, and behind the boots that they have those that messages name and the table remembers. */
async function withOldBoots(
  on: Queries,
  messages: readonly Message[],
  known: ReadonlyMap<string, Row>,
): Promise<ReadonlyMap<string, Row>> {
  const unknown = messages.flatMap(({ kind, message }) => {
    const boots = known.get(message.node)?.boots ?? [];
    const boot = kind === 'heartbeat' ? bootOf(message) : undefined;
    return boot === undefined || boots.length < BOOTS || boots.some((each) => each.boot === boot)
      ? []
      : [{ node: message.node, boot }];
  });
  if (unknown.length === 0) return known;
  const found = await on.query<{ node: string; boot: string; highest: number; bits: number }>(OLD_BOOTS_OF, [
    JSON.stringify(unknown),
  ]);
  const states = new Map(known);
  for (const { node, bits, ...boot } of found) {
    const row = states.get(node);
    if (row !== undefined) states.set(node, { ...row, boots: [...row.boots, { ...boot, window: bits }] });
  }
  return states;
}

/**
 * Webhooks that are stored already. Where its time does not say that one is of the boot that is known, the state of
 * its node does not say so either; then the table is asked.
 */
async function storedOf(
  on: Queries,
  messages: readonly Message[],
  known: ReadonlyMap<string, Row>,
): Promise<ReadonlySet<Message>> {
  const unclear = messages.filter((each) => {
    const row = known.get(each.message.node);
    return each.kind === 'webhook' && row !== undefined && isUnclear(row, each.message, row.clock);
  });
  if (unclear.length === 0) return new Set();
  const keyOf = ({ node, seq, uptime_ms }: EventKey) => `${node} ${seq} ${uptime_ms}`;
  const rowOf = (each: Message) => eventRow(each.message as Webhook);
  const found = new Set((await on.query<EventKey>(STORED, [JSON.stringify(unclear.map(rowOf))])).map(keyOf));
  return new Set(unclear.filter((each) => found.has(keyOf(rowOf(each)))));
}
type EventKey = Pick<ReturnType<typeof eventRow>, 'node' | 'seq' | 'uptime_ms'>;

function apply(messages: readonly Message[], known: ReadonlyMap<string, Row>, stored: ReadonlySet<Message>) {
  const states = new Map<string, NodeState>(known);
  const [hours, events, transitions]: [object[], object[], object[]] = [[], [], []];
  const oddities: CountedOddity[] = [];
  let heartbeats = 0;
  for (const each of messages) {
    const id = each.message.node;
    const row = known.get(id);
    const before = states.get(id);
    if (row === undefined || before === undefined) throw new Deleted(`the row of ${id} is not there`);
    const taken = take(each, before, row.clock, stored.has(each));
    const odd = [...taken.oddities];
    let { state } = taken;
    if (taken.fresh) {
      if (each.kind === 'heartbeat') heartbeats += 1;
      const kept = within(state, taken.transitions, row.clock);
      state = kept.state;
      transitions.push(...kept.transitions.map((transition) => ({ node: id, ...transition })));
      if (taken.hour !== undefined) hours.push(hourRow(id, taken.hour));
      if (each.kind === 'webhook' && saysNew(before, taken, each.message, row.clock)) {
        const spent = spend(state.budget, row.clock, 'events', 1);
        state = { ...state, budget: spent.budget };
        if (spent.kept === 1) events.push(eventRow(each.message));
        else odd.push({ kind: 'flood', detail: `more events than are kept of one node: ${each.message.event.type}` });
      }
    }
    states.set(id, state);
    for (const oddity of odd) oddities.push({ ...oddity, node: id, address: each.address, count: 1 });
  }
  const others = [...states.values()].filter((state) => state !== known.get(state.id));
  const changed = others.map((state) => written(state, known));
  const boots = others.flatMap((state) => bootRows(state, known.get(state.id)?.boots));
  return { heartbeats, changed, boots, hours, events, transitions, oddities };
}

/** The changes that may be kept, and what the node may still have; what is folded is told by the next one that is kept. */
function within(
  state: NodeState,
  transitions: readonly Transition[],
  clock: number,
): { readonly state: NodeState; readonly transitions: readonly Transition[] } {
  // A boot that moves to the table of old ones is a row, too.
  const old = Math.max(0, state.boots.length - BOOTS);
  if (transitions.length + old === 0) return { state, transitions };
  const { budget, kept } = spend(state.budget, clock, 'rows', transitions.length + old);
  const boots = kept < transitions.length + old ? state.boots.slice(0, BOOTS) : state.boots;
  const told = transitions.slice(0, kept);
  const folded = budget.folded + transitions.length - told.length;
  const before: Transition[] =
    told.length > 0 && budget.folded > 0 ? [{ kind: 'folded', detail: { count: budget.folded } }] : [];
  return {
    state: { ...state, boots, budget: { ...budget, folded: before.length > 0 ? folded - budget.folded : folded } },
    transitions: [...before, ...told],
  };
}

/** Whether a webhook is kept: one of REPEATED only where it says something new, or could be sent again as the first of a new boot. */
const saysNew = (before: NodeState, taken: Taken, message: Webhook, clock: number): boolean =>
  message.event.type !== REPEATED || taken.transitions.length > 0 || isAstray(before, message, clock);

const take = (each: Message, before: NodeState, clock: number, isStored: boolean): Taken =>
  each.kind === 'heartbeat'
    ? takeHeartbeat(before, each.message, clock, each.address)
    : takeWebhook(before, each.message, clock, isStored);

/** A row of UPDATE: without the json that is as it was. */
function written(state: NodeState, known: ReadonlyMap<string, Row>): object {
  const before = known.get(state.id);
  const { clock: _, ...whole } = { clock: 0, ...state } as NodeState & { clock?: number };
  const row = { ...whole, boots: whole.boots.slice(0, BOOTS) };
  const unchanged = JSONS.filter(
    (name) =>
      name !== 'crash' &&
      (row[name] === before?.[name] || JSON.stringify(row[name]) === JSON.stringify(before?.[name])),
  );
  return {
    ...row,
    ...Object.fromEntries(unchanged.map((name) => [name, null])),
    version_order: versionOrder(state),
    look: before !== undefined && mayChange(before, state),
  };
}

/** Whether the watch has to look at a node at once, by what was heard: the rest comes with time. */
const mayChange = (before: Row, after: NodeState): boolean =>
  before.states.includes('offline') ||
  (['paper_out_since', 'custody_since', 'crash_at', 'version'] as const).some((name) => before[name] !== after[name]);

/** Rows of OLD_BOOTS: what the row of the node has no place for, and the table has not as it is. */
const bootRows = ({ id, boots }: NodeState, before: readonly Seen[] | undefined) =>
  boots
    .slice(BOOTS)
    .filter((each) => before?.indexOf(each, BOOTS) === -1)
    .map(({ boot, highest, window }) => ({ node: id, boot, highest, bits: window }));

const hourRow = (node: string, sums: HourSums) => ({ node, ...sums });

const eventRow = ({ node, seq, uptimeMs, event }: Webhook) => ({ node, seq, uptime_ms: uptimeMs, event });
