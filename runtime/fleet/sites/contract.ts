/** Schemas of sites: the shops that nodes stand in. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import { Offset } from '../http/contract.ts';
import { Filter, Name, Notes, STATES } from '../nodes/contract.ts';

/** Hours of a week, as `hours.ts` reads them. */
export const Hours = Type.String({
  maxLength: 200,
  description: 'as opening_hours of OpenStreetMap, "Mo-Fr 08:00-20:00; Sa 09:00-13:00"; "" for always',
});
const site = {
  zone: Type.String({ maxLength: 64, description: 'time zone of the IANA database, Europe/Vienna' }),
  hours: Hours,
  notes: Notes,
};

/** The body of PUT /api/sites/:site; what is left out stays as it is, in a new one: UTC, always open, no notes. */
export const SitePut = Type.Partial(closed({ ...site, name: Name }), {
  additionalProperties: false,
  $id: 'SitePut',
  description: '`name`: a new one, which its nodes then have, too',
});
export type SitePut = Static<typeof SitePut>;

/** A site. */
export const Site = open(
  {
    name: Name,
    ...site,
    open: Type.Boolean({
      description: 'by its hours; while it is closed, nobody is told that a node of it is offline',
    }),
    nodes: Type.Integer(),
    states: open(Object.fromEntries(STATES.map((state) => [state, Type.Integer()])), {
      description: 'how many of its nodes are in each',
    }),
  },
  { $id: 'Site' },
);
export type Site = Static<typeof Site>;

/** The query of GET /api/sites. */
export const SitesQuery = closed(
  {
    filter: Type.Optional({
      ...Filter,
      description: `sites of which one node fits all terms, and none what stands behind a minus; one without nodes is looked at as a node of it that says nothing: ${Filter.description}`,
    }),
    search: Type.Optional(Type.String({ maxLength: 64, description: 'a part of the name' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, description: '1000 unless given' })),
    after: Type.Optional(Type.String({ maxLength: 64, description: 'the last name of the answer before' })),
    offset: Offset,
  },
  { $id: 'SitesQuery' },
);
export type SitesQuery = Static<typeof SitesQuery>;
/** The response of GET /api/sites, by name; `total` is of all that fit. */
export const SiteList = open({ sites: Type.Array(Site), total: Type.Integer() }, { $id: 'SiteList' });
export type SiteList = Static<typeof SiteList>;
