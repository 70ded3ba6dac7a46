/** Guessing of passwords is slowed down by the address that it comes from, over all processes. */
import { isIPv6 } from 'node:net';
import type { Queries } from '../database/database.ts';

/** Wrong passwords from one address in fifteen minutes. */
const MOST = 10;
const WINDOW = "interval '15 minutes'";

/** The address; of IPv6 the first 64 bits, which one customer has to himself (RFC 6177). */
export function sourceOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? [];
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const gap = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(gap).fill('0'), ...groups(tail)]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/**
 * Counts an attempt, before it is known whether it is right: many at once are not let through. Returns the seconds until
 * the next one may come, 0 where this one may; `first`: it is the first that may not.
 */
export async function countAttempt(on: Queries, address: string): Promise<{ wait: number; first: boolean }> {
  await on.query(`DELETE FROM sign_in_attempt WHERE since < now() - ${WINDOW}`);
  const [row] = await on.query<{ count: number; wait: number }>(
    `INSERT INTO sign_in_attempt AS attempt (address, count) VALUES ($1, 1)
     ON CONFLICT (address) DO UPDATE SET count = attempt.count + 1
     RETURNING count, ceil(extract(epoch FROM since + ${WINDOW} - now()))::int AS wait`,
    [sourceOf(address)],
  );
  const { count, wait } = row ?? { count: 1, wait: 0 };
  return { wait: count > MOST ? Math.max(1, wait) : 0, first: count === MOST + 1 };
}

/** After a right password. */
export async function forgetAttempts(on: Queries, address: string): Promise<void> {
  await on.query('DELETE FROM sign_in_attempt WHERE address = $1', [sourceOf(address)]);
}
