/** Guessing of passwords is slowed down by account and address, and by address alone, over all processes. */
import type { Queries } from '../database/database.ts';
import { sourceOf } from '../http/source.ts';

/** Whether somebody may try. `wait`: seconds until he may, 0 for now; `first`: it is the first that may not. */
export interface Attempt {
  readonly wait: number;
  readonly first: boolean;
}

/** Wrong passwords for one account from one address in fifteen minutes; and of all accounts from there. */
const MOST = 10;
const MOST_OF_ALL = 100;
const MOST_TOLD = 5;
const WINDOW = "interval '15 minutes'";

/**
 * Counts an attempt, before it is known whether it is right: many at once are not let through. Returns the seconds until
 * the next one may come, 0 where this one may; `first`: it is the first that may not.
 */
export async function countAttempt(on: Queries, address: string, account: string): Promise<Attempt> {
  await on.query(`DELETE FROM sign_in_attempt WHERE since < now() - ${WINDOW}`);
  const source = sourceOf(address);
  // Nothing is written of who may try no account any more.
  const [over] = await on.query<{ wait: number }>(
    `SELECT ceil(extract(epoch FROM since + ${WINDOW} - now()))::int AS wait FROM sign_in_attempt
     WHERE address = $1 AND count > ${MOST_OF_ALL}`,
    [source],
  );
  if (over !== undefined) return { wait: Math.max(1, over.wait), first: false };
  const own = await count(on, `${source} ${account}`, MOST);
  // Who guesses on costs the others behind his address nothing.
  if (own.wait > 0) return own;
  return count(on, source, MOST_OF_ALL);
}

/**
 * Counts a code of the second factor, of somebody who knows the password: from wherever he tries, as six digits are guessed
 * from many addresses (RFC 4226, 7.3). Who does not know the password blocks nobody by it.
 */
export const countCode = (on: Queries, account: string): Promise<Attempt> => count(on, codesOf(account), MOST);

/**
 * Whether the audit takes an entry that a stranger causes: of so many in fifteen minutes each, `first` that there are more. It is kept for
 * good, and who guesses has many names and addresses.
 */
export const countTold = (on: Queries): Promise<Attempt> => count(on, 'told', MOST_TOLD);

/** No address. */
const codesOf = (account: string) => `code ${account}`;

async function count(on: Queries, key: string, most: number): Promise<Attempt> {
  const [row] = await on.query<{ count: number; wait: number }>(
    `INSERT INTO sign_in_attempt AS attempt (address, count) VALUES ($1, 1)
     ON CONFLICT (address) DO UPDATE SET count = attempt.count + 1
     RETURNING count, ceil(extract(epoch FROM since + ${WINDOW} - now()))::int AS wait`,
    [key],
  );
  const { count: tries, wait } = row ?? { count: 1, wait: 0 };
  return { wait: tries > most ? Math.max(1, wait) : 0, first: tries === most + 1 };
}

/** After an owner gave an account another password: what was guessed from wherever was not of this one. */
export const forgetAttemptsOf = (on: Queries, account: string) =>
  on.query("DELETE FROM sign_in_attempt WHERE right(address, length($1) + 1) = ' ' || $1::text", [account]);

/** After a right password: it was no guess of this account, nor of others from there. */
export async function forgetAttempts(on: Queries, address: string, account: string): Promise<void> {
  const source = sourceOf(address);
  await on.query('DELETE FROM sign_in_attempt WHERE address IN ($1, $2)', [`${source} ${account}`, codesOf(account)]);
  await on.query('UPDATE sign_in_attempt SET count = greatest(0, count - 1) WHERE address = $1', [source]);
}
