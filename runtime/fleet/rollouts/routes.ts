/** Rollouts for operators. */
import { endAlert } from '../alerts/alerts.ts';
import { changeOf, record } from '../audit/audit.ts';
import type { Database, Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { numberOf, type Route, route, type Who } from '../http/routes.ts';
import { readSettings } from '../settings/settings.ts';
import {
  Rollout,
  RolloutList,
  RolloutNodes,
  RolloutNodesQuery,
  RolloutOf,
  RolloutSkip,
  RolloutStart,
} from './contract.ts';
import { listRollouts, resumeRollout, retry, skip, startRollout, stopRollout } from './rollouts.ts';
import { noteCounts } from './turn.ts';

interface MemberRow {
  readonly node: string;
  readonly in_group: number;
  readonly state: string;
  readonly reason: string | null;
  readonly asked_at: Date | null;
  readonly offered_at: Date | null;
  readonly taken_at: Date | null;
  readonly ended_at: Date | null;
}
const iso = (at: Date | null) => at?.toISOString() ?? null;

/** What the audit has of a rollout, whose row is locked, and of one of its nodes. */
async function toldOf(on: Queries, id: number, node: string | undefined): Promise<object> {
  const [rollout] = await on.query<{ state: string; openGroup: number }>(
    'SELECT state, open_group AS "openGroup" FROM rollout WHERE id = $1 FOR UPDATE',
    [id],
  );
  if (node === undefined) return rollout ?? {};
  const [member] = await on.query<{ state: string }>(
    'SELECT state FROM rollout_node WHERE rollout = $1 AND node = $2',
    [id, node],
  );
  return { ...rollout, nodeState: member?.state ?? null };
}

/** The routes. */
export function rolloutRoutes(database: Database): Route[] {
  const one = async (on: Queries, id: number): Promise<Rollout> => {
    const [rollout] = await listRollouts(on, id);
    if (rollout === undefined) throw new Refusal('not_found', `no rollout ${id}`);
    return rollout;
  };
  /** Does it, writes down who did, and answers with the rollout after it; what had halted is told to be over. */
  const change = (
    what: string,
    id: number,
    who: Who | undefined,
    act: (on: Queries) => Promise<unknown>,
    of: { readonly node?: string | undefined } = {},
  ) =>
    database.transaction(async (on) => {
      const before = await toldOf(on, id, of.node);
      const more = await act(on);
      const after = { ...(await toldOf(on, id, of.node)), ...(typeof more === 'object' && more) };
      await noteCounts(on, id);
      const rollout = await one(on, id);
      const settings = await readSettings(on);
      if (rollout.state !== 'halted') await endAlert(on, settings, 'rollout_halted', `rollout ${id}`);
      await endAlert(on, settings, 'rollout_stuck', `rollout ${id}`);
      await record(on, who, what, `rollout ${id}: ${rollout.variant} ${rollout.version}`, {
        ...of,
        ...changeOf(before, after),
      });
      return rollout;
    });
  return [
    route({
      method: 'GET',
      path: '/api/rollouts',
      access: 'viewer',
      summary: 'the last 100 rollouts, newest first',
      response: RolloutList,
      handle: async () => ({ rollouts: await listRollouts(database) }),
    }),
    route({
      method: 'POST',
      path: '/api/rollouts',
      access: 'releaser',
      summary: 'begin a rollout of a release, group by group',
      body: RolloutStart,
      response: Rollout,
      errors: ['not_found', 'conflict'],
      handle: ({ body, who }) =>
        database.transaction(async (on) => {
          const id = await startRollout(on, body, who?.name ?? '');
          await record(
            on,
            who,
            'rollout started',
            `rollout ${id}: ${body.variant} ${body.version}`,
            changeOf({}, body),
          );
          return one(on, id);
        }),
    }),
    route({
      method: 'GET',
      path: '/api/rollouts/:id',
      access: 'viewer',
      summary: 'one rollout',
      response: Rollout,
      errors: ['not_found'],
      handle: ({ params }) => one(database, numberOf(params['id'])),
    }),
    route({
      method: 'GET',
      path: '/api/rollouts/:id/nodes',
      access: 'viewer',
      summary: 'what became of its nodes, by id',
      query: RolloutNodesQuery,
      response: RolloutNodes,
      errors: ['not_found'],
      async handle({ params, query: { state, asked, limit = 100, after = '', offset = 0 } }) {
        const fits =
          'rollout = $1 AND ($2::text IS NULL OR state = $2::text) AND ($3::boolean IS NOT TRUE OR asked_at IS NULL)';
        const parameters = [numberOf(params['id']), state ?? null, asked === 'never'];
        const [counted] = await database.query<{ total: number }>(
          `SELECT count(*)::int AS total FROM rollout_node WHERE ${fits}`,
          parameters,
        );
        const rows = await database.query<MemberRow>(
          `SELECT * FROM rollout_node WHERE ${fits} AND node > $4 ORDER BY node LIMIT ${limit} OFFSET ${offset}`,
          [...parameters, after],
        );
        if (counted?.total === 0) await one(database, numberOf(params['id']));
        return {
          total: counted?.total ?? 0,
          nodes: rows.map(({ node, in_group, state: is, reason, asked_at, offered_at, taken_at, ended_at }) => ({
            node,
            group: in_group,
            state: is,
            reason,
            askedAt: iso(asked_at),
            offeredAt: iso(offered_at),
            takenAt: iso(taken_at),
            endedAt: iso(ended_at),
          })),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/rollouts/:id/stop',
      access: 'releaser',
      summary: 'stop a rollout: nobody is offered its image any more',
      response: Rollout,
      errors: ['not_found', 'conflict'],
      handle: ({ params, who }) => {
        const id = numberOf(params['id']);
        return change('rollout stopped', id, who, (on) => stopRollout(on, id, who?.name ?? ''));
      },
    }),
    route({
      method: 'POST',
      path: '/api/rollouts/:id/resume',
      access: 'releaser',
      summary:
        'go on with a rollout that halted or was stopped; what failed so far no longer counts, but a conflict where nobody is left who could run the version first',
      response: Rollout,
      errors: ['not_found', 'conflict'],
      handle: ({ params, who }) => {
        const id = numberOf(params['id']);
        return change('rollout resumed', id, who, (on) => resumeRollout(on, id));
      },
    }),
    route({
      method: 'POST',
      path: '/api/rollouts/:id/skip',
      access: 'releaser',
      summary:
        'begin the next group once a node is healthy, whatever became of the others; or take one node out, but not the last that could be healthy first',
      body: RolloutSkip,
      response: Rollout,
      errors: ['not_found', 'conflict'],
      handle: ({ params, body, who }) => {
        const id = numberOf(params['id']);
        return change('rollout skipped', id, who, (on) => skip(on, id, body), body);
      },
    }),
    route({
      method: 'POST',
      path: '/api/rollouts/:id/retry',
      access: 'releaser',
      summary: 'offer the image again to the nodes that failed, or to one node; a rollout that halted goes on',
      body: RolloutOf,
      response: Rollout,
      errors: ['not_found', 'conflict'],
      handle: ({ params, body, who }) => {
        const id = numberOf(params['id']);
        return change(
          'rollout retried',
          id,
          who,
          async (on) => {
            const again = await retry(on, id, body.node);
            return body.node === undefined ? { again } : undefined;
          },
          body,
        );
      },
    }),
  ];
}
