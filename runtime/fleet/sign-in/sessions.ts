/** Sessions of people: in the database, so that any process knows them; a browser holds the key in a cookie. */
import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import type { Who } from '../http/routes.ts';

/** Name of the cookie. */
export const COOKIE = 'tillnode-fleet';
/** A working day. */
const HOURS = 12;
const KEY = /^[\w-]{43}$/;

const idOf = (key: string) => createHash('sha256').update(key).digest('hex');
/** Behind a proxy that speaks HTTPS, and over plain HTTP in a shop of one's own. */
const attributesOf = (context: Context) =>
  ({ httpOnly: true, sameSite: 'lax', secure: context.secure, path: '/', overwrite: true }) as const;

/** Begins a session of this name, and gives the browser its key. Those that have ended are forgotten. */
export async function beginSession(on: Queries, context: Context, name: string): Promise<void> {
  const key = randomBytes(32).toString('base64url');
  await on.query('DELETE FROM session WHERE expires_at < now()');
  await on.query(`INSERT INTO session (id, name, expires_at) VALUES ($1, $2, now() + interval '${HOURS} hours')`, [
    idOf(key),
    name,
  ]);
  context.cookies.set(COOKIE, key, { ...attributesOf(context), maxAge: HOURS * 3_600_000 });
}

/** Who is signed in; undefined if nobody. */
export async function readSession(on: Queries, context: Context): Promise<Who | undefined> {
  const key = context.cookies.get(COOKIE) ?? '';
  if (!KEY.test(key)) return undefined;
  const [row] = await on.query<{ name: string }>('SELECT name FROM session WHERE id = $1 AND expires_at > now()', [
    idOf(key),
  ]);
  return row;
}

/** Ends the session of the request. */
export async function endSession(on: Queries, context: Context): Promise<void> {
  await on.query('DELETE FROM session WHERE id = $1', [idOf(context.cookies.get(COOKIE) ?? '')]);
  context.cookies.set(COOKIE, null, attributesOf(context));
}

/** Ends every session. */
export async function endSessions(on: Queries): Promise<void> {
  await on.query('DELETE FROM session');
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
