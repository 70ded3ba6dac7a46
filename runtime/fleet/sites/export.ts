/** Everything that is stored of a site and its nodes, to take along. */
import type { Queries } from '../database/database.ts';
import { readNode } from '../nodes/nodes.ts';

/** Rows of one question: a site may have more than fits the memory. */
const STEP = 5000;

/** What is told of a node, or of the site itself ($1), in an order that stays. */
const OF_NODE: Readonly<Record<string, string>> = {
  hour: 'SELECT began AS at, heartbeats, prints FROM hour WHERE node = $1 ORDER BY hour.at',
  event: 'SELECT at, seq, uptime_ms AS "uptimeMs", event FROM event WHERE node = $1 ORDER BY at, seq',
  transition: `SELECT at, kind AS what, endpoint, before, after, detail FROM transition WHERE node = $1 ORDER BY id`,
  alert: `SELECT id, rule, began, ended, acknowledged_at AS "acknowledgedAt", acknowledged_by AS "acknowledgedBy"
    FROM alert WHERE subject = $1 ORDER BY id`,
  rollout: `SELECT rollout.id, variant, version, in_group AS group, member.state, member.reason, asked_at AS "askedAt",
      offered_at AS "offeredAt", taken_at AS "takenAt", member.ended_at AS "endedAt"
    FROM rollout JOIN rollout_node AS member ON member.rollout = rollout.id WHERE member.node = $1 ORDER BY rollout.id`,
  audit: 'SELECT id, at, who, what, detail FROM audit WHERE subject = $1 ORDER BY id',
};

/** Lines of JSON: `{kind: "site", …}`, then of each node `{kind: "node", …}` and what is stored of it, with its id as `node`. */
export async function* exportSite(on: Queries, site: { readonly name: string }): AsyncGenerator<string> {
  yield lineOf({ kind: 'site', ...site });
  yield* rowsOf(on, 'audit', site.name, {});
  for (let after = ''; ; ) {
    const [next] = await on.query<{ id: string }>(
      'SELECT id FROM node WHERE site = $1 AND id > $2 ORDER BY id LIMIT 1',
      [site.name, after],
    );
    if (next === undefined) return;
    after = next.id;
    yield lineOf({ kind: 'node', ...(await readNode(on, next.id)) });
    for (const kind of Object.keys(OF_NODE)) yield* rowsOf(on, kind, next.id, { node: next.id });
  }
}

async function* rowsOf(on: Queries, kind: string, subject: string, more: object): AsyncGenerator<string> {
  for (let at = 0; ; at += STEP) {
    const rows = await on.query(`${OF_NODE[kind]} LIMIT ${STEP} OFFSET ${at}`, [subject]);
    for (const row of rows) yield lineOf({ kind, ...more, ...row });
    if (rows.length < STEP) return;
  }
}

const lineOf = (row: object): string => `${JSON.stringify(row)}\n`;
