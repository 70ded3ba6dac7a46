/** The fleet in numbers: what the filters of its page say beside their names. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import type { Database, Queries } from '../database/database.ts';
import { type Route, route } from '../http/routes.ts';
import { readSettings } from '../settings/settings.ts';
import { Filter, STATES, State } from './contract.ts';
import { countNodes } from './counts.ts';

/** The response of GET /api/summary. */
export const Summary = open(
  {
    total: Type.Integer(),
    states: Type.Array(
      open({
        state: State,
        nodes: Type.Integer(),
        seconds: Type.Integer({ description: 'of the rule: how long it lasts, or the time in which it happens' }),
      }),
    ),
    versions: Type.Array(open({ variant: Type.String(), version: Type.String(), nodes: Type.Integer() }), {
      description: 'what runs, the newest first; at most 100',
    }),
  },
  { $id: 'Summary' },
);
export type Summary = Static<typeof Summary>;

/** The query of GET /api/summary. */
const SummaryQuery = closed({ filter: Type.Optional(Filter) }, { $id: 'SummaryQuery' });

async function summaryOf(on: Queries, filter: string): Promise<Summary> {
  const { rules } = await readSettings(on);
  const { total, states, versions } = await countNodes(on, filter, 'newest');
  const seconds = {
    offline: rules.offline.afterSeconds,
    no_paper: rules.no_paper.afterSeconds,
    crash_loop: rules.crash_loop.withinSeconds,
    custody_hold: rules.custody_hold.afterSeconds,
  };
  return {
    total,
    states: STATES.map((state) => ({
      state,
      nodes: states.find((each) => each.state === state)?.nodes ?? 0,
      seconds: seconds[state],
    })),
    versions: [...versions],
  };
}

/** The route. */
export const summaryRoutes = (database: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/summary',
    access: 'viewer',
    summary: 'how many nodes there are, in each state and of each version',
    query: SummaryQuery,
    response: Summary,
    handle: ({ query: { filter = '' } }) => summaryOf(database, filter),
  }),
];
