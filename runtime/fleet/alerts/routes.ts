/** Alerts for operators. */
import { changeOf, record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { numberOf, type Route, route } from '../http/routes.ts';
import { acknowledge, listAlerts } from './alerts.ts';
import { Alert, AlertList, AlertsQuery } from './contract.ts';

/** What the audit has of it. */
const told = ({ acknowledgedBy }: Alert) => ({ acknowledgedBy });

/** The routes. */
export const alertRoutes = (database: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/alerts',
    access: 'viewer',
    summary: 'alerts, newest first: those that go on have no end',
    query: AlertsQuery,
    response: AlertList,
    handle: ({ query }) => listAlerts(database, query),
  }),
  route({
    method: 'POST',
    path: '/api/alerts/:id/acknowledge',
    access: 'operator',
    summary: 'say that one looks after an alert',
    response: Alert,
    errors: ['not_found'],
    handle: ({ params, who }) =>
      database.transaction(async (on) => {
        const [before, alert] = await acknowledge(on, numberOf(params['id']), who?.name ?? '');
        if (alert === undefined) throw new Refusal('not_found', `no alert ${params['id']} goes on`);
        await record(on, who, 'alert acknowledged', `${alert.rule} ${alert.subject}`, changeOf(before, told(alert)));
        return alert;
      }),
  }),
];
