/** The numbers of the fleet for Prometheus, in its text format (version 0.0.4). */
import { Type } from '@sinclair/typebox';
import { closed } from '../../base/schema.ts';
import { EXPOSITION, exposition, type Metric } from '../../http/exposition.ts';
import { RULES } from '../alerts/contract.ts';
import type { Database, Parameter } from '../database/database.ts';
import { readCounters } from '../history/tallies.ts';
import { PASSED, type Route, route } from '../http/routes.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { ODDITIES } from '../ingest/oddities.ts';
import { Filter, STATES } from '../nodes/contract.ts';
import { countNodes } from '../nodes/counts.ts';
import { conditionOf, LISTED, LISTED_WORDS, NAME } from '../nodes/filter.ts';

/** Alerts with a series of their own; beyond that their number tells. */
const SERIES = 1000;
/** Alerts that are looked at for a filter, each with its node: the newest. */
const LOOKED_AT = 50_000;

/** The query of GET /metrics. */
const MetricsQuery = closed(
  { filter: Type.Optional({ ...Filter, description: `of nodes, and of their alerts; ${Filter.description}` }) },
  { $id: 'MetricsQuery' },
);

/** What counts its failures. */
type Counted = { readonly failures: number } | undefined;

async function collect(database: Database, ingest: Ingest, bucket: Counted, filter: string): Promise<Metric[]> {
  const values: Parameter[] = [];
  const fits = conditionOf(filter, values, LISTED_WORDS);
  const { total, states, versions } = await countNodes(database, filter, 'frequent');
  const counters = await readCounters(database);
  const isAll = filter.trim() === '';
  const open = `FROM (SELECT * FROM alert WHERE ended IS NULL ORDER BY id DESC LIMIT ${isAll ? SERIES : LOOKED_AT}) AS alert
     LEFT JOIN LATERAL (SELECT * FROM ${LISTED} WHERE node.id = subject OFFSET 0) AS node ON true
     WHERE (node.id IS NULL OR ${fits})`;
  const alerts = await database.query<{ rule: string; subject: string; name: string; site: string; began: Date }>(
    `SELECT rule, subject, coalesce(${NAME}, '') AS name, coalesce(site, '') AS site, began
     ${open} ORDER BY alert.id DESC LIMIT ${SERIES}`,
    values,
  );
  const rules = await database.query<{ rule: string; alerts: number }>(
    `SELECT rule, count(*)::int AS alerts ${isAll ? 'FROM alert WHERE ended IS NULL' : open} GROUP BY rule`,
    isAll ? [] : values,
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
      // Those of the nodes that fit a filter are fewer where one goes, and a counter never is.
      'Heartbeats of all nodes, each once, as processes told within ten seconds; without a filter.',
      isAll ? [[{}, counters.get('heartbeats') ?? 0]] : [],
    ),
    metric(
      'alert',
      'gauge',
      'Alerts that go on, with the time they began in seconds since 1970.',
      alerts.map(({ began, ...labels }) => [labels, began.getTime() / 1000]),
    ),
    metric(
      'alerts_open',
      'gauge',
      `How many alerts go on, by their rule, with a filter of the newest ${LOOKED_AT}: of nodes that are muted there are none, and offline begins for none whose site is closed.`,
      RULES.map((rule) => [{ rule }, rules.find((each) => each.rule === rule)?.alerts ?? 0]),
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
      'What is wrong with requests, as processes told within ten seconds.',
      ODDITIES.map((kind) => [{ kind }, counters.get(`oddity ${kind}`) ?? 0]),
    ),
    metric('process_messages_stored_total', 'counter', 'Messages that this process stored.', [[{}, stored]]),
    metric('process_messages_refused_total', 'counter', 'Messages that this process answered 503.', [[{}, refused]]),
    metric('process_messages_waiting', 'gauge', 'Messages that wait in this process.', [[{}, waiting]]),
    metric(
      'process_disk_full',
      'gauge',
      'Whether the disk of a database in the process has no room (1): then it is only read.',
      [[{}, Number(database.isFull())]],
    ),
    metric(
      'process_bucket_failures_total',
      'counter',
      'Requests of this process to the bucket of images that failed; where there is one.',
      bucket === undefined ? [] : [[{}, bucket.failures]],
    ),
    metric('process_resident_memory_bytes', 'gauge', 'Memory of this process.', [[{}, process.memoryUsage.rss()]]),
  ];
}

/** The route. `bucket`: where there is one. */
export const metricsRoutes = (database: Database, ingest: Ingest, bucket: Counted): Route[] => [
  route({
    method: 'GET',
    path: '/metrics',
    access: 'metrics',
    summary: 'numbers for Prometheus',
    query: MetricsQuery,
    type: EXPOSITION,
    async handle({ query: { filter = '' }, context }) {
      context.type = EXPOSITION;
      context.body = exposition(await collect(database, ingest, bucket, filter));
      return PASSED;
    },
  }),
];
