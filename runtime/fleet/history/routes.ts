/** The fleet over time, for operators. */
import type { Database } from '../database/database.ts';
import { type Route, route } from '../http/routes.ts';
import { History, HistoryQuery } from './contract.ts';
import { readHistory } from './tallies.ts';

const HOURS = 48;

/** The route. */
export const historyRoutes = (database: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/history',
    access: 'viewer',
    summary: 'what the fleet took in and refused, and which alerts began, by hours',
    query: HistoryQuery,
    response: History,
    handle: ({ query: { hours = HOURS } }) => readHistory(database, hours),
  }),
];
