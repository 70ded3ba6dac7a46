/** What is wrong with nodes: begins and ends by their rules, looked at every other second. */
import type { Queries } from '../database/database.ts';
import { LOOP_CRASHES } from '../ingest/state.ts';
import type { Settings } from '../settings/contract.ts';

/** Nodes that change in one step: their rows are locked meanwhile. */
const STEP = 2000;

/**
 * A node is offline only where the fleet itself was there to hear it ($5: since when); one that was heard in the future was
 * heard before a clock was set back. Without paper is what it said last and first that long ago: while it is not heard, that
 * does not go on.
 */
const WANTED = `array_remove(ARRAY[
    CASE WHEN (last_seen < now() - $1::float8 * interval '1 second' OR last_seen > now() + $1::float8 * interval '1 second')
      AND ('offline' = ANY (states) OR $5::timestamptz < now() - $1::float8 * interval '1 second') THEN 'offline' END,
    CASE WHEN 'no_paper' = ANY (states) AND paper_out_since IS NOT NULL
      OR last_seen - paper_out_since >= $2::float8 * interval '1 second' THEN 'no_paper' END,
    CASE WHEN to_timestamp((crashes ->> ${LOOP_CRASHES - 1})::bigint / 1000.0) > now() - $3::float8 * interval '1 second'
      THEN 'crash_loop' END,
    CASE WHEN custody_since <= now() - $4::float8 * interval '1 second' THEN 'custody_hold' END
  ], NULL)`;
const FIND = `SELECT id FROM node WHERE states IS DISTINCT FROM ${WANTED} ORDER BY id LIMIT ${STEP} FOR UPDATE`;
const CHANGE = `WITH was AS (SELECT id, states FROM node WHERE id = ANY (ARRAY(SELECT json_array_elements_text($6::json)))),
    changed AS (UPDATE node SET states = ${WANTED.replaceAll('states', 'node.states')} FROM was WHERE node.id = was.id
      RETURNING node.id, was.states AS before, node.states AS after)
  INSERT INTO transition (node, at, kind, before, after)
    SELECT id, now(), 'state', NULL, state FROM changed, unnest(after) AS state WHERE state <> ALL (before)
    UNION ALL
    SELECT id, now(), 'state', state, NULL FROM changed, unnest(before) AS state WHERE state <> ALL (after)`;

/** Brings the states up to date. `since`: when the fleet began to listen without a gap. Resolves with how many changed. */
export async function turnStates(on: Queries, { rules }: Settings, since: Date): Promise<number> {
  const parameters = [
    rules.offline.afterSeconds,
    rules.no_paper.afterSeconds,
    rules.crash_loop.withinSeconds,
    rules.custody_hold.afterSeconds,
    since.toISOString(),
  ];
  const found = await on.query<{ id: string }>(FIND, parameters);
  if (found.length > 0) await on.query(CHANGE, [...parameters, JSON.stringify(found.map(({ id }) => id))]);
  return found.length;
}
