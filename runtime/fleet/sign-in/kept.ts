/** Sessions that are over, and what is kept of them. */
import type { Queries } from '../database/database.ts';

/** What a provider is asked with begins so where the fleet sealed it; otherwise an earlier version did, with the key of the browser. */
export const MARK = 'm.';

/** Whether a row of `session` is of somebody who made tokens that count, or would, and has what to ask the provider with about him. */
export const OF_MAKER = `session.renewal LIKE '${MARK}%' AND session.claims IS NOT NULL AND EXISTS (SELECT FROM api_token
  WHERE made_by = session.name AND api_token.expires_at > now() AND api_token.claims ->> 'sub' = session.claims ->> 'sub')`;

/** Forgets the sessions that are over, but what to ask with about who made tokens: of `name`, who has signed in again, that, too. */
export const forgetSessions = (on: Queries, name = '') =>
  on.query(`DELETE FROM session WHERE expires_at <= now() AND (name = $1 OR NOT (${OF_MAKER}))`, [name]);
