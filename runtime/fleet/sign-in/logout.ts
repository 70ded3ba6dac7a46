/** What a provider tells by itself: who signed out there, or was removed (OpenID Connect Back-Channel Logout 1.0). */
import { createHash } from 'node:crypto';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { defined } from '../../base/defined.ts';
import type { Queries } from '../database/database.ts';
import { forgetSessions } from './kept.ts';

/** Where it tells it. */
export const LOGOUT = '/sign-in/openid/logout';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** What the clocks of a provider and of the fleet may differ by, as at a sign-in. */
const TOLERANCE_S = 30;
/** Greatest age of a logout token: what was recorded is told again for so long, and its id is kept for longer. */
const AGE_S = 300;
const KEPT_HOURS = 1;

/** A logout token that is not in order. */
export class NotInOrder extends Error {}

/** The keys of the provider cannot be had, so nobody knows whether a token is in order. */
export class ProviderAway extends Error {}

/** What a token is at fault for, of what is said where its key is looked for. */
const OF_TOKEN = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/** The sessions that end: all of a subject, or the one that the provider calls so. */
export interface LoggedOut {
  /** No other token of the provider has it. */
  readonly jti: string;
  readonly sub?: string;
  readonly sid?: string;
}

/** The issuer and the client that the token must name, and the algorithms by which it may be signed. */
export interface Expected {
  readonly issuer: string;
  readonly client: string;
  /** As the provider says it of identity tokens. */
  readonly algorithms: readonly string[];
}

/**
 * What a logout token says (section 2.4), checked as section 2.6 asks. `keys`: gives the key of the provider that it names. Rejects with
 * NotInOrder, or with ProviderAway where that cannot be asked.
 */
export async function loggedOutBy(token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<LoggedOut> {
  const keyOf: JWTVerifyGetKey = async (...named) => {
    try {
      return await keys(...named);
    } catch (error) {
      throw OF_TOKEN.some((each) => error instanceof each) ? error : new ProviderAway((error as Error).message);
    }
  };
  const { payload } = await jwtVerify(token, keyOf, {
    issuer: expected.issuer,
    audience: expected.client,
    // With the secret of the client, or nothing, whoever knows that might sign.
    algorithms: expected.algorithms.filter((each) => !/^(none$|HS)/i.test(each)),
    clockTolerance: TOLERANCE_S,
    maxTokenAge: AGE_S,
    requiredClaims: ['jti', 'events', 'exp'],
  }).catch((error: Error) => {
    throw error instanceof ProviderAway ? error : new NotInOrder(error.message);
  });
  const { jti, sub, events } = payload;
  const { sid, nonce } = payload as { readonly sid?: unknown; readonly nonce?: unknown };
  const event = isObject(events) && Object.hasOwn(events, EVENT) ? events[EVENT] : undefined;
  if (!isObject(event)) throw new NotInOrder('it tells no logout');
  // An identity token has one.
  if (nonce !== undefined) throw new NotInOrder('it has a nonce');
  if (typeof jti !== 'string' || jti === '') throw new NotInOrder('it has no id');
  if ([sub, sid].some((each) => each !== undefined && (typeof each !== 'string' || each === '')))
    throw new NotInOrder('it does not say who it is about');
  if (sub === undefined && sid === undefined) throw new NotInOrder('it says nobody');
  return { jti, ...defined({ sub, sid: sid as string | undefined }) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Ends the sessions that a logout token names, within a transaction; resolves with whose they were. Where it names a session and a person,
 * those of the person end, too, of which the provider did not say what it calls them. About who made tokens it is asked soon. Rejects with
 * NotInOrder for a token that came before.
 */
export async function endToldSessions(on: Queries, { jti, sub, sid }: LoggedOut): Promise<readonly string[]> {
  await on.query(`DELETE FROM logout WHERE at < now() - interval '${KEPT_HOURS} hours'`);
  const first = await on.query('INSERT INTO logout (jti) VALUES ($1) ON CONFLICT DO NOTHING RETURNING jti', [
    createHash('sha256').update(jti).digest('hex'),
  ]);
  if (first.length === 0) throw new NotInOrder('it came before');
  await on.query(ONE_AT_A_TIME);
  for (const each of [named(sub, sid), ...(sub !== undefined && sid !== undefined ? [named(sub, ANY_SESSION)] : [])])
    await on.query(
      'INSERT INTO logout (jti, at) VALUES ($1, clock_timestamp()) ON CONFLICT (jti) DO UPDATE SET at = clock_timestamp()',
      [each],
    );
  const ended = await on.query<{ name: string }>(
    `WITH told AS (SELECT id, expires_at > now() AS is_open FROM session
         WHERE claims IS NOT NULL AND ($1::text IS NULL OR claims ->> 'sub' = $1)
           AND ($2::text IS NULL OR sid = $2 OR $1 IS NOT NULL AND sid IS NULL) FOR UPDATE),
       ended AS (UPDATE session SET expires_at = least(expires_at, now()), asked_at = 'epoch' FROM told
         WHERE session.id = told.id RETURNING name, is_open)
     SELECT name FROM ended WHERE is_open`,
    [sub ?? null, sid ?? null],
  );
  await forgetSessions(on);
  return [...new Set(ended.map(({ name }) => name))];
}

/** Has one of a sign-in and a logout that meet see the other. */
const ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('back-channel logout'))";
/** What stands for the session of a sign-in whose session the provider calls nothing. */
const ANY_SESSION = ' ';
const named = (sub = '', sid = '') =>
  createHash('sha256')
    .update(JSON.stringify([sub, sid]))
    .digest('hex');

/**
 * Throws where a provider has told that somebody signed out since a time, within the transaction in which he comes in: what it said of him
 * may be older than that.
 */
export async function mustNotBeOut(on: Queries, { sub, sid }: Omit<LoggedOut, 'jti'>, since: number): Promise<void> {
  await on.query(ONE_AT_A_TIME);
  const names = [named(sub), ...(sid === undefined ? [named(sub, ANY_SESSION)] : [named('', sid), named(sub, sid)])];
  const told = await on.query(
    `SELECT jti FROM logout WHERE jti = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
       AND at >= to_timestamp($2::float8 / 1000)`,
    [JSON.stringify(names), since],
  );
  if (told.length > 0) throw new NotInOrder('the provider has signed this person out meanwhile');
}
