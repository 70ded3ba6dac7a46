/** What a provider is asked with whether somebody is still signed in there: kept sealed, and used for sessions and for who made tokens. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Queries } from '../database/database.ts';
import type { Claims } from '../http/routes.ts';
import { holdTokensOf, tellTokensOf } from './api-tokens.ts';
import { MARK, OF_MAKER } from './kept.ts';
import { Gone, type OpenId } from './openid.ts';

/** Longest time that a provider is believed which says it, before it is asked again. */
export const ASK_SECONDS = 300;
/** The same of who made tokens, which nothing but the time asks for: the answer is there within that. */
const ASK_OF_MAKERS_SECONDS = 280;
/** How many of these it is asked about in one turn, and at a time. */
const MAKERS = 20;
const AT_A_TIME = 4;

const IV_BYTES = 12;
const TAG_BYTES = 16;
const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'renewal of a session', 32));

/** A session that the provider is asked about. */
export interface Asked {
  readonly id: string;
  readonly name: string;
  readonly claims: Claims | null;
}

/** Asks the provider about people. The database has no key to what it is asked with: that follows from the master token. */
export class Renewals {
  readonly #provider: Pick<OpenId, 'renew'>;
  readonly #keys: readonly Buffer[];

  /** `masters`: the master token, and while it is rotated the one before. */
  constructor(provider: Pick<OpenId, 'renew'>, masters: readonly string[]) {
    this.#provider = provider;
    this.#keys = masters.map(keyOf);
  }

  /** AES-256-GCM (NIST SP 800-38D): IV, tag and text in base64url. */
  seal(refresh: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0] ?? '', iv);
    const sealed = Buffer.concat([cipher.update(refresh, 'utf8'), cipher.final()]);
    return MARK + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** What the provider says of a session now, or said; null if it ended there, and here with it. `browserKey`: of the session. */
  async ask(
    on: Queries,
    { id, name, claims: known }: Asked,
    { browserKey = '', seconds = ASK_SECONDS } = {},
  ): Promise<Claims | null> {
    // What it is asked with may count once, so one request asks.
    const [turn] = await on.query<{ renewal: string }>(
      `UPDATE session SET asked_at = now() WHERE id = $1 AND asked_at < now() - $2::int * interval '1 second'
       RETURNING renewal`,
      [id, seconds],
    );
    if (turn === undefined || known === null) return known;
    try {
      const { claims, refresh } = await this.#provider.renew(this.#unseal(turn.renewal, browserKey), known);
      const said = claims && JSON.stringify(claims);
      await on.query(
        `UPDATE session SET told_at = CASE WHEN $2::text IS NULL THEN told_at ELSE now() END, claims = coalesce($2::json, claims),
           renewal = coalesce($3, renewal) WHERE id = $1`,
        [id, said ?? null, refresh === undefined ? null : this.seal(refresh)],
      );
      if (claims !== undefined) await tellTokensOf(on, name, claims);
      return claims ?? known;
    } catch (error) {
      // One that is away is asked again, and believed for a while.
      if (!(error instanceof Gone)) return known;
      const gone = await on.query('DELETE FROM session WHERE id = $1 RETURNING id', [id]);
      // Otherwise he has signed in anew meanwhile.
      if (gone.length > 0) await holdTokensOf(on, name, known);
      return null;
    }
  }

  /** Asks about those who made tokens, also where their sessions are over: some in one turn, those first of whom it was not asked for longest. */
  async askOfMakers(on: Queries): Promise<void> {
    const due = await on.query<Asked>(
      `SELECT id, name, claims FROM (SELECT DISTINCT ON (name) id, name, claims, asked_at FROM session WHERE ${OF_MAKER}
         ORDER BY name, expires_at DESC) AS newest
       WHERE asked_at < now() - $1::int * interval '1 second' ORDER BY asked_at LIMIT ${MAKERS}`,
      [ASK_OF_MAKERS_SECONDS],
    );
    const rest = due.values();
    const turns = Array.from({ length: AT_A_TIME }, async () => {
      for (const each of rest) await this.ask(on, each, { seconds: ASK_OF_MAKERS_SECONDS });
    });
    await Promise.all(turns);
  }

  /** Throws where none of the keys is the right one. */
  #unseal(sealed: string, browserKey: string): string {
    const isOurs = sealed.startsWith(MARK);
    const bytes = Buffer.from(isOurs ? sealed.slice(MARK.length) : sealed, 'base64url');
    const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    let wrong: unknown;
    for (const key of isOurs ? this.#keys : [keyOf(browserKey)])
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(tag);
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch (error) {
        wrong = error;
      }
    throw wrong;
  }
}
