/** Signing in and out: by the local password, or at an OpenID provider where one is configured. */
import type { Context } from 'koa';
import { defined } from '../../base/defined.ts';
import { readBytes } from '../../http/body.ts';
import { bearerOf, isSameSecret } from '../../http/secrets.ts';
import { record } from '../audit/audit.ts';
import { clockOf } from '../database/clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { limitsOf } from '../http/body.ts';
import { Busy, Refusal } from '../http/errors.ts';
import type { Places } from '../http/places.ts';
import { ANY, type Call, PASSED, type Route, route, type Who } from '../http/routes.ts';
import { Provoked } from '../http/sparing.ts';
import { mayBeToken, readToken } from './api-tokens.ts';
import { PasswordPut, SessionView, SignIn } from './contract.ts';
import { endToldSessions, LOGOUT, mustNotBeOut, NotInOrder, ProviderAway } from './logout.ts';
import { CALLBACK, type OpenId, roleNowOf, Stranger } from './openid.ts';
import { hashOf, type PasswordCost } from './password.ts';
import { FIRST, mustStillKnow, putPerson, readView } from './people.ts';
import { prove } from './prove.ts';
import type { Renewals } from './renewals.ts';
import { beginSession, endSession, mustBeOwnPage, readSession, sessionKey, whoseSession } from './sessions.ts';

/** Anybody may send one: a name and a password, also where each character is written as six. */
const SIGN_IN_BYTES = 8 * 1024;

/**
 * Finds out who sent a request: a program with the master token or one that was made for it, or somebody who is signed in.
 * `masters`: the master tokens that count; `places`: of whom nothing is known yet; `openid`, `renewals`: the provider, where people
 * sign in at one.
 */
export const whoAsks =
  (masters: readonly string[], database: Queries, places: Places, openid?: OpenId, renewals?: Renewals) =>
  async (context: Context): Promise<Who | undefined> => {
    const roleNow = roleNowOf(openid?.people);
    const shown = bearerOf(context.get('authorization'));
    if (shown !== '') {
      if (masters.some((master) => isSameSecret(shown, master))) return { name: 'token', role: 'owner' };
      if (!mayBeToken(shown)) return undefined;
      const made = await places.ofShown(context, shown, () => readToken(database, shown, roleNow));
      return made && { name: `token:${made.name}`, role: made.scope };
    }
    const key = sessionKey(context);
    if (key === undefined) return undefined;
    const session = await places.ofShown(context, key, () => readSession(database, key, roleNow));
    // A provider may hang: who waits for it has no place.
    const who = session && (await whoseSession(database, key, session, roleNow, renewals));
    if (who !== undefined && !['GET', 'HEAD'].includes(context.method)) mustBeOwnPage(context);
    return who;
  };

/**
 * The routes for programs and the page. `whoOf`: as `whoAsks`; `places`: of strangers who sign in; `openid`: whether people
 * sign in at a provider; `cost`: of a password's hash.
 */
export function sessionRoutes(
  whoOf: ReturnType<typeof whoAsks>,
  database: Database,
  places: Places,
  openid: boolean,
  cost: PasswordCost,
): Route[] {
  const viewOf = async (who: Who | undefined): Promise<SessionView> => ({
    name: who?.name ?? null,
    role: who?.role ?? null,
    totp: who?.person !== undefined && (await readView(database, who.person))?.totp === true,
    way: openid ? 'openid' : 'password',
    passwordSet: (await database.query('SELECT name FROM person LIMIT 1')).length > 0,
  });
  /** As strangers see it: one question at a time is for all of them, who are many and need no place so. */
  let asked: Promise<SessionView> | undefined;
  const viewOfStranger = () => {
    asked ??= viewOf(undefined).finally(() => {
      asked = undefined;
    });
    return asked;
  };
  /** As who is signed in sees it, whose account is there. */
  const viewOfPerson = async (name: string): Promise<SessionView> => {
    const role = (await readView(database, name))?.role ?? 'viewer';
    return viewOf({ name, role, person: name });
  };
  const mustBeLocal = () => {
    if (openid) throw new Refusal('conflict', 'people sign in at the OpenID provider');
  };
  return [
    route({
      method: 'GET',
      path: '/api/session',
      access: 'anyone',
      summary: 'who is signed in, and how one signs in',
      response: SessionView,
      errors: ['unauthorized'],
      async handle({ context, turn }) {
        const who = await whoOf(context);
        if (who !== undefined) return viewOf(who);
        if (context.get('authorization') !== '') throw new Refusal('unauthorized');
        await turn();
        return viewOfStranger();
      },
    }),
    route({
      method: 'POST',
      path: '/api/session',
      access: 'anyone',
      summary: 'sign in with name and password; the answer sets a cookie',
      body: SignIn,
      limitBytes: SIGN_IN_BYTES,
      response: SessionView,
      errors: ['unauthorized', 'code_needed', 'forbidden', 'conflict', 'too_many_attempts', 'busy'],
      async handle({ body: { name = FIRST, password, code }, context }) {
        mustBeOwnPage(context);
        mustBeLocal();
        return places.within(context, async () => {
          const known = await prove(database, context, name, password, code);
          await database.transaction(async (on) => {
            await mustStillKnow(on, known);
            await beginSession(on, context, { person: name });
            await record(on, { name }, 'signed in', context.ip);
          });
          return viewOfPerson(name);
        });
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/session',
      access: 'viewer',
      summary: 'sign out',
      errors: ['forbidden'],
      handle: ({ who, context }) =>
        database.transaction(async (on) => {
          // A token has none to end, and writes nothing.
          if (await endSession(on, context)) await record(on, who, 'signed out', context.ip);
        }),
    }),
    route({
      method: 'PUT',
      path: '/api/password',
      access: 'viewer',
      summary: 'set one’s password, with the master token that of the account owner; it ends every other session of it',
      body: PasswordPut,
      response: SessionView,
      errors: ['code_needed', 'conflict', 'too_many_attempts', 'busy'],
      async handle({ body: { password, current = '', code }, who, context }) {
        mustBeLocal();
        const name = who?.person ?? FIRST;
        if (who?.person === undefined && who?.role !== 'owner') throw new Refusal('forbidden');
        const known = who.person === undefined ? undefined : await prove(database, context, name, current, code);
        const hash = await hashOf(password, cost);
        await database.transaction(async (on) => {
          if (known !== undefined) await mustStillKnow(on, known);
          const role = known === undefined ? 'owner' : undefined;
          const before = await putPerson(on, name, role, hash);
          await beginSession(on, context, { person: name });
          const roles = role !== undefined && before?.role !== role;
          await record(on, who, 'password set', `${name} ${context.ip}`, {
            before: roles && before !== undefined ? { role: before.role } : {},
            after: { password: 'new', ...(roles && { role }) },
          });
        });
        return viewOfPerson(name);
      },
    }),
  ];
}

/** A form with a logout token, which has no more in it than who is meant. */
const LOGOUT_LIMITS = limitsOf(8 * 1024, { timeoutMs: 5000 });

/**
 * The two steps of a browser through the provider, which both end on the page, which tells how it went; and where the provider says who
 * signed out there.
 */
export function openIdRoutes(
  database: Database,
  openid: OpenId,
  renewals: Renewals,
  places: Places,
  report: (error: Error) => void,
): Route[] {
  const onTheWay = (path: string, summary: string, to: string, step: (call: Call) => Promise<string>) =>
    route({
      method: 'GET',
      path,
      access: 'anyone',
      summary,
      query: ANY,
      also: { 302: to },
      async handle(call) {
        const where = await step(call).catch(async (error: Error) => {
          if (error instanceof Busy) throw error;
          report(new Provoked('sign-in by OpenID', error.message));
          await call.turn();
          return `/?sign-in=${error instanceof Stranger ? 'stranger' : 'failed'}`;
        });
        call.context.redirect(where);
        return PASSED;
      },
    });
  return [
    onTheWay(
      '/sign-in/openid',
      'where a browser begins to sign in at the OpenID provider',
      'to the provider',
      async ({ context, turn }) => {
        await turn();
        return openid.begin(context);
      },
    ),
    onTheWay(
      CALLBACK,
      'where the provider sends the browser back',
      'to the page, which tells how it went',
      ({ context }) =>
        places.within(context, async () => {
          const since = await clockOf(database);
          const { refresh, ...told } = await openid.end(context);
          const subject = { ...told, ...(refresh !== undefined && { renewal: renewals.seal(refresh) }) };
          await database.transaction(async (on) => {
            await mustNotBeOut(on, defined({ sub: told.claims.sub, sid: told.sid }), since);
            await beginSession(on, context, subject);
            await record(on, subject, 'signed in', context.ip);
          });
          return '/';
        }),
    ),
    route({
      method: 'POST',
      path: LOGOUT,
      access: 'anyone',
      summary: 'the provider says who signed out there (OpenID Connect Back-Channel Logout 1.0)',
      upload: 'application/x-www-form-urlencoded',
      also: { 200: 'their sessions are over', 400: 'the token is not in order; as section 2.8 has it' },
      errors: ['body_too_large'],
      async handle({ context, turn }) {
        const form = new URLSearchParams((await readBytes(context.req, LOGOUT_LIMITS)).toString());
        const [status, body] = await places
          .within(context, async () => {
            const told = await openid.loggedOut(form.get('logout_token') ?? '');
            await database.transaction(async (on) => {
              for (const name of await endToldSessions(on, told)) await record(on, { name }, 'signed out', context.ip);
            });
            return [200, ''] as const;
          })
          .catch(async (error: Error) => {
            if (!(error instanceof NotInOrder || error instanceof ProviderAway)) throw error;
            report(new Provoked('logout by OpenID', error.message));
            await turn();
            // The provider has told in order, for all that is known.
            if (error instanceof ProviderAway)
              throw new Busy('the OpenID provider does not say by which keys it signs');
            // As section 2.8 has it, and not as the table of errors does.
            return [400, { error: 'invalid_request', error_description: error.message }] as const;
          });
        context.status = status;
        context.body = body;
        return PASSED;
      },
    }),
  ];
}
