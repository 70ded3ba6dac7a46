/** Alerts: one begins with a state and ends with it, and each is told once. */
import type { Parameter, Queries } from '../database/database.ts';
import type { Settings } from '../settings/contract.ts';
import type { Alert, AlertMessage } from './contract.ts';

interface Row {
  readonly id: number;
  readonly rule: string;
  readonly subject: string;
  readonly began: Date;
  readonly ended: Date | null;
}
const COLUMNS = 'id, rule, subject, began, ended';
const viewOf = ({ began, ended, ...row }: Row): Alert => ({
  ...row,
  began: began.toISOString(),
  ended: ended?.toISOString() ?? null,
});

/** Alerts that one message lists. */
const LISTED = 200;

// Where a rule tells nothing, what it has begun ends.
const BEGIN = `INSERT INTO alert (rule, subject)
  SELECT state, id FROM node, unnest(states) AS state
  WHERE states <> '{}' AND state = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
    AND NOT EXISTS (SELECT FROM alert WHERE ended IS NULL AND subject = node.id AND rule = state)
  ORDER BY id RETURNING ${COLUMNS}`;
const END = `UPDATE alert SET ended = now() WHERE ended IS NULL AND (
    EXISTS (SELECT FROM node WHERE node.id = alert.subject AND NOT alert.rule = ANY (node.states))
    OR rule = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
  ) AND rule <> 'rollout_halted' RETURNING ${COLUMNS}`;

/** Begins and ends the alerts of nodes, after their states have changed. */
export async function turnAlerts(on: Queries, settings: Settings): Promise<void> {
  const told = Object.entries(settings.rules);
  const on_ = told.filter(([, { alert }]) => alert).map(([name]) => name);
  const off = told.filter(([, { alert }]) => !alert).map(([name]) => name);
  const begun = await on.query<Row>(BEGIN, [JSON.stringify(on_)]);
  const ended = await on.query<Row>(END, [JSON.stringify(off)]);
  await tell(on, settings, begun, ended);
}

/** Begins an alert that is not of a node; does nothing if it goes on already. */
export async function beginAlert(on: Queries, settings: Settings, rule: string, subject: string): Promise<void> {
  const begun = await on.query<Row>(
    `INSERT INTO alert (rule, subject) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    [rule, subject],
  );
  await tell(on, settings, begun, []);
}

/** Ends it. */
export async function endAlert(on: Queries, settings: Settings, rule: string, subject: string): Promise<void> {
  const ended = await on.query<Row>(
    `UPDATE alert SET ended = now() WHERE ended IS NULL AND rule = $1 AND subject = $2 RETURNING ${COLUMNS}`,
    [rule, subject],
  );
  await tell(on, settings, [], ended);
}

/** Puts one message for each channel beside the alerts, in their transaction. */
async function tell(on: Queries, { alerts }: Settings, begun: readonly Row[], ended: readonly Row[]): Promise<void> {
  if (begun.length + ended.length === 0) return;
  const message: Omit<AlertMessage, 'id' | 'at'> = {
    begun: begun.slice(0, LISTED).map(viewOf),
    ended: ended.slice(0, LISTED).map(viewOf),
    more: Math.max(0, begun.length - LISTED) + Math.max(0, ended.length - LISTED),
  };
  const channels = [alerts.webhook.url !== '' && 'webhook', alerts.mail.server !== '' && 'mail'];
  for (const channel of channels.filter((each) => each !== false))
    await on.query('INSERT INTO delivery (channel, message) VALUES ($1, $2::json)', [channel, JSON.stringify(message)]);
}

/** The alerts that fit, newest first. */
export async function listAlerts(
  on: Queries,
  query: { open?: string; rule?: string; subject?: string; limit?: number; before?: number },
): Promise<{ alerts: Alert[]; total: number }> {
  const conditions = ['true'];
  const parameters: Parameter[] = [];
  const fits = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(condition.replaceAll('?', `$${parameters.length}`));
  };
  if (query.open !== undefined) conditions.push(`ended IS ${query.open === 'true' ? '' : 'NOT '}NULL`);
  fits('rule = ?', query.rule);
  fits('subject = ?', query.subject);
  const [counted] = await on.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM alert WHERE ${conditions.join(' AND ')}`,
    parameters,
  );
  fits('id < ?', query.before);
  const rows = await on.query<Row>(
    `SELECT ${COLUMNS} FROM alert WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ${query.limit ?? 100}`,
    parameters,
  );
  return { alerts: rows.map(viewOf), total: counted?.total ?? 0 };
}
