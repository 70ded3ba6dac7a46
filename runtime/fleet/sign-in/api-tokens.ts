/** Tokens for programs: each for one purpose and time; the database has their digests alone. */
import { createHash, randomBytes } from 'node:crypto';
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import type { Role, Scope } from '../http/roles.ts';
import type { Claims, Who } from '../http/routes.ts';
import type { ApiToken } from './contract.ts';
import type { RoleNow } from './openid.ts';

/** As long as the token of a node, so that it may be shown where those are. */
const FORM = /^[\w-]{43}$/;
/** Whether this may be one at all: else nobody need be asked. */
export const mayBeToken = (shown: string): boolean => FORM.test(shown);
/** Tokens that are there at most. */
const MOST = 1000;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly made_by: string;
  readonly made_at: Date;
  readonly expires_at: Date;
}
const viewOf = ({ made_by, made_at, expires_at, ...row }: Row): ApiToken => ({
  ...row,
  madeBy: made_by,
  madeAt: made_at.toISOString(),
  expiresAt: expires_at.toISOString(),
});
const COLUMNS = 'id, name, scope, made_by, made_at, expires_at';
const WITH_MAKER = 'api_token LEFT JOIN person AS maker ON maker.name = made_by';
/** What the master token is called, which is nobody. */
export const MASTER = 'token';

interface Made {
  readonly made_by: string;
  readonly maker_role: Role | null;
  readonly claims: (Claims & { readonly isGone?: boolean }) | null;
}
/** A token counts for as long as who made it might make it: as an owner, in the way that people come in now, whom his provider has not refused since. */
const counts = ({ made_by, maker_role, claims }: Made, roleNow: RoleNow): boolean =>
  made_by === MASTER || (roleNow === undefined ? maker_role : claims && !claims.isGone && roleNow(claims)) === 'owner';

const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** What a token is for; undefined where it is none, or none any more. */
export async function readToken(
  on: Queries,
  token: string,
  roleNow: RoleNow,
): Promise<Pick<Row, 'name' | 'scope'> | undefined> {
  const [row] = await on.query<Pick<Row, 'name' | 'scope'> & Made>(
    `SELECT api_token.name, scope, made_by, maker.role AS maker_role, claims FROM ${WITH_MAKER}
     WHERE digest = $1 AND expires_at > now()`,
    [digestOf(token)],
  );
  return row !== undefined && counts(row, roleNow) ? row : undefined;
}

/** The digests of the tokens for messages. */
export async function readMessageTokens(on: Queries, roleNow: RoleNow): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ digest: string } & Made>(
    `SELECT digest, made_by, maker.role AS maker_role, claims FROM ${WITH_MAKER}
     WHERE scope = 'ingest' AND expires_at > now()`,
  );
  return new Set(rows.filter((row) => counts(row, roleNow)).map(({ digest }) => digest));
}
/** Whether a token is one of these. */
export const isAmong = (digests: ReadonlySet<string>, token: string): boolean => digests.has(digestOf(token));

/** All of them, newest first. */
export const listTokens = async (on: Queries): Promise<ApiToken[]> =>
  (await on.query<Row>(`SELECT ${COLUMNS} FROM api_token ORDER BY id DESC LIMIT ${MOST}`)).map(viewOf);

/** Makes one: its text is shown this once. Those that ended a month ago are forgotten. Throws a Refusal. */
export async function makeToken(
  on: Queries,
  { name, scope, days }: { name: string; scope: Scope; days: number },
  who: Who | undefined,
): Promise<ApiToken & { token: string }> {
  await on.query("DELETE FROM api_token WHERE expires_at < now() - interval '30 days'");
  const [{ total } = { total: 0 }] = await on.query<{ total: number }>('SELECT count(*)::int AS total FROM api_token');
  if (total >= MOST) throw new Refusal('conflict', `there are ${MOST} tokens; revoke some`);
  const token = randomBytes(32).toString('base64url');
  const [row] = await on.query<Row>(
    `INSERT INTO api_token (digest, name, scope, made_by, expires_at, claims)
     VALUES ($1, $2, $3, $4, now() + $5::int * interval '1 day', $6::json) RETURNING ${COLUMNS}`,
    [
      digestOf(token),
      name,
      scope,
      who?.name ?? '',
      days,
      who?.claims === undefined ? null : JSON.stringify(who.claims),
    ],
  );
  if (row === undefined) throw new Error('the token was not stored');
  return { ...viewOf(row), token };
}

/** What a provider says of somebody now holds for the tokens that he made, too. */
export const tellTokensOf = (on: Queries, maker: string, claims: Claims) =>
  on.query(
    `UPDATE api_token SET claims = $2::json WHERE made_by = $1 AND claims ->> 'sub' = $3 AND claims::text <> $2::text`,
    [maker, JSON.stringify(claims), claims.sub],
  );

/** A provider no longer knows somebody, or not as signed in: the tokens that he made count again once it tells of him. */
export const holdTokensOf = (on: Queries, maker: string, { sub }: Claims) =>
  on.query("UPDATE api_token SET claims = $2::json WHERE made_by = $1 AND claims ->> 'sub' = $3", [
    ...[maker, JSON.stringify({ sub, isGone: true }), sub],
  ]);

/** Takes back all that somebody made, who has seen their texts. Resolves with a row for each. */
export const endTokensOf = (on: Queries, maker: string) =>
  on.query('DELETE FROM api_token WHERE made_by = $1 RETURNING id', [maker]);

/** Takes one back: its next request is refused. Throws the Refusal `not_found`. */
export async function revokeToken(on: Queries, id: number): Promise<ApiToken> {
  const [row] = await on.query<Row>(`DELETE FROM api_token WHERE id = $1 RETURNING ${COLUMNS}`, [id]);
  if (row === undefined) throw new Refusal('not_found', `no token ${id}`);
  return viewOf(row);
}
