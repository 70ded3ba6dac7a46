/** Somebody shows that an account is his: at the sign-in, and again before its password or second factor is changed. */
import type { Context } from 'koa';
import { record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { Busy } from '../http/errors.ts';
import { type Attempt, countAttempt, countCode, countTold, forgetAttempts } from './attempts.ts';
import { type Known, mustKnow } from './people.ts';

/** Throws the Refusal `unauthorized` or `code_needed`, or Busy `too_many_attempts`. */
export async function prove(
  database: Database,
  context: Context,
  name: string,
  password: string,
  code: string | undefined,
): Promise<Known> {
  const mustMay = async ({ wait, first }: Attempt, where: string) => {
    if (wait === 0) return;
    if (first) await tell(database, `${name} ${context.ip}`);
    throw new Busy(`${where}; the next in ${wait} s`, wait, 'too_many_attempts');
  };
  await mustMay(await countAttempt(database, context.ip, name), 'from this address');
  const known = await mustKnow(database, name, password, code, async () =>
    mustMay(await countCode(database, name), 'for this account'),
  );
  await forgetAttempts(database, context.ip, name);
  return known;
}

/** Writes down whose guesses are slowed down, as far as the audit takes it. */
async function tell(database: Database, whom: string): Promise<void> {
  const { wait, first } = await countTold(database);
  if (wait === 0) await record(database, undefined, 'sign-in blocked', whom);
  else if (first) await record(database, undefined, 'sign-in blocked', 'of more accounts or addresses');
}
