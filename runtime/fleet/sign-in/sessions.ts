/** Sessions of people: in the database, so that any process knows them; a browser holds the key in a cookie. */
import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import type { Who } from '../http/routes.ts';
import type { Claims, RoleNow } from './openid.ts';
import type { Role } from './roles.ts';

/** Name of the cookie. */
export const COOKIE = 'tillnode-fleet';
/** A working day. */
const HOURS = 12;
const KEY = /^[\w-]{43}$/;

const idOf = (key: string) => createHash('sha256').update(key).digest('hex');
/** Behind a proxy that speaks HTTPS, and over plain HTTP in a shop of one's own. */
const attributesOf = (context: Context) =>
  ({ httpOnly: true, sameSite: 'lax', secure: context.secure, path: '/', overwrite: true }) as const;

/** Whose session it is: of a local account, or of somebody whom a provider told of. */
export type Subject = { readonly person: string } | { readonly name: string; readonly claims: Claims };

/** Begins a session, and gives the browser its key. Those that have ended are forgotten. */
export async function beginSession(on: Queries, context: Context, subject: Subject): Promise<void> {
  const key = randomBytes(32).toString('base64url');
  const { name, person, claims } =
    'person' in subject ? { ...subject, name: subject.person, claims: null } : { ...subject, person: null };
  await on.query('DELETE FROM session WHERE expires_at < now()');
  await on.query(
    `INSERT INTO session (id, name, person, claims, expires_at)
     VALUES ($1, $2, $3, $4::json, now() + interval '${HOURS} hours')`,
    [idOf(key), name, person, claims === null ? null : JSON.stringify(claims)],
  );
  context.cookies.set(COOKIE, key, { ...attributesOf(context), maxAge: HOURS * 3_600_000 });
}

/** Who is signed in; undefined if nobody. `roleOf`: of whom a provider told of, now; without it there are local accounts. */
export async function readSession(on: Queries, context: Context, roleOf: RoleNow): Promise<Who | undefined> {
  const key = context.cookies.get(COOKIE) ?? '';
  if (!KEY.test(key)) return undefined;
  const [row] = await on.query<{ name: string; person: string | null; role: Role | null; claims: Claims | null }>(
    `SELECT session.name, session.person, role, claims FROM session LEFT JOIN person ON person.name = session.person
     WHERE id = $1 AND expires_at > now()`,
    [idOf(key)],
  );
  if (row === undefined) return undefined;
  // Whoever came in the other way, before it was changed, comes in again.
  const role = roleOf === undefined ? row.role : row.claims && roleOf(row.claims);
  if (role == null) return undefined;
  return {
    name: row.name,
    role,
    ...(row.person !== null && { person: row.person }),
    ...(row.claims !== null && { claims: row.claims }),
  };
}

/** Ends the session of the request. */
export async function endSession(on: Queries, context: Context): Promise<void> {
  await on.query('DELETE FROM session WHERE id = $1', [idOf(context.cookies.get(COOKIE) ?? '')]);
  context.cookies.set(COOKIE, null, attributesOf(context));
}

/**
 * Throws the Refusal `forbidden` unless the page of this fleet made the request, as the browser tells (Fetch Metadata;
 * where it does not, as over plain HTTP, the Origin of RFC 6454): a cookie alone proves nothing about who wanted it.
 */
export function mustBeOwnPage(context: Context): void {
  const site = context.get('sec-fetch-site');
  const origin = context.get('origin');
  const own = URL.canParse(origin) && new URL(origin).host === context.host;
  if (site === '' ? !own : site !== 'same-origin') throw new Refusal('forbidden');
}
