/** A small OpenID provider for tests: OpenID Connect Core 1.0, 3.1, with PKCE (RFC 7636) and RS256. */
import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Provider {
  readonly issuer: string;
  /** Claims of whoever signs in next, beside those that the flow needs. */
  person: Record<string, unknown>;
  /** What the identity token is changed to before it is signed. */
  forge: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** What identity tokens are signed with, where that is not the key that it publishes. */
  signer?: KeyObject;
  /** From now on it signs with another key, and publishes that one alone. */
  rotate(): void;
  /** Requests of the token endpoint. */
  readonly exchanges: URLSearchParams[];
  /** Whether it gives what asks it again (OpenID Connect Core 1.0, 12), which is another one each time. */
  renews: boolean;
  /** Whether an identity token comes with what it gives who asks again, which is left to it (12.2). */
  tells: boolean;
  /** Subjects that it has removed. */
  readonly removed: Set<unknown>;
  /** Scopes that it says it knows beside `openid`, and those that were asked for. */
  scopes: readonly string[];
  readonly asked: string[];
  /** What it says of people to who shows an access token (OpenID Connect Core 1.0, 5.3); it has no such place where it is left out. */
  info?: Record<string, unknown>;
  /** What it answers each request of the token endpoint with, where it is out of order. */
  broken: number;
  /** Spaces before what it gives for a code. */
  padding: number;
  /** What it answers who asks for its keys with, where they cannot be had. */
  hidden: number;
  /** How often it was asked for its keys. */
  keysAsked: number;
  /** Whether it signs by the name of a key that it has not. */
  nameless: boolean;
  /** What the token endpoint waits for before it answers. */
  hangs?: Promise<void>;
  /**
   * A logout token (OpenID Connect Back-Channel Logout 1.0, 2.4) with these claims beside those that each has, or in their place; undefined
   * takes one away. `alg`: another algorithm, with what is signed by it.
   */
  logout(claims: Record<string, unknown>, alg?: string): string;
}

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Starts one that ends with the test. Whoever comes to it is signed in at once. */
export async function startProvider(client: { readonly id: string; readonly secret: string }): Promise<Provider> {
  let kid = 0;
  let { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { challenge: string; nonce: string; redirect: string }>();
  const provider: Provider & { issuer: string } = {
    issuer: '',
    person: { sub: 'subject-1', email: 'ada@example.org', email_verified: true },
    forge: (claims) => claims,
    rotate() {
      kid += 1;
      ({ privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 }));
    },
    exchanges: [],
    renews: false,
    tells: true,
    scopes: ['openid', 'email'],
    asked: [],
    removed: new Set(),
    broken: 0,
    padding: 0,
    hidden: 0,
    keysAsked: 0,
    nameless: false,
    logout(claims, alg) {
      const now = Math.floor(Date.now() / 1000);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const about = { iss: provider.issuer, aud: client.id, iat: now, exp: now + 120, jti: randomUUID(), events };
      return signed({ ...about, ...claims }, alg);
    },
  };
  /** The subject that each refresh token is of; each counts once. */
  const refreshes = new Map<string, unknown>();

  const signed = (claims: object, alg = 'RS256'): string => {
    const content = `${base64({ alg, kid: provider.nameless ? randomUUID() : `k${kid}` })}.${base64(claims)}`;
    if (alg === 'none') return `${content}.`;
    if (alg === 'HS256') return `${content}.${createHmac('sha256', client.secret).update(content).digest('base64url')}`;
    return `${content}.${createSign('RSA-SHA256')
      .update(content)
      .sign(provider.signer ?? privateKey, 'base64url')}`;
  };

  const authorize = ({ searchParams: asked }: URL, response: ServerResponse) => {
    const code = randomUUID();
    provider.asked.push(asked.get('scope') ?? '');
    const redirect = asked.get('redirect_uri') ?? '';
    if (!URL.canParse(redirect)) return response.writeHead(400).end();
    const isRight =
      asked.get('client_id') === client.id &&
      asked.get('response_type') === 'code' &&
      asked.get('code_challenge_method') === 'S256';
    if (!isRight) return response.writeHead(400).end();
    codes.set(code, { challenge: asked.get('code_challenge') ?? '', nonce: asked.get('nonce') ?? '', redirect });
    const back = new URL(redirect);
    // What else it says there is its own (OpenID Connect Session Management 1.0, 3).
    back.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '', session_state: randomUUID() }));
    return response.writeHead(302, { Location: back.href }).end();
  };

  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const given = new URLSearchParams(body);
    provider.exchanges.push(given);
    await provider.hangs;
    if (provider.broken > 0) return response.writeHead(provider.broken).end();
    const subject = refreshes.get(given.get('refresh_token') ?? '');
    refreshes.delete(given.get('refresh_token') ?? '');
    const known = codes.get(given.get('code') ?? '');
    codes.delete(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    const [, credentials = ''] = (request.headers.authorization ?? '').split(' ');
    // RFC 6749, 2.3.1: both are encoded as in a form.
    const [id, secret] = Buffer.from(credentials, 'base64').toString().split(':').map(decodeURIComponent);
    const isClient = id === client.id && secret === client.secret;
    response.setHeader('Content-Type', 'application/json');
    if (!isClient) return response.writeHead(401).end('{"error":"invalid_client"}');
    const isAgain = given.get('grant_type') === 'refresh_token';
    const isRight = isAgain
      ? subject !== undefined && !provider.removed.has(subject)
      : known?.challenge === challenge && known.redirect === given.get('redirect_uri');
    if (!isRight) return response.writeHead(400).end('{"error":"invalid_grant"}');
    const now = Math.floor(Date.now() / 1000);
    const about = {
      iss: provider.issuer,
      aud: client.id,
      iat: now,
      exp: now + 60,
      ...(known && { nonce: known.nonce }),
    };
    const id_token = signed(provider.forge({ ...about, ...provider.person }));
    const refresh_token = randomUUID();
    refreshes.set(refresh_token, provider.person['sub']);
    const more = provider.renews && { refresh_token };
    const identity = (!isAgain || provider.tells) && { id_token };
    const answer = JSON.stringify({ access_token: 'a', token_type: 'Bearer', ...identity, ...more });
    return response.end(`${' '.repeat(provider.padding)}${answer}`);
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', provider.issuer);
    if (url.pathname === '/authorize') return authorize(url, response);
    if (url.pathname === '/token') return void exchange(request, response);
    response.setHeader('Content-Type', 'application/json');
    if (url.pathname === '/info')
      return response
        .writeHead(request.headers.authorization === 'Bearer a' ? 200 : 401)
        .end(JSON.stringify(provider.info));
    if (url.pathname === '/keys') provider.keysAsked += 1;
    if (url.pathname === '/keys' && provider.hidden > 0) return response.writeHead(provider.hidden).end();
    if (url.pathname === '/keys')
      return response.end(
        JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: `k${kid}`, alg: 'RS256' }] }),
      );
    return response.end(
      JSON.stringify({
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/keys`,
        ...(provider.info && { userinfo_endpoint: `${provider.issuer}/info` }),
        scopes_supported: provider.scopes,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}
