/** People and tokens, for owners; and the second factor, for whoever is signed in. */
import { changeOf, record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { numberOf, type Route, route, type Who } from '../http/routes.ts';
import { listTokens, MASTER, makeToken, revokeToken } from './api-tokens.ts';
import {
  ApiTokenList,
  ApiTokenMade,
  ApiTokenPost,
  NAME,
  PeopleList,
  Person,
  PersonPut,
  TotpBegun,
  TotpPost,
  TotpPut,
} from './contract.ts';
import type { NodeTokens } from './node-tokens.ts';
import { hashOf, type PasswordCost } from './password.ts';
import { beginTotp, confirmTotp, endTotp, listPeople, putPerson, readView, removePerson } from './people.ts';
import { prove } from './prove.ts';
import { beginSession } from './sessions.ts';
import { uriOf } from './totp.ts';

/** The routes. */
export function peopleRoutes(database: Database, tokens: NodeTokens, cost: PasswordCost): Route[] {
  /** The name of who has an account here. Throws the Refusal `conflict` for tokens and people of a provider. */
  const accountOf = async (who: Who | undefined): Promise<string> => {
    const person = who?.person === undefined ? undefined : await readView(database, who.person);
    if (person === undefined) throw new Refusal('conflict', 'this is for people with an account here');
    return person.name;
  };
  return [
    route({
      method: 'GET',
      path: '/api/people',
      access: 'owner',
      summary: 'the local accounts, by name',
      response: PeopleList,
      handle: async () => ({ people: await listPeople(database) }),
    }),
    route({
      method: 'PUT',
      path: '/api/people/:name',
      access: 'owner',
      summary: 'make an account or change it; a new password ends its sessions',
      body: PersonPut,
      response: Person,
      errors: ['conflict', 'busy'],
      async handle({ params: { name = '' }, body: { role, password, totp }, who }) {
        if (!NAME.test(name) || name === MASTER)
          throw new Refusal('invalid_request', 'the name has up to 64 visible characters, and is not . or ..');
        // A session that somebody left open is not enough for that.
        if (name === who?.person && (password !== undefined || totp !== undefined))
          throw new Refusal('conflict', 'one’s own are changed by PUT /api/password and POST /api/totp');
        const hash = password === undefined ? undefined : await hashOf(password, cost);
        const [before, changed] = await database.transaction(async (on) => {
          const before = await putPerson(on, name, role, hash);
          if (totp === false) await endTotp(on, name);
          const after = await readView(on, name);
          const secret = hash === undefined ? {} : { password: 'new' };
          await record(on, who, 'person changed', name, changeOf(before ?? {}, { ...after, ...secret }));
          return [before, after];
        });
        if (before?.role !== changed?.role) await tokens.lookAgain();
        return changed;
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/people/:name',
      access: 'owner',
      summary:
        'remove an account; its sessions and the tokens that it made end, as do those of somebody who came by a provider',
      errors: ['not_found'],
      async handle({ params: { name = '' }, who }) {
        await database.transaction(async (on) => {
          const before = await removePerson(on, name);
          await record(on, who, 'person removed', name, changeOf(before, {}));
        });
        await tokens.lookAgain();
      },
    }),
    route({
      method: 'POST',
      path: '/api/totp',
      access: 'viewer',
      summary: 'begin a second factor, or another one, of who is signed in: a secret for an app',
      body: TotpPost,
      response: TotpBegun,
      errors: ['code_needed', 'conflict', 'too_many_attempts', 'busy'],
      async handle({ body: { password, code }, who, context }) {
        const name = await accountOf(who);
        const known = await prove(database, context, name, password, code);
        const secret = await database.transaction((on) => beginTotp(on, known));
        return { secret, uri: uriOf(secret, name) };
      },
    }),
    route({
      method: 'PUT',
      path: '/api/totp',
      access: 'viewer',
      summary: 'a code of the app: from now on they are asked for at the sign-in; it ends every other session',
      body: TotpPut,
      errors: ['conflict'],
      async handle({ body: { code }, who, context }) {
        const name = await accountOf(who);
        await database.transaction(async (on) => {
          await confirmTotp(on, name, code);
          await beginSession(on, context, { person: name });
          await record(on, who, 'second factor set', name, changeOf({}, { totp: 'new' }));
        });
      },
    }),
    route({
      method: 'GET',
      path: '/api/tokens',
      access: 'owner',
      summary: 'tokens for programs, newest first, without their texts',
      response: ApiTokenList,
      handle: async () => ({ tokens: await listTokens(database) }),
    }),
    route({
      method: 'POST',
      path: '/api/tokens',
      access: 'owner',
      summary: 'make a token for a program; this answer alone has its text',
      body: ApiTokenPost,
      response: ApiTokenMade,
      errors: ['conflict'],
      async handle({ body, who }) {
        const made = await database.transaction(async (on) => {
          const token = await makeToken(on, body, who);
          await record(on, who, 'token made', `${token.id} ${token.name}`, changeOf({}, body));
          return token;
        });
        await tokens.lookAgain();
        return made;
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/tokens/:id',
      access: 'owner',
      summary: 'revoke a token: its next request is refused',
      errors: ['not_found'],
      async handle({ params, who }) {
        await database.transaction(async (on) => {
          const { id, name, scope } = await revokeToken(on, numberOf(params['id']));
          await record(on, who, 'token revoked', `${id} ${name}`, changeOf({ name, scope }, {}));
        });
        await tokens.lookAgain();
      },
    }),
  ];
}
