/** The record of who did what: written in the transaction of what was done, and never changed. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import type { Database, Queries } from '../database/database.ts';
import { Offset } from '../http/contract.ts';
import { type Route, route, type Who } from '../http/routes.ts';

const AuditQuery = closed(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: '100 unless given' })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: 'the id of the last entry of the answer before' })),
    offset: Offset,
  },
  { $id: 'AuditQuery' },
);
const AuditEntry = open(
  {
    id: Type.Integer(),
    at: Type.String({ description: 'ISO 8601' }),
    who: Type.String({ description: '"token" for the master token; else the name of who was signed in' }),
    what: Type.String({ description: 'rollout started, recipes changed, …' }),
    subject: Type.String(),
    detail: Type.Optional(open({}, { description: '{before, after} of a change, with what differs' })),
  },
  { $id: 'AuditEntry' },
);
/** The response of GET /api/audit, newest first; `total` is of all that there are. */
export const AuditList = open({ entries: Type.Array(AuditEntry), total: Type.Integer() }, { $id: 'AuditList' });

/** For the detail of an entry: what a change made of what, without what stayed as it was. */
export function changeOf(before: object, after: object): { before: object; after: object } {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const same = (key: string) => JSON.stringify(was.get(key)) === JSON.stringify(is.get(key));
  const rest = (of: ReadonlyMap<string, unknown>) => Object.fromEntries([...of].filter(([key]) => !same(key)));
  return { before: rest(was), after: rest(is) };
}

/** Writes one entry. */
export async function record(
  on: Queries,
  who: Pick<Who, 'name'> | undefined,
  what: string,
  subject: string,
  detail?: object,
) {
  await on.query('INSERT INTO audit (who, what, subject, detail) VALUES ($1, $2, $3, $4::json)', [
    who?.name ?? '',
    what,
    subject.slice(0, 200),
    detail === undefined ? null : JSON.stringify(detail),
  ]);
}

interface Row extends Omit<Static<typeof AuditEntry>, 'at' | 'detail'> {
  readonly at: Date;
  readonly detail: object | null;
}

/** The routes. */
export const auditRoutes = (database: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/audit',
    access: 'operator',
    summary: 'who did what, newest first',
    query: AuditQuery,
    response: AuditList,
    async handle({ query: { limit = 100, before = Number.MAX_SAFE_INTEGER, offset = 0 } }) {
      const [counted] = await database.query<{ total: number }>('SELECT count(*)::int AS total FROM audit');
      const rows = await database.query<Row>(
        `SELECT id, at, who, what, subject, detail FROM audit WHERE id < $1 ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`,
        [before],
      );
      return {
        entries: rows.map(({ detail, ...row }) => ({
          ...row,
          at: row.at.toISOString(),
          ...(detail !== null && { detail }),
        })),
        total: counted?.total ?? 0,
      };
    },
  }),
];
