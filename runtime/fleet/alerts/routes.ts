/** Alerts for operators. */
import type { Database } from '../database/database.ts';
import { type Route, route } from '../http/routes.ts';
import { listAlerts } from './alerts.ts';
import { AlertList, AlertsQuery } from './contract.ts';

/** The routes. */
export const alertRoutes = (database: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/alerts',
    access: 'operator',
    summary: 'alerts, newest first: those that go on have no end',
    query: AlertsQuery,
    response: AlertList,
    handle: ({ query }) => listAlerts(database, query),
  }),
];
