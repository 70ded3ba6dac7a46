/** What stands before a server that asks for a user and password: RFC 7616 and 7617 from the server's side, written from the RFCs. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Answer } from './servers.ts';

/** By the names of `algorithm`. */
const HASHES: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' };

/** H of RFC 7616 over parts with colons between them, which are bytes, one a character. */
export const hashed = (algorithm: string, ...parts: readonly string[]): string =>
  createHash(HASHES[algorithm] ?? '')
    .update(parts.join(':'), 'latin1')
    .digest('hex');

/** The fields of a Digest as they stand in a head. */
export const fieldsOf = (authorization: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Array.from(authorization.matchAll(/([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g), ([, name, quoted, token]) => [
      name,
      quoted?.replace(/\\(.)/g, '$1') ?? token,
    ]),
  );

/** As they are sent: UTF-8, one character a byte. */
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

export interface Guard {
  /** Answers in place of the server; undefined: the request is let in. */
  check(request: IncomingMessage): Answer | undefined;
  /** As after a start: what it gave before is forgotten. */
  restart(realm: string): void;
  /** `Authorization` of each request; undefined where it had none. */
  readonly sent: (string | undefined)[];
  /** What was let in: method, path, and how often their nonce was used by then. */
  readonly let: string[];
}

export interface GuardOptions {
  readonly user?: string;
  readonly password?: string;
  readonly realm?: string;
  /** Undefined: not named, which is MD5. */
  readonly algorithm?: string;
  /** Undefined: none, as before RFC 2617. */
  readonly qop?: string | undefined;
  readonly userhash?: boolean;
  /** A nonce is for one request; the next stands in `Authentication-Info`, or is asked for anew with `stale`. */
  readonly once?: 'nextnonce' | 'stale' | 'silent';
}

/** A guard that asks for a Digest, and takes each number of a nonce once. */
export function digestGuard(options: GuardOptions = {}): Guard {
  const { user = 'till', password = 'open sesame', algorithm, userhash, once } = options;
  let { realm = 'a "till"' } = options;
  const qop = 'qop' in options ? options.qop : 'auth';
  const isSession = algorithm?.endsWith('-sess') === true;
  const hash = algorithm?.replace(/-sess$/, '') ?? 'MD5';
  let nonce = '';
  let last = 0;
  let nonces = 0;
  const renew = () => {
    nonces += 1;
    nonce = `nonce ${nonces}\\"`;
    last = 0;
  };
  const challenge = (stale: boolean): Answer => ({
    status: 401,
    headers: {
      'WWW-Authenticate': [
        `Digest realm="${realm.replace(/["\\]/g, '\\$&')}", nonce="${nonce.replace(/["\\]/g, '\\$&')}"`,
        ...(qop === undefined ? [] : [`qop="${qop}"`]),
        ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
        'opaque="o,\\\\ x"',
        ...(userhash ? ['userhash=true'] : []),
        ...(stale ? ['stale=true'] : []),
      ].join(', '),
    },
    // With a text, Node would send its head as UTF-8.
    body: Buffer.from('no'),
  });
  const isRight = (request: IncomingMessage, authorization: string): boolean => {
    const fields = fieldsOf(authorization);
    const { nc = '', cnonce = '', response } = fields;
    const name = bytesOf(user);
    const first = hashed(hash, name, realm, bytesOf(password));
    const secret = isSession ? hashed(hash, first, nonce, cnonce) : first;
    const asked = hashed(hash, request.method ?? '', request.url ?? '');
    const isCounted = qop === undefined || (/^[\da-f]{8}$/.test(nc) && Number.parseInt(nc, 16) > last);
    last = Math.max(last, Number.parseInt(nc, 16) || 0);
    return (
      authorization.startsWith('Digest ') &&
      fields['username'] === (userhash ? hashed(hash, name, realm) : name) &&
      [fields['realm'], fields['nonce'], fields['uri']].join() === [realm, nonce, request.url].join() &&
      [fields['algorithm'], fields['opaque']].join() === [algorithm, 'o,\\ x'].join() &&
      isCounted &&
      response ===
        (qop === undefined
          ? hashed(hash, secret, nonce, asked)
          : hashed(hash, secret, nonce, nc, cnonce, fields['qop'] ?? '', asked))
    );
  };
  const guard: Guard = {
    ...{ sent: [], let: [] },
    restart(other) {
      realm = other;
      renew();
    },
    check(request) {
      const { authorization } = request.headers;
      guard.sent.push(authorization);
      const isKnown = authorization !== undefined && fieldsOf(authorization)['nonce'] === nonce;
      if (authorization === undefined || !isKnown) {
        if (once !== undefined && authorization !== undefined) renew();
        return challenge(authorization !== undefined && once === 'stale');
      }
      if (!isRight(request, authorization)) return challenge(false);
      guard.let.push(`${request.method} ${new URL(request.url ?? '', 'http://a').pathname} ${last}`);
      if (once !== undefined) renew();
      return undefined;
    },
  };
  renew();
  return guard;
}

/** A guard that asks for the password as it is. */
export function basicGuard({ user = 'till', password = 'open sesame', realm = 'till' }: GuardOptions = {}): Guard {
  const guard: Guard = {
    ...{ sent: [], let: [], restart: () => {} },
    check(request) {
      const { authorization } = request.headers;
      guard.sent.push(authorization);
      if (authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`) {
        guard.let.push(`${request.method}`);
        return undefined;
      }
      return { status: 401, headers: { 'WWW-Authenticate': `Basic realm="${realm}", charset="UTF-8"` } };
    },
  };
  return guard;
}
