/** Sessions of people: in the database, so that any process knows them; a browser holds the key in a cookie. */
import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Queries } from '../database/database.ts';
import { COOKIE, giveCookie, takeCookie } from '../http/cookie.ts';
import { Refusal } from '../http/errors.ts';
import type { Role } from '../http/roles.ts';
import type { Claims, Who } from '../http/routes.ts';
import { tellTokensOf } from './api-tokens.ts';
import { forgetSessions } from './kept.ts';
import type { RoleNow } from './openid.ts';
import { ASK_SECONDS, type Renewals } from './renewals.ts';

/** A working day. */
const HOURS = 12;
/** Longest time that a provider is believed which does not say, or cannot be asked, whether somebody is still signed in there. */
const UNASKED_MINUTES = 60;
const KEY = /^[\w-]{43}$/;

const idOf = (key: string) => createHash('sha256').update(key).digest('hex');

/** The owner of a session: a local account, or somebody whom a provider told of; `renewal` is sealed. */
export type Subject =
  | { readonly person: string }
  | { readonly name: string; readonly claims: Claims; readonly renewal?: string; readonly sid?: string };

/** Begins a session, and gives the browser its key. Those that have ended are forgotten. */
export async function beginSession(on: Queries, context: Context, subject: Subject): Promise<void> {
  const key = randomBytes(32).toString('base64url');
  const { name, person, claims, renewal, sid } =
    'person' in subject
      ? { ...subject, name: subject.person, claims: null, renewal: null, sid: undefined }
      : { sid: undefined, ...subject, person: null, renewal: subject.renewal ?? null };
  if (claims !== null) await tellTokensOf(on, name, claims);
  await forgetSessions(on, renewal === null ? undefined : name);
  await on.query(
    `INSERT INTO session (id, name, person, claims, renewal, sid, expires_at)
     VALUES ($1, $2, $3, $4::json, $5, $6, now() + interval '${HOURS} hours')`,
    [idOf(key), name, person, claims === null ? null : JSON.stringify(claims), renewal, sid ?? null],
  );
  giveCookie(context, COOKIE, key, { path: '/', seconds: HOURS * 3600 });
}

/** The key of a session that a browser shows; undefined where it shows none. */
export function sessionKey(context: Context): string | undefined {
  const key = context.cookies.get(COOKIE) ?? '';
  return KEY.test(key) ? key : undefined;
}

/** A session that goes on. */
export interface Session {
  readonly name: string;
  readonly person: string | null;
  readonly role: Role | null;
  readonly claims: Claims | null;
  /** Whether it is time to ask the provider. */
  readonly is_due: boolean;
}

/**
 * The session with this key; undefined if there is none, or nobody is let in with it. `roleOf`: of whom a provider told of, now; without
 * it there are local accounts.
 */
export async function readSession(on: Queries, key: string, roleOf: RoleNow): Promise<Session | undefined> {
  const [row] = await on.query<Session>(
    `SELECT session.name, session.person, role, claims,
       renewal IS NOT NULL AND asked_at < now() - interval '${ASK_SECONDS} seconds' AS is_due
     FROM session LEFT JOIN person ON person.name = session.person
     WHERE id = $1 AND expires_at > now() AND (claims IS NULL OR told_at > now() - interval '${UNASKED_MINUTES} minutes')`,
    [idOf(key)],
  );
  return row !== undefined && (row.is_due || roleIn(row, row.claims, roleOf) !== undefined) ? row : undefined;
}

/** The role of a session; none, so that he comes in again, for whoever came in the other way before that was changed. */
const roleIn = ({ role }: Session, claims: Claims | null, roleOf: RoleNow): Role | undefined =>
  (roleOf === undefined ? role : claims && roleOf(claims)) ?? undefined;

/**
 * Finds out who is signed in with a session; undefined if nobody is. While the provider is asked about it (`renewals`), where that is due,
 * other requests of that session go on.
 */
export async function whoseSession(
  on: Queries,
  key: string,
  row: Session,
  roleOf: RoleNow,
  renewals?: Renewals,
): Promise<Who | undefined> {
  const due = row.is_due ? renewals : undefined;
  const claims = due === undefined ? row.claims : await due.ask(on, { id: idOf(key), ...row }, { browserKey: key });
  const role = roleIn(row, claims, roleOf);
  if (role === undefined) return undefined;
  return {
    name: row.name,
    role,
    ...(row.person !== null && { person: row.person }),
    ...(claims !== null && { claims }),
  };
}

/** Ends the session of the request. Resolves with whether there was one. */
export async function endSession(on: Queries, context: Context): Promise<boolean> {
  const key = context.cookies.get(COOKIE) ?? '';
  const ended = await on.query(
    'UPDATE session SET expires_at = now() WHERE id = $1 AND expires_at > now() RETURNING id',
    [idOf(key)],
  );
  await forgetSessions(on);
  takeCookie(context, COOKIE, '/');
  return ended.length > 0;
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
