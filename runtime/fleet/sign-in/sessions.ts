/** Sessions of people: in the database, so that any process knows them; a browser holds the key in a cookie. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Queries } from '../database/database.ts';
import { COOKIE, giveCookie, takeCookie } from '../http/cookie.ts';
import { Refusal } from '../http/errors.ts';
import type { Role } from '../http/roles.ts';
import type { Claims, Who } from '../http/routes.ts';
import { holdTokensOf, tellTokensOf } from './api-tokens.ts';
import { Gone, type OpenId, type RoleNow } from './openid.ts';

/** A working day. */
const HOURS = 12;
/** Longest time that a provider is believed which does not say, or cannot be asked, whether somebody is still signed in there. */
const UNASKED_MINUTES = 60;
/** Longest time that a provider is believed which says it, before it is asked again. */
const ASK_MINUTES = 5;
const KEY = /^[\w-]{43}$/;

const idOf = (key: string) => createHash('sha256').update(key).digest('hex');

/** The owner of a session: a local account, or somebody whom a provider told of. */
export type Subject =
  | { readonly person: string }
  | { readonly name: string; readonly claims: Claims; readonly refresh?: string; readonly sid?: string };

/** Begins a session, and gives the browser its key. Those that have ended are forgotten. */
export async function beginSession(on: Queries, context: Context, subject: Subject): Promise<void> {
  const key = randomBytes(32).toString('base64url');
  const { name, person, claims, renewal, sid } =
    'person' in subject
      ? { ...subject, name: subject.person, claims: null, renewal: null, sid: undefined }
      : {
          sid: undefined,
          ...subject,
          person: null,
          renewal: subject.refresh === undefined ? null : seal(key, subject.refresh),
        };
  if (claims !== null) await tellTokensOf(on, name, claims);
  await on.query('DELETE FROM session WHERE expires_at < now()');
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

/** The part of a provider that is asked about people who signed in there. */
type Provider = Pick<OpenId, 'renew'>;

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
       renewal IS NOT NULL AND asked_at < now() - interval '${ASK_MINUTES} minutes' AS is_due
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
 * Finds out who is signed in with a session; undefined if nobody is. While the `provider` is asked about it, where that is due,
 * other requests of that session go on.
 */
export async function whoseSession(
  on: Queries,
  key: string,
  row: Session,
  roleOf: RoleNow,
  provider?: Provider,
): Promise<Who | undefined> {
  const claims = row.is_due && provider !== undefined ? await renewed(on, key, row, provider) : row.claims;
  const role = roleIn(row, claims, roleOf);
  if (role === undefined) return undefined;
  return {
    name: row.name,
    role,
    ...(row.person !== null && { person: row.person }),
    ...(claims !== null && { claims }),
  };
}

/** What the provider says of a session now, or said; null if it ended there, and here with it. */
async function renewed(
  on: Queries,
  key: string,
  { name, claims: known }: Pick<Session, 'name' | 'claims'>,
  provider: Provider,
): Promise<Claims | null> {
  const id = idOf(key);
  // What it is asked with may count once, so one request asks.
  const [turn] = await on.query<{ renewal: string }>(
    `UPDATE session SET asked_at = now() WHERE id = $1 AND asked_at < now() - interval '${ASK_MINUTES} minutes'
     RETURNING renewal`,
    [id],
  );
  if (turn === undefined || known === null) return known;
  try {
    const { claims, refresh } = await provider.renew(unseal(key, turn.renewal), known);
    const said = claims && JSON.stringify(claims);
    await on.query(
      `UPDATE session SET told_at = CASE WHEN $2::text IS NULL THEN told_at ELSE now() END, claims = coalesce($2::json, claims),
         renewal = coalesce($3, renewal) WHERE id = $1`,
      [id, said ?? null, refresh === undefined ? null : seal(key, refresh)],
    );
    if (claims !== undefined) await tellTokensOf(on, name, claims);
    return claims ?? known;
  } catch (error) {
    // One that is away is asked again, and believed for a while.
    if (!(error instanceof Gone)) return known;
    await on.query('DELETE FROM session WHERE id = $1', [id]);
    await holdTokensOf(on, name, known);
    return null;
  }
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const sealOf = (key: string) => Buffer.from(hkdfSync('sha256', key, '', 'renewal of a session', 32));

/** AES-256-GCM (NIST SP 800-38D) with a key that the database does not have: IV, tag and text in base64url. */
function seal(key: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealOf(key), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

function unseal(key: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', sealOf(key), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

/** Ends the session of the request. Resolves with whether there was one. */
export async function endSession(on: Queries, context: Context): Promise<boolean> {
  const key = context.cookies.get(COOKIE) ?? '';
  const ended = await on.query('DELETE FROM session WHERE id = $1 RETURNING id', [idOf(key)]);
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
