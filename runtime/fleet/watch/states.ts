/** What is wrong with nodes: begins and ends by their rules, looked at every other second. */
import type { Queries } from '../database/database.ts';
import { type Budget, spend } from '../ingest/budget.ts';
import { silenceOf } from '../ingest/heard.ts';
import { LOOP_CRASHES } from '../ingest/state.ts';
import type { Settings } from '../settings/contract.ts';

/** Nodes that are looked at in one look: of a million 13,000 are due in two seconds. */
const STEP = 20_000;
/** Nodes that change in one look: their rows are locked meanwhile. */
const CHANGES = 5000;
/**
 * Nodes of all, in turn, that are looked at besides: where rules were changed, or a clock, or where an earlier version of the
 * fleet runs beside, nobody says what is due.
 */
const SWEEP = 5000;

const SILENCE = silenceOf('$1');
/**
 * A node is offline only where the fleet itself was there to hear it ($5: since when); one that was heard in the future was
 * heard before a clock was set back. Without paper is what it said last and first that long ago: while it is not heard, that
 * does not go on.
 */
const WANTED = `array_remove(ARRAY[
    CASE WHEN (last_seen < now() - ${SILENCE} OR last_seen > now() + ${SILENCE})
      AND ('offline' = ANY (states) OR $5::timestamptz < now() - ${SILENCE}) THEN 'offline' END,
    CASE WHEN 'no_paper' = ANY (states) AND paper_out_since IS NOT NULL
      OR last_seen - paper_out_since >= $2::float8 * interval '1 second' THEN 'no_paper' END,
    CASE WHEN to_timestamp((crashes ->> ${LOOP_CRASHES - 1})::bigint / 1000.0) > now() - $3::float8 * interval '1 second'
      THEN 'crash_loop' END,
    CASE WHEN custody_since <= now() - $4::float8 * interval '1 second' THEN 'custody_hold' END
  ], NULL)`;
/**
 * When a state, or the alert of one, may next begin or end though nothing is heard. A node that is heard is looked at again
 * after the time of the rule alone, so that no heartbeat writes here.
 */
const NEXT = `least('infinity',
    CASE WHEN 'offline' <> ALL (states) THEN greatest(last_seen, $5::timestamptz) + ${SILENCE} END,
    CASE WHEN states && ARRAY['offline', 'no_paper'] THEN NULL ELSE paper_out_since + $2::float8 * interval '1 second' END,
    CASE WHEN 'crash_loop' = ANY (states)
      THEN to_timestamp((crashes ->> ${LOOP_CRASHES - 1})::bigint / 1000.0) + $3::float8 * interval '1 second' END,
    CASE WHEN 'custody_hold' <> ALL (states) THEN custody_since + $4::float8 * interval '1 second' END,
    CASE WHEN states <> '{}' AND muted_until > now() THEN muted_until END,
    CASE WHEN 'offline' = ANY (states) THEN (SELECT turned_at + ${SILENCE} FROM site
      WHERE site.name = node.site AND is_open AND turned_at > now() - ${SILENCE}) END)`;

const FIND = `(SELECT id FROM node WHERE look LIMIT ${STEP})
  UNION (SELECT node FROM due WHERE at <= now() ORDER BY at LIMIT ${STEP})`;
const SWEPT = `SELECT id FROM node WHERE id > (SELECT swept FROM duty WHERE name = 'watch') ORDER BY id LIMIT ${SWEEP}`;
const OF = 'id = ANY (ARRAY(SELECT json_array_elements_text($6::json)))';
// One pass of the nodes, which are large: most have nothing that changes. What is due earlier than it need be stays so.
const LOOK = `WITH looked AS (SELECT id, look, states, ${WANTED} AS wanted, ${NEXT} AS next
      FROM node WHERE ${OF}),
    planned AS (INSERT INTO due (node, at)
      SELECT id, next FROM looked LEFT JOIN due ON due.node = id WHERE due.at IS NULL OR due.at <= now() OR next < due.at
      ON CONFLICT (node) DO UPDATE SET at = excluded.at)
  SELECT id FROM looked WHERE look OR states <> '{}' OR wanted <> '{}'`;
const LOCK = `SELECT id, states, ${WANTED} AS wanted, budget, (extract(epoch FROM now()) * 1000)::bigint AS clock FROM node WHERE ${OF} AND (look OR states IS DISTINCT FROM ${WANTED}) ORDER BY id LIMIT ${CHANGES} FOR UPDATE`;
// $6: what each may still have kept, and whether this is.
const CHANGE = `WITH was AS (SELECT node.id, states, spent.budget, kept
      FROM node JOIN json_to_recordset($6::json) AS spent (id text, budget json, kept boolean) ON spent.id = node.id),
    changed AS (UPDATE node SET look = false, states = ${WANTED.replaceAll('states', 'node.states')},
      budget = coalesce(was.budget, node.budget) FROM was
      WHERE node.id = was.id RETURNING node.id, kept, was.states AS before, node.states AS after)
  INSERT INTO transition (node, at, kind, before, after)
    SELECT id, now(), 'state', NULL, state FROM changed, unnest(after) AS state WHERE kept AND state <> ALL (before)
    UNION ALL
    SELECT id, now(), 'state', state, NULL FROM changed, unnest(before) AS state WHERE kept AND state <> ALL (after)`;
// Of those that have changed meanwhile.
const AGAIN = `UPDATE due SET at = next FROM (SELECT id, ${NEXT} AS next FROM node WHERE ${OF}) AS changed WHERE due.node = id`;
// Nodes that were deleted.
const FORGET = "DELETE FROM due WHERE at = '-infinity' RETURNING node AS id";

/** Nodes, by their ids as JSON. */
export interface Looked {
  /** Nodes that something is wrong with, or was, that said something new, or that were deleted. */
  readonly told: string;
  /** The nodes in `told`, and some of all the others. */
  readonly all: string;
}

/**
 * Brings up to date the states of the nodes that said something new or are due, and of some of all the others. `since`: when
 * the fleet began to listen without a gap.
 */
export async function turnStates(on: Queries, { rules }: Settings, since: Date): Promise<Looked> {
  const parameters = [
    rules.offline.afterSeconds,
    rules.no_paper.afterSeconds,
    rules.crash_loop.withinSeconds,
    rules.custody_hold.afterSeconds,
    since.toISOString(),
  ];
  const found = await on.query<Id>(FIND);
  const swept = await on.query<Id>(SWEPT);
  const last = swept.length < SWEEP ? '' : (swept.at(-1)?.id ?? '');
  await on.query("UPDATE duty SET swept = $1 WHERE name = 'watch'", [last]);
  const told = await on.query<Id>(LOOK, [...parameters, idsOf(found, swept)]);
  const locked = await on.query<Locked>(LOCK, [...parameters, idsOf(told)]);
  if (locked.length > 0) {
    await on.query(CHANGE, [...parameters, JSON.stringify(locked.map(spent))]);
    await on.query(AGAIN, [...parameters, idsOf(locked)]);
  }
  const forgotten = await on.query<Id>(FORGET);
  return { told: idsOf(told, forgotten), all: idsOf(told, forgotten, swept) };
}

type Id = { readonly id: string };
interface Locked extends Id {
  readonly states: readonly string[];
  readonly wanted: readonly string[];
  readonly budget: Budget | null;
  readonly clock: number;
}

/** A node that says this and then that has no more of it kept than of what else it says; what is not is told with its next change. */
function spent({ id, states, wanted, budget: before, clock }: Locked) {
  const others = (some: readonly string[], of: readonly string[]) => some.filter((state) => !of.includes(state)).length;
  const changes = others(states, wanted) + others(wanted, states);
  if (changes === 0) return { id, budget: before, kept: true };
  const { budget, kept } = spend(before, clock, 'rows', changes);
  if (kept === changes) return { id, budget, kept: true };
  return { id, budget: { ...budget, rows: budget.rows + kept, folded: budget.folded + changes }, kept: false };
}
const idsOf = (...rows: readonly (readonly Id[])[]): string =>
  JSON.stringify([...new Set(rows.flat().map(({ id }) => id))]);
