/** Sites, for operators. */
import { Readable } from 'node:stream';
import { changeOf, record } from '../audit/audit.ts';
import type { Database, Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { PASSED, type Route, route } from '../http/routes.ts';
import { holdSites } from '../nodes/site-names.ts';
import { Site, SiteList, SitePut, SitesQuery } from './contract.ts';
import { exportSite } from './export.ts';
import { deleteSite, listSites, putSite, readSite } from './sites.ts';

/** What the audit has of it. */
const told = (site: Site | undefined) => {
  if (site === undefined) return {};
  const { name, zone, hours, notes } = site;
  return { name, zone, hours, notes };
};

/** The routes. */
export function siteRoutes(database: Database): Route[] {
  const one = async (on: Queries, name: string): Promise<Site> => {
    const site = await readSite(on, name);
    if (site === undefined) throw new Refusal('not_found', `no site ${name}`);
    return site;
  };
  return [
    route({
      method: 'GET',
      path: '/api/sites',
      access: 'viewer',
      summary: 'the sites, by name, with how many of their nodes are in each state',
      query: SitesQuery,
      response: SiteList,
      handle: ({ query }) => listSites(database, query),
    }),
    route({
      method: 'GET',
      path: '/api/sites/:site',
      access: 'viewer',
      summary: 'one site',
      response: Site,
      errors: ['not_found'],
      handle: ({ params }) => one(database, params['site'] ?? ''),
    }),
    route({
      method: 'GET',
      path: '/api/sites/:site/export',
      access: 'operator',
      summary:
        'everything that is stored of a site and its nodes, a line of JSON each, with its `kind`; of nodes that were deleted (`deleted`) what stays: alerts, rollouts that go on, the audit',
      type: 'application/x-ndjson',
      errors: ['not_found'],
      async handle({ params, context, mustStillMay }) {
        const site = await one(database, params['site'] ?? '');
        context.type = 'application/x-ndjson';
        context.attachment('site.ndjson');
        if (context.method !== 'GET') {
          context.status = 200;
          return PASSED;
        }
        // It may take its time, and who reads it may be removed meanwhile.
        const asked: Queries = {
          async query(sql, parameters) {
            await mustStillMay();
            return database.query(sql, parameters);
          },
        };
        // Broken off, so that nobody takes it for whole.
        context.body = Readable.from(exportSite(asked, site)).once('error', () => context.res.destroy());
        return PASSED;
      },
    }),
    route({
      method: 'PUT',
      path: '/api/sites/:site',
      access: 'operator',
      summary: 'change a site, or make it',
      body: SitePut,
      response: Site,
      errors: ['conflict'],
      handle: ({ params: { site = '' }, body, who }) =>
        database.transaction(async (on) => {
          await holdSites(on);
          const before = await readSite(on, site);
          await putSite(on, site, body);
          const after = await one(on, body.name ?? site);
          await record(on, who, 'site changed', site, changeOf(told(before), told(after)));
          return after;
        }),
    }),
    route({
      method: 'DELETE',
      path: '/api/sites/:site',
      access: 'operator',
      summary: 'delete a site that no node has',
      errors: ['not_found', 'conflict'],
      handle: ({ params: { site = '' }, who }) =>
        database.transaction(async (on) => {
          await holdSites(on);
          const before = await readSite(on, site);
          await deleteSite(on, site);
          await record(on, who, 'site deleted', site, changeOf(told(before), {}));
        }),
    }),
  ];
}
