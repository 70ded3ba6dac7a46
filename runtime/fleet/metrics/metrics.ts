/** The numbers of the fleet for Prometheus, in its text format (version 0.0.4). */
import { Type } from '@sinclair/typebox';
import { closed } from '../../base/schema.ts';
import { EXPOSITION, exposition, type Metric } from '../../http/exposition.ts';
import type { Database, Parameter, Queries } from '../database/database.ts';
import { readCounter } from '../history/tallies.ts';
import { PASSED, type Route, route } from '../http/routes.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { Filter, STATES } from '../nodes/contract.ts';
import { countNodes } from '../nodes/counts.ts';
import { conditionOf, LISTED, LISTED_WORDS, NAME } from '../nodes/filter.ts';

/** Alerts with a series of their own; beyond that their number tells. */
const SERIES = 1000;
/** Nodes whose heartbeats are added up for a filter. */
const SUMMED = 10_000;

/** The query of GET /metrics. */
const MetricsQuery = closed(
  { filter: Type.Optional({ ...Filter, description: `of nodes, and of their alerts; ${Filter.description}` }) },
  { $id: 'MetricsQuery' },
);

/** Heartbeats of all nodes, as processes told them; with a filter the sum of those that fit, unless they are too many to be read. */
async function heartbeatsOf(on: Queries, filter: string, total: number): Promise<number | undefined> {
  if (filter.trim() === '') return readCounter(on, 'heartbeats');
  if (total > SUMMED) return undefined;
  const values: Parameter[] = [];
  const fits = conditionOf(filter, values, LISTED_WORDS);
  const [sum] = await on.query<{ heartbeats: number }>(
    `SELECT coalesce(sum(heartbeats), 0)::float8 AS heartbeats FROM node
     WHERE id = ANY (ARRAY(SELECT id FROM ${LISTED} WHERE ${fits} LIMIT ${SUMMED}))`,
    values,
  );
  return sum?.heartbeats;
}

async function collect(database: Database, ingest: Ingest, filter: string): Promise<Metric[]> {
  const values: Parameter[] = [];
  const fits = conditionOf(filter, values, LISTED_WORDS);
  const { total, states, versions } = await countNodes(database, filter, 'frequent');
  const heartbeats = await heartbeatsOf(database, filter, total);
  const alerts = await database.query<{ rule: string; subject: string; name: string; site: string; began: Date }>(
    `SELECT rule, subject, coalesce(${NAME}, '') AS name, coalesce(site, '') AS site, began
     FROM alert LEFT JOIN LATERAL (SELECT * FROM ${LISTED} WHERE node.id = subject OFFSET 0) AS node ON true
     WHERE ended IS NULL AND (node.id IS NULL OR ${fits})
     ORDER BY alert.id DESC LIMIT ${SERIES}`,
    values,
  );
  const oddities = await database.query<{ kind: string; count: number }>(
    'SELECT kind, sum(count)::float8 AS count FROM oddity GROUP BY kind ORDER BY kind',
  );
  const rollouts = await database.query<{ id: number; variant: string; version: string; state: string }>(
    "SELECT id, variant, version, state FROM rollout WHERE state IN ('running', 'halted') ORDER BY id",
  );
  const { stored, refused, waiting } = ingest.counts;
  const metric = (name: string, type: Metric['type'], help: string, samples: Metric['samples']): Metric => ({
    name: `tillnode_fleet_${name}`,
    type,
    help,
    samples,
  });
  return [
    metric('nodes', 'gauge', 'Nodes that were ever heard.', [[{}, total]]),
    metric(
      'nodes_in_state',
      'gauge',
      'Nodes in each state that is wrong.',
      STATES.map((state) => [{ state }, states.find((each) => each.state === state)?.nodes ?? 0]),
    ),
    metric(
      'nodes_with_version',
      'gauge',
      'Nodes by variant and firmware, the most frequent ones.',
      versions.map(({ variant, version, nodes }) => [{ variant, version }, nodes]),
    ),
    metric(
      'heartbeats_total',
      'counter',
      'Heartbeats of all nodes, each once, as processes told within ten seconds; of those that fit a filter, where they are few.',
      heartbeats === undefined ? [] : [[{}, heartbeats]],
    ),
    metric(
      'alert',
      'gauge',
      'Alerts that go on, with the time they began in seconds since 1970.',
      alerts.map(({ began, ...labels }) => [labels, began.getTime() / 1000]),
    ),
    metric(
      'rollout',
      'gauge',
      'Rollouts that run or were halted.',
      rollouts.map(({ id, variant, version, state }) => [{ rollout: String(id), variant, version, state }, 1]),
    ),
    metric(
      'oddities_total',
      'counter',
      'What is wrong with requests.',
      oddities.map(({ kind, count }) => [{ kind }, count]),
    ),
    metric('process_messages_stored_total', 'counter', 'Messages that this process stored.', [[{}, stored]]),
    metric('process_messages_refused_total', 'counter', 'Messages that this process answered 503.', [[{}, refused]]),
    metric('process_messages_waiting', 'gauge', 'Messages that wait in this process.', [[{}, waiting]]),
    metric('process_resident_memory_bytes', 'gauge', 'Memory of this process.', [[{}, process.memoryUsage.rss()]]),
  ];
}

/** The route. */
export const metricsRoutes = (database: Database, ingest: Ingest): Route[] => [
  route({
    method: 'GET',
    path: '/metrics',
    access: 'metrics',
    summary: 'numbers for Prometheus',
    query: MetricsQuery,
    type: EXPOSITION,
    async handle({ query: { filter = '' }, context }) {
      context.type = EXPOSITION;
      context.body = exposition(await collect(database, ingest, filter));
      return PASSED;
    },
  }),
];
