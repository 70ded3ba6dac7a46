/** Local accounts: a name, a role, the scrypt hash of a password, and a second factor. */
import { randomBytes } from 'node:crypto';
import { clockOf } from '../database/clock.ts';
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import type { Role } from '../http/roles.ts';
import { endTokensOf, MASTER } from './api-tokens.ts';
import { forgetAttemptsOf } from './attempts.ts';
import type { Person } from './contract.ts';
import { hashOf, isPassword } from './password.ts';
import { newSecret, stepOf } from './totp.ts';

/** The account whose password the master token sets where it names nobody. */
export const FIRST = 'owner';

interface Row {
  readonly name: string;
  readonly role: Role;
  readonly hash: string;
  readonly totp: string | null;
  readonly totp_new: string | null;
  readonly totp_step: number;
}

/** The hash of nobody's password: an unknown name takes as long as a wrong password. */
let nobody: Promise<string> | undefined;

/** An account as it was when somebody showed what is known for it. */
export type Known = Pick<Row, 'name' | 'hash' | 'totp'>;

/**
 * Whether the password, and the code where there is a second factor, are of this person. Throws the Refusal `unauthorized`,
 * or `code_needed` where all is right but the code. A code counts once. `beforeCode`: before a code is looked at, of somebody
 * who knows the password.
 */
export async function mustKnow(
  on: Queries,
  name: string,
  password: string,
  code = '',
  beforeCode: () => Promise<void> = async () => {},
): Promise<Known> {
  const person = await readPerson(on, name);
  nobody ??= hashOf(randomBytes(16).toString('hex'));
  if (!(await isPassword(password, person?.hash ?? (await nobody))) || person === undefined)
    throw new Refusal('unauthorized', 'wrong name or password');
  if (person.totp === null) return person;
  if (code === '') throw new Refusal('code_needed');
  await beforeCode();
  await mustHaveCode(on, person, person.totp, code);
  return person;
}

/**
 * What was shown still counts, and does until the end of the transaction: whoever changes the password or the second factor
 * meanwhile waits. Throws the Refusal `unauthorized` where somebody was first.
 */
export async function mustStillKnow(on: Queries, { name, hash, totp }: Known): Promise<void> {
  const [same] = await on.query(
    'SELECT name FROM person WHERE name = $1 AND hash = $2 AND totp IS NOT DISTINCT FROM $3 FOR UPDATE',
    [name, hash, totp],
  );
  if (same === undefined) throw new Refusal('unauthorized', 'the account was changed meanwhile');
}

async function mustHaveCode(on: Queries, { name, totp_step }: Row, secret: string, code: string): Promise<void> {
  const step = stepOf(secret, code, await clockOf(on), totp_step);
  // Two that come at once: one of them is the first.
  const taken =
    step === undefined
      ? []
      : await on.query('UPDATE person SET totp_step = $2 WHERE name = $1 AND totp_step < $2 RETURNING name', [
          name,
          step,
        ]);
  if (taken.length === 0) throw new Refusal('unauthorized', 'wrong code');
}

async function readPerson(on: Queries, name: string): Promise<Row | undefined> {
  const [row] = await on.query<Row>('SELECT * FROM person WHERE name = $1', [name]);
  return row;
}

const viewOf = ({ name, role, totp }: Row): Person => ({ name, role, totp: totp !== null });

/** Everybody who has an account, by name. */
export const listPeople = (on: Queries): Promise<Person[]> =>
  on.query<Person>('SELECT name, role, totp IS NOT NULL AS totp FROM person ORDER BY name LIMIT 1000');

/** One of them. */
export async function readView(on: Queries, name: string): Promise<Person | undefined> {
  const [person] = await on.query<Person>('SELECT name, role, totp IS NOT NULL AS totp FROM person WHERE name = $1', [
    name,
  ]);
  return person;
}

/**
 * Makes or changes an account; `hash` is of a new password, which ends the sessions. Who is an owner no more keeps none of the
 * tokens that he made. Resolves with what it was. Throws a Refusal.
 */
export async function putPerson(
  on: Queries,
  name: string,
  role: Role | undefined,
  hash: string | undefined,
): Promise<Person | undefined> {
  // Of two changes at once the second begins from what the first made.
  const locked = () => on.query<Row>('SELECT * FROM person WHERE name = $1 FOR UPDATE', [name]);
  let [before] = await locked();
  if (before === undefined) {
    if (hash === undefined) throw new Refusal('invalid_request', 'password: is needed for somebody new');
    const made = await on.query(
      'INSERT INTO person (name, role, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING name',
      [name, role ?? 'viewer', hash],
    );
    if (made.length > 0) return undefined;
    [before] = await locked();
    if (before === undefined) throw new Refusal('conflict', `${name} was made and removed meanwhile`);
  }
  await on.query('UPDATE person SET role = coalesce($2, role), hash = coalesce($3, hash) WHERE name = $1', [
    name,
    role ?? null,
    hash ?? null,
  ]);
  if (hash !== undefined) {
    await endSessionsOf(on, name);
    await forgetAttemptsOf(on, name);
  }
  if (before.role === 'owner' && role !== undefined && role !== 'owner') await endTokensOf(on, name);
  return viewOf(before);
}

const endSessionsOf = (on: Queries, name: string) => on.query('DELETE FROM session WHERE person = $1', [name]);

/**
 * Removes an account; its sessions and the tokens that it made end with it. Of somebody whom a provider told of, there are those alone.
 * Resolves with what it was. Throws the Refusal `not_found`.
 */
export async function removePerson(on: Queries, name: string): Promise<object> {
  const unknown = new Refusal('not_found', `nobody is called ${name}`);
  if (name === MASTER) throw unknown;
  const [gone] = await on.query<Row>('DELETE FROM person WHERE name = $1 RETURNING *', [name]);
  const sessions = await on.query('DELETE FROM session WHERE name = $1 AND claims IS NOT NULL RETURNING id', [name]);
  const tokens = await endTokensOf(on, name);
  if (gone !== undefined) return viewOf(gone);
  if (sessions.length + tokens.length === 0) throw unknown;
  return { sessions: sessions.length, tokens: tokens.length };
}

/** A new secret for an app; it counts once a code of it has come. */
export async function beginTotp(on: Queries, known: Known): Promise<string> {
  await mustStillKnow(on, known);
  const secret = newSecret();
  await on.query('UPDATE person SET totp_new = $2 WHERE name = $1', [known.name, secret]);
  return secret;
}

/** The app has the secret: from now on its codes are asked for; who came in without one comes again. Throws a Refusal. */
export async function confirmTotp(on: Queries, name: string, code: string): Promise<void> {
  const person = await readPerson(on, name);
  if (person?.totp_new == null) throw new Refusal('conflict', 'no second factor was begun');
  const step = stepOf(person.totp_new, code, await clockOf(on), 0);
  if (step === undefined) throw new Refusal('unauthorized', 'wrong code');
  // Of the secret that the code is of: another one may have been begun meanwhile.
  const set = await on.query(
    'UPDATE person SET totp = totp_new, totp_new = NULL, totp_step = $3 WHERE name = $1 AND totp_new = $2 RETURNING name',
    [name, person.totp_new, step],
  );
  if (set.length === 0) throw new Refusal('conflict', 'another second factor was begun meanwhile');
  await endSessionsOf(on, name);
}

/** Takes the second factor away. */
export const endTotp = (on: Queries, name: string) =>
  on.query('UPDATE person SET totp = NULL, totp_new = NULL WHERE name = $1', [name]);
