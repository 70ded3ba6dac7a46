/** Signing in and out: by the local password, or at an OpenID provider where one is configured. */
import type { Context } from 'koa';
import { record } from '../audit/audit.ts';
import type { Database, Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { PASSED, type Route, route, type Who } from '../http/routes.ts';
import { bearerOf, isSame } from '../http/tokens.ts';
import { countAttempt, forgetAttempts } from './attempts.ts';
import { PasswordPut, SessionView, SignIn } from './contract.ts';
import { CALLBACK, OpenId, type OpenIdOptions, Stranger } from './openid.ts';
import { hashOf, isPassword, readHash, writeHash } from './password.ts';
import { beginSession, endSession, endSessions, mustBeOwnPage, readSession } from './sessions.ts';

/** In the audit: whoever knows the one local password. */
const LOCAL: Who = { name: 'password' };

/** Of whom the requests are: of a program with the master token, or of somebody who is signed in. */
export const whoAsks =
  (token: string, database: Queries) =>
  async (context: Context): Promise<Who | undefined> => {
    const shown = bearerOf(context.get('authorization'));
    if (shown !== '') return isSame(shown, token) ? { name: 'token' } : undefined;
    const who = await readSession(database, context);
    if (who !== undefined && !['GET', 'HEAD'].includes(context.method)) mustBeOwnPage(context);
    return who;
  };

/** The routes for programs and the page. `token`: the master token; `openid`: whether people sign in at a provider. */
export function sessionRoutes(token: string, database: Database, openid: boolean): Route[] {
  const whoOf = whoAsks(token, database);
  const viewOf = async (who: Who | undefined): Promise<SessionView> => ({
    name: who?.name ?? null,
    way: openid ? 'openid' : 'password',
    passwordSet: (await readHash(database)) !== undefined,
  });
  const mustBeLocal = () => {
    if (openid) throw new Refusal('conflict', 'people sign in at the OpenID provider');
  };
  /** Throws the Refusal `unauthorized`, or `too_many_attempts` with Retry-After. */
  const mustKnow = async (password: string, context: Context): Promise<void> => {
    const { wait, first } = await countAttempt(database, context.ip);
    if (wait > 0) {
      if (first) await record(database, undefined, 'sign-in blocked', context.ip);
      context.set('Retry-After', String(wait));
      throw new Refusal('too_many_attempts', `from this address; the next in ${wait} s`);
    }
    const hash = await readHash(database);
    if (hash === undefined || !(await isPassword(password, hash))) throw new Refusal('unauthorized', 'wrong password');
    await forgetAttempts(database, context.ip);
  };
  return [
    route({
      method: 'GET',
      path: '/api/session',
      access: 'anyone',
      summary: 'who is signed in, and how one signs in',
      response: SessionView,
      errors: ['unauthorized'],
      async handle({ context }) {
        const who = await whoOf(context);
        if (who === undefined && context.get('authorization') !== '') throw new Refusal('unauthorized');
        return viewOf(who);
      },
    }),
    route({
      method: 'POST',
      path: '/api/session',
      access: 'anyone',
      summary: 'sign in with the local password; the answer sets a cookie',
      body: SignIn,
      response: SessionView,
      errors: ['unauthorized', 'forbidden', 'conflict', 'too_many_attempts', 'busy'],
      async handle({ body: { password }, context }) {
        mustBeOwnPage(context);
        mustBeLocal();
        await mustKnow(password, context);
        await database.transaction(async (on) => {
          await beginSession(on, context, LOCAL.name);
          await record(on, LOCAL, 'signed in', context.ip);
        });
        return viewOf(LOCAL);
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/session',
      access: 'operator',
      summary: 'sign out',
      errors: ['forbidden'],
      handle: ({ who, context }) =>
        database.transaction(async (on) => {
          await endSession(on, context);
          await record(on, who, 'signed out', context.ip);
        }),
    }),
    route({
      method: 'PUT',
      path: '/api/password',
      access: 'operator',
      summary: 'set the local password; it ends every session but begins one for who set it',
      body: PasswordPut,
      response: SessionView,
      errors: ['forbidden', 'conflict', 'too_many_attempts', 'busy'],
      async handle({ body: { password, current = '' }, who, context }) {
        mustBeLocal();
        if (who?.name !== 'token') await mustKnow(current, context);
        const hash = await hashOf(password);
        await database.transaction(async (on) => {
          await writeHash(on, hash);
          await endSessions(on);
          await beginSession(on, context, LOCAL.name);
          await record(on, who, 'password set', context.ip);
        });
        return viewOf(LOCAL);
      },
    }),
  ];
}

/** The two steps of a browser through the provider; both end on the page, which tells how it went. */
export function openIdRoutes(database: Database, options: OpenIdOptions, report: (error: Error) => void): Route[] {
  const openid = new OpenId(options);
  const onTheWay = (path: string, summary: string, step: (context: Context) => Promise<string>) =>
    route({
      method: 'GET',
      path,
      access: 'anyone',
      summary,
      async handle({ context }) {
        const to = await step(context).catch((error: Error) => {
          report(new Error(`sign-in by OpenID: ${error.message}`));
          return `/?sign-in=${error instanceof Stranger ? 'stranger' : 'failed'}`;
        });
        context.redirect(to);
        return PASSED;
      },
    });
  return [
    onTheWay('/sign-in/openid', 'to the OpenID provider', (context) => openid.begin(context)),
    onTheWay(CALLBACK, 'back from it', async (context) => {
      const name = await openid.end(context);
      await database.transaction(async (on) => {
        await beginSession(on, context, name);
        await record(on, { name }, 'signed in', context.ip);
      });
      return '/';
    }),
  ];
}
