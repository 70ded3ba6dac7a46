/** Signing in at a provider: OpenID Connect Core 1.0, authorization code flow with PKCE (RFC 7636). */
import { setTimeout as delay } from 'node:timers/promises';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import type { Context } from 'koa';
import * as client from 'openid-client';
import { defined } from '../../base/defined.ts';
import { giveCookie, takeCookie } from '../http/cookie.ts';
import { higher, ROLES, type Role } from '../http/roles.ts';
import type { Claims } from '../http/routes.ts';
import { type LoggedOut, loggedOutBy, ProviderAway } from './logout.ts';

/** The provider, and the people there whom the fleet lets in. */
export interface OpenIdOptions {
  /** URL of the provider, below which `.well-known/openid-configuration` is. */
  readonly issuer: string;
  readonly client: string;
  /** '' for a client without one. */
  readonly secret: string;
  /**
   * E-mail addresses that the provider has verified, `@domain` of those, `group:` and one of its groups, subjects, or `*`
   * for all that it has; each with `=` and a role, without one owners.
   */
  readonly people: readonly string[];
}

/** The highest role that a person has by the list; undefined for a stranger. */
export function roleOf(people: OpenIdOptions['people'], { sub, email, groups = [] }: Claims): Role | undefined {
  const domain = email?.slice(email.lastIndexOf('@'));
  let role: Role | undefined;
  for (const entry of people) {
    const [, each = '', named] = ENTRY.exec(entry) ?? [];
    const given = ROLES.find((one) => one === named) ?? 'owner';
    // What looks like an address is one: a subject may be anything that somebody chose.
    const fits = isGroup(each)
      ? groups.includes(each.slice('group:'.length))
      : each.includes('@')
        ? email !== undefined && [email, domain].includes(small(each))
        : each === '*' || each === sub;
    if (fits) role = higher(role, given);
  }
  return role;
}
const ENTRY = new RegExp(`^(.*?)(?:=(${ROLES.join('|')}))?$`);
const isGroup = (entry: string) => entry.startsWith('group:');
/** An address of somebody, or a domain. */
const isAddress = (entry: string) => !isGroup(entry) && entry.includes('@');
/** In small letters, of ASCII alone: others have small letters that are ASCII, as the sign of kelvin, and are another address. */
const small = (address: string): string => address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
/** An address with one `@`: in one with more, which programs take for a domain is not said. */
const ADDRESS = /^[^@\s\p{C}]+@[^@\s\p{C}]+$/u;

/** What somebody whom the provider told of may now; undefined where people have accounts here. */
export type RoleNow = ((claims: Claims) => Role | undefined) | undefined;

/** By the list of the people who are let in. */
export const roleNowOf = (people: OpenIdOptions['people'] | undefined): RoleNow =>
  people && ((claims) => roleOf(people, claims));

const COOKIE = 'tillnode-fleet-openid';
const TIMEOUT_S = 10;
/** How often its keys are asked for at most, and for how long not where they did not come. */
const KEYS_MS = 1000;
const REST_MS = 10_000;
/** Groups of one person that are kept. */
const GROUPS = 100;
/** Longest time that somebody may take at the provider. */
const AWAY_SECONDS = 600;
export const CALLBACK = '/sign-in/openid/back';

/** Somebody whom the provider knows and the fleet does not let in. */
export class Stranger extends Error {}

/** Somebody of whom the provider says no more that he is signed in. */
export class Gone extends Error {}

/** Origin of the fleet, as the browser sees it. (That of Koa is what the browser says of the page that asks.) */
const originOf = ({ protocol, host }: Context) => `${protocol}://${host}`;

/** The flow, for one provider. */
export class OpenId {
  readonly #options: OpenIdOptions;
  #configuration: Promise<client.Configuration> | undefined;
  #keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  /** When its keys may be asked for again, by `performance.now()`. */
  #restUntil = 0;

  constructor(options: OpenIdOptions) {
    this.#options = options;
  }

  /** The people there whom the fleet lets in. */
  get people(): OpenIdOptions['people'] {
    return this.#options.people;
  }

  /** What the provider says of itself: asked once, and again after a failure. */
  #discover(): Promise<client.Configuration> {
    const { issuer, client: id } = this.#options;
    const url = new URL(issuer);
    this.#configuration ??= client
      .discovery(url, id, undefined, this.#proof, {
        ...{ timeout: TIMEOUT_S, execute: this.#checks },
        [client.customFetch]: bounded,
      })
      .catch((error: unknown) => {
        this.#configuration = undefined;
        throw error;
      });
    return this.#configuration;
  }

  get #proof(): client.ClientAuth {
    const { secret } = this.#options;
    return secret === '' ? client.None() : client.ClientSecretBasic(secret);
  }

  get #checks(): ((configuration: client.Configuration) => void)[] {
    return [
      // Who signed an identity token is looked at, too: not only who sent it (OpenID Connect Core 1.0, 3.1.3.7, 6).
      client.enableNonRepudiationChecks,
      // Only on this machine; `openIdOf` takes no other.
      ...(this.#options.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
    ];
  }

  /**
   * The same for one token, whose key is asked for anew: a key that is known is not asked for again for a minute, in which one that was
   * just rotated in would be refused, and the code or refresh token spent.
   */
  async #once(): Promise<client.Configuration> {
    const known = await this.#discover();
    const once = new client.Configuration(known.serverMetadata(), this.#options.client, undefined, this.#proof);
    once.timeout = TIMEOUT_S;
    once[client.customFetch] = bounded;
    for (const check of this.#checks) check(once);
    return once;
  }

  /** Where the browser goes to sign in; a cookie holds what the answer is checked with. Rejects if the provider is away. */
  async begin(context: Context): Promise<string> {
    const configuration = await this.#discover();
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    giveCookie(context, COOKIE, [state, nonce, verifier].join('.'), { path: CALLBACK, seconds: AWAY_SECONDS });
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${originOf(context)}${CALLBACK}`,
      scope: this.#scopeAt(configuration),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /** Some give groups to who asks for them alone; others refuse a scope that they do not know (RFC 6749, 4.1.2.1). */
  #scopeAt(configuration: client.Configuration): string {
    const { scopes_supported: known = [] } = configuration.serverMetadata();
    return `openid email${this.people.some(isGroup) && known.includes('groups') ? ' groups' : ''}`;
  }

  /**
   * Takes somebody back from the provider: his name and claims, and what to ask it with whether he is still signed in, where it
   * gives that. Rejects with a Stranger, or where the answer is not in order.
   */
  async end(context: Context): Promise<{ name: string; claims: Claims; refresh?: string; sid?: string }> {
    const [expectedState = '', expectedNonce = '', pkceCodeVerifier = ''] =
      context.cookies.get(COOKIE)?.split('.') ?? [];
    takeCookie(context, COOKIE, CALLBACK);
    if (expectedState === '') throw new Error('nobody has begun to sign in with this browser');
    const here = new URL(`${originOf(context)}${context.url}`);
    const tokens = await client.authorizationCodeGrant(await this.#once(), here, {
      expectedState,
      expectedNonce,
      pkceCodeVerifier,
      idTokenExpected: true,
    });
    const told = claimsOf(await this.#told(tokens, tokens.claims() ?? { sub: '' }));
    const { sub, email } = told;
    if (roleOf(this.#options.people, told) === undefined) throw new Stranger(`${email ?? sub} is not let in`);
    const name = email ?? `openid:${sub}`;
    // What the audit shows is a name on one line.
    if (!/^\P{C}{1,200}$/u.test(name)) throw new Error('the provider has no name for this person');
    const sid = tokens.claims()?.['sid'];
    return {
      name,
      claims: told,
      ...defined({ refresh: tokens.refresh_token, sid: typeof sid === 'string' ? sid : undefined }),
    };
  }

  /** Reads from a logout token which sessions end. Rejects with NotInOrder, or with ProviderAway. */
  async loggedOut(token: string): Promise<LoggedOut> {
    const configuration = await this.#discover().catch((error: Error) => {
      throw new ProviderAway(error.message);
    });
    const metadata = configuration.serverMetadata();
    const { issuer, jwks_uri: uri, id_token_signing_alg_values_supported: algorithms = ['RS256'] } = metadata;
    if (uri === undefined || (uri.startsWith('http:') && !issuer.startsWith('http:')))
      throw new ProviderAway('the provider names no keys');
    this.#keys ??= createRemoteJWKSet(new URL(uri), {
      ...{ timeoutDuration: TIMEOUT_S * 1000, cooldownDuration: KEYS_MS },
      [customFetch]: (url: string, options: object) => this.#askForKeys(url, options),
    });
    return loggedOutBy(token, this.#keyOf(this.#keys), { issuer, client: this.#options.client, algorithms });
  }

  /** A key that is not known may have been rotated in just now: it is looked for once more when the keys may be asked for again. */
  #keyOf(keys: ReturnType<typeof createRemoteJWKSet>): JWTVerifyGetKey {
    return async (...of) => {
      try {
        return await keys(...of);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey && keys.coolingDown)) throw error;
        await delay(KEYS_MS);
        return keys(...of);
      }
    };
  }

  /** Asks for the keys, as a token of anybody may need them: where they do not come, others do not wait for it as well. */
  async #askForKeys(url: string, options: object): Promise<Response> {
    if (performance.now() < this.#restUntil) throw new Error('the provider did not give its keys just now');
    try {
      const response = await bounded(url, options);
      return new Response(await response.text(), response);
    } catch (error) {
      this.#restUntil = performance.now() + REST_MS;
      throw error;
    }
  }

  /**
   * Asks the provider whether somebody is still signed in there (OpenID Connect Core 1.0, 12): what it says of him now, `known` being
   * what it said before, and what to ask with the next time, where that changes. Without `claims` it could not be asked for them. Rejects
   * with Gone if he is not signed in, and with another error if the provider is away.
   */
  async renew(refresh: string, known: Claims): Promise<{ claims?: Claims; refresh?: string }> {
    const tokens = await client.refreshTokenGrant(await this.#once(), refresh).catch((error: unknown) => {
      // RFC 6749, 5.2; what else it may refuse is a fault of the provider or of how it is set up.
      if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') throw new Gone(error.message);
      throw error;
    });
    // What was asked with is spent, whatever comes of the rest.
    const claims = await this.#toldAgain(tokens, known).catch((error: unknown) => {
      if (error instanceof Gone) throw error;
      return undefined;
    });
    return defined({ claims, refresh: tokens.refresh_token });
  }

  /**
   * What the provider says of somebody now. An identity token need not come again (OpenID Connect Core 1.0, 12.2): then it is asked as
   * where one lacks something. Groups that it does not name there, or has no place for, are none; an address that it told as it verified it
   * is kept where nothing is there to tell it again.
   */
  async #toldAgain(
    tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
    known: Claims,
  ): Promise<Claims> {
    const token = tokens.claims();
    if (token === undefined && !this.#asksForMore) return known;
    if (token !== undefined && token.sub !== known.sub) throw new Gone('the provider speaks of somebody else');
    const hasInfo = await this.#hasInfo();
    const told = await this.#told(tokens, token ?? { sub: known.sub });
    return { ...(!hasInfo && told.email === undefined && defined({ email: known.email })), ...claimsOf(told) };
  }

  /**
   * What an identity token says, and where the list asks for what is not in it, with that from where the provider is to have
   * it (OpenID Connect Core 1.0, 5.4). Rejects if it says it of somebody else.
   */
  async #told(tokens: client.TokenEndpointResponse, token: Told): Promise<Told> {
    const lacks =
      (token.email === undefined && this.people.some(isAddress)) ||
      (token.groups === undefined && this.people.some(isGroup));
    if (!lacks || !(await this.#hasInfo())) return token;
    const info = await client.fetchUserInfo(await this.#discover(), tokens.access_token, token.sub);
    // An address and whether it was verified are of one document.
    const { email, email_verified } = token.email === undefined ? info : token;
    return { sub: token.sub, email, email_verified, groups: token.groups ?? info.groups };
  }

  /** Whether the list has more than subjects. */
  get #asksForMore(): boolean {
    return this.people.some((each) => isGroup(each) || isAddress(each));
  }

  /** Whether the provider has a place that tells of people. */
  async #hasInfo(): Promise<boolean> {
    return (await this.#discover()).serverMetadata().userinfo_endpoint !== undefined;
  }
}

/** Longest answer of a provider: one of many keys, or of a person of many groups, is a tenth of it. */
const ANSWER_BYTES = 1024 * 1024;

/** `fetch`, whose answer ends in an error beyond that. */
async function bounded(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options);
  let left = ANSWER_BYTES;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) throw new Error(`the provider answered more than ${ANSWER_BYTES} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(counting) ?? null, response);
}

/** What a provider says of somebody, of whatever types. */
type Told = { readonly sub: string } & { readonly [Name in 'email' | 'email_verified' | 'groups']?: unknown };

/** What counts of it. */
function claimsOf({ sub, email, email_verified: verified, groups }: Told): Claims {
  return {
    sub,
    ...(verified === true && typeof email === 'string' && ADDRESS.test(email) && { email: small(email) }),
    ...(Array.isArray(groups) && { groups: groups.filter((each) => typeof each === 'string').slice(0, GROUPS) }),
  };
}
