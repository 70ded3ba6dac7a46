/** Alerts: one begins with a state and ends with it, and each is told once. */
import type { Parameter, Queries } from '../database/database.ts';
import { addTallies } from '../history/tallies.ts';
import { silenceOf } from '../ingest/heard.ts';
import { conditionOf, LISTED, LISTED_WORDS, NAME } from '../nodes/filter.ts';
import type { Settings } from '../settings/contract.ts';
import type { Alert, AlertMessage, AlertsQuery } from './contract.ts';
import { CHANNELS, FAILS, OF_FLEET, OF_ROLLOUT } from './subjects.ts';

interface Row {
  readonly id: number;
  readonly rule: string;
  readonly subject: string;
  readonly name: string | null;
  readonly site: string | null;
  readonly began: Date;
  readonly ended: Date | null;
  readonly acknowledged_at: Date | null;
  readonly acknowledged_by: string | null;
}
const viewOf = ({ began, ended, acknowledged_at, acknowledged_by, name, site, ...row }: Row): Alert => ({
  ...row,
  name: name ?? '',
  site,
  began: began.toISOString(),
  ended: ended?.toISOString() ?? null,
  acknowledgedAt: acknowledged_at?.toISOString() ?? null,
  acknowledgedBy: acknowledged_by,
});

/** Alerts that one message lists. */
const TOLD = 200;

/** The alerts of a statement or table `alert`, with what is said of their nodes. */
const viewed = (from: string) =>
  `SELECT alert.id, rule, subject, CASE WHEN node.id IS NULL THEN node_name ELSE ${NAME} END AS name,
     CASE WHEN node.id IS NULL THEN node_site ELSE node.site END AS site, began, ended, acknowledged_at, acknowledged_by
   FROM ${from} AS alert LEFT JOIN node ON node.id = alert.subject`;
const changed = (statement: string) =>
  `WITH changed AS (${statement} RETURNING alert.*) ${viewed('changed')} ORDER BY id`;

/**
 * A node, a rollout or the fleet itself may be this and then that: after so many alerts of one rule in an hour, the next one begins so long
 * after the last. What is so for good is told by then.
 */
const FLAPS = 6;
const REST_MINUTES = 10;
/** Whether one of this rule and subject has to wait; `subject` and `rule`: what stands for them in the statement. */
const rests = (subject: string, rule: string) =>
  `EXISTS (SELECT FROM (SELECT past.began FROM alert AS past WHERE past.subject = ${subject} AND past.rule = ${rule} ORDER BY past.id DESC LIMIT ${FLAPS}) AS past
    HAVING count(*) = ${FLAPS} AND min(began) > now() - interval '1 hour' AND max(began) > now() - interval '${REST_MINUTES} minutes')`;

// Where a rule tells nothing, what it has begun ends. A shop that is closed is not heard; nor is it in the time of the rule
// after it opened ($2).
const BEGIN = changed(`INSERT INTO alert (rule, subject)
  SELECT state, id FROM node LEFT JOIN site ON site.name = node.site, unnest(states) AS state
  WHERE node.id = ANY (ARRAY(SELECT json_array_elements_text($3::json))) AND states <> '{}' AND state = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
    AND NOT coalesce(muted_until > now(), false)
    AND (state <> 'offline' OR site.name IS NULL
      OR is_open AND turned_at <= now() - ${silenceOf('$2')})
    AND NOT EXISTS (SELECT FROM alert WHERE ended IS NULL AND subject = node.id AND rule = state)
    AND NOT ${rests('node.id', 'state')}
  ORDER BY id`);
const END = changed(`UPDATE alert SET ended = now() WHERE ended IS NULL
  AND subject = ANY (ARRAY(SELECT json_array_elements_text($2::json))) AND (
    EXISTS (SELECT FROM node WHERE node.id = alert.subject
      AND (NOT alert.rule = ANY (node.states) OR coalesce(muted_until > now(), false)))
    OR NOT EXISTS (SELECT FROM node WHERE node.id = alert.subject)
    OR rule = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
  ) AND rule NOT IN (${[...OF_ROLLOUT, ...OF_FLEET].map((rule) => `'${rule}'`).join(', ')})`);

/** Begins and ends the alerts of nodes that were looked at (JSON of their ids), after their states have changed. */
export async function turnAlerts(on: Queries, settings: Settings, looked: string): Promise<void> {
  const told = Object.entries(settings.rules);
  const on_ = told.filter(([, { alert }]) => alert).map(([name]) => name);
  const off = told.filter(([, { alert }]) => !alert).map(([name]) => name);
  const begun = await on.query<Row>(BEGIN, [JSON.stringify(on_), settings.rules.offline.afterSeconds, looked]);
  const ended = await on.query<Row>(END, [JSON.stringify(off), looked]);
  await tell(on, settings, begun, ended);
}

/** Where two begin it at once, one does. */
const BEGIN_ONE = changed(`INSERT INTO alert (rule, subject) SELECT $1::text, $2::text
  WHERE NOT EXISTS (SELECT FROM alert WHERE ended IS NULL AND subject = $2 AND rule = $1) AND NOT ${rests('$2', '$1')}
  ON CONFLICT DO NOTHING`);

/**
 * Begins an alert that is not of a node; does nothing if it goes on already, or began so often that the next one has to wait: so it is
 * called in each look for as long as it is so.
 */
export async function beginAlert(on: Queries, settings: Settings, rule: string, subject: string): Promise<void> {
  const begun = await on.query<Row>(BEGIN_ONE, [rule, subject]);
  await tell(on, settings, begun, []);
}

/** Ends it. */
export async function endAlert(on: Queries, settings: Settings, rule: string, subject: string): Promise<void> {
  const ended = await on.query<Row>(
    changed('UPDATE alert SET ended = now() WHERE ended IS NULL AND rule = $1 AND subject = $2'),
    [rule, subject],
  );
  await tell(on, settings, [], ended);
}

/**
 * Notes who looks after an alert; the first who says so. Resolves with who did before, and the alert; undefined if there is none that goes
 * on.
 */
export async function acknowledge(
  on: Queries,
  id: number,
  who: string,
): Promise<[before: Pick<Alert, 'acknowledgedBy'>, after: Alert | undefined]> {
  const [before] = await on.query<Pick<Alert, 'acknowledgedBy'>>(
    'SELECT acknowledged_by AS "acknowledgedBy" FROM alert WHERE id = $1 FOR UPDATE',
    [id],
  );
  const [row] = await on.query<Row>(
    changed(`UPDATE alert SET acknowledged_at = coalesce(acknowledged_at, now()),
      acknowledged_by = coalesce(acknowledged_by, $2) WHERE id = $1 AND ended IS NULL`),
    [id, who],
  );
  return [before ?? { acknowledgedBy: null }, row && viewOf(row)];
}

/** Counts those that begin, and puts one message for each channel beside the alerts, in their transaction. */
async function tell(on: Queries, { alerts }: Settings, begun: readonly Row[], ended: readonly Row[]): Promise<void> {
  if (begun.length + ended.length === 0) return;
  const rules: Record<`alert ${string}`, number> = {};
  for (const { rule } of begun) rules[`alert ${rule}`] = (rules[`alert ${rule}`] ?? 0) + 1;
  await addTallies(on, rules);
  for (const channel of channelsOf(alerts)) {
    const isTold = ({ rule }: Row) => rule !== FAILS[channel];
    const [began, over] = [begun.filter(isTold), ended.filter(isTold)];
    if (began.length + over.length === 0) continue;
    const message: Omit<AlertMessage, 'id' | 'at'> = {
      begun: began.slice(0, TOLD).map(viewOf),
      ended: over.slice(0, TOLD).map(viewOf),
      more: Math.max(0, began.length - TOLD) + Math.max(0, over.length - TOLD),
    };
    await on.query('INSERT INTO delivery (channel, message) VALUES ($1, $2::json)', [channel, JSON.stringify(message)]);
  }
}

/** The channels that are set. */
const channelsOf = ({ webhook, mail }: Settings['alerts']) =>
  CHANNELS.filter((channel) => (channel === 'webhook' ? webhook.url : mail.server) !== '');

/** A receiver that is away for less is one that restarts. */
const FAILS_MINUTES = 10;

/**
 * Begins and ends, for each channel, the alert that others do not get through by it: one waits for long, or the last one that waits no more was not
 * taken, or not by all of its addresses. It goes on until one is taken, or the channel is no longer set.
 */
export async function turnChannels(on: Queries, settings: Settings): Promise<void> {
  const set = channelsOf(settings.alerts);
  for (const channel of CHANNELS) {
    const [found] = set.includes(channel) ? await on.query<{ fails: boolean }>(FAILING, [channel]) : [];
    if (found?.fails === true) await beginAlert(on, settings, FAILS[channel], 'fleet');
    else await endAlert(on, settings, FAILS[channel], 'fleet');
  }
}

const FAILING = `SELECT coalesce((SELECT made_at < now() - interval '${FAILS_MINUTES} minutes' FROM delivery
    WHERE channel = $1 AND done_at IS NULL ORDER BY id LIMIT 1), false)
  OR coalesce((SELECT fault IS NOT NULL FROM delivery WHERE channel = $1 AND done_at IS NOT NULL ORDER BY id DESC LIMIT 1), false) AS fails`;

/** The alerts that fit, newest first. Throws the Refusal of a filter that is none. */
export async function listAlerts(on: Queries, query: AlertsQuery): Promise<{ alerts: Alert[]; total: number }> {
  const conditions = ['true'];
  const parameters: Parameter[] = [];
  const fits = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(condition.replaceAll('?', `$${parameters.length}`));
  };
  if (query.open !== undefined) conditions.push(`ended IS ${query.open === 'true' ? '' : 'NOT '}NULL`);
  if (query.acknowledged !== undefined)
    conditions.push(`acknowledged_at IS ${query.acknowledged === 'true' ? 'NOT ' : ''}NULL`);
  fits('rule = ?', query.rule);
  fits('subject = ?', query.subject);
  if (query.filter !== undefined)
    conditions.push(
      `EXISTS (SELECT FROM ${LISTED} WHERE node.id = subject AND ${conditionOf(query.filter, parameters, LISTED_WORDS)})`,
    );
  const [counted] = await on.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM alert WHERE ${conditions.join(' AND ')}`,
    parameters,
  );
  fits('id < ?', query.before);
  const page = `(SELECT * FROM alert WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ${query.limit ?? 100} OFFSET ${query.offset ?? 0})`;
  const rows = await on.query<Row>(`${viewed(page)} ORDER BY id DESC`, parameters);
  return { alerts: rows.map(viewOf), total: counted?.total ?? 0 };
}
