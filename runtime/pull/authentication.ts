/** How a server of jobs is told the user and password: Digest (RFC 7616) or Basic (RFC 7617), in answer to its challenge. */
import { createHash, getHashes, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a server knows this client by. `user` has no colon, and neither has control characters. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** One challenge of `WWW-Authenticate` (RFC 9110, 11.3). Names are in lower case; values are the bytes of the head, one a character. */
interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A nonce that the server has given, and what belongs to it. */
interface Digest {
  readonly parameters: Challenge['parameters'];
  /** The name that `createHash` has for its algorithm. */
  readonly hash: string;
  readonly isSession: boolean;
  readonly isUserHashed: boolean;
  /** Whether it has `qop`; else it is the digest of RFC 2069, which old servers ask for. */
  readonly hasQop: boolean;
  cnonce: string;
  nonce: string;
  /** Requests with this nonce. */
  count: number;
}

export interface AuthenticationOptions {
  /** Scheme, host and port that the credentials are for; no other is ever sent them. */
  readonly origin: string;
  readonly credentials: Credentials | undefined;
  /** The password goes with the first request on, before the server has asked for it, as from printers of Star. */
  readonly eager: boolean;
  readonly log: (words: string) => void;
}

/** Names of `algorithm` (RFC 7616, 6.1) by those of `createHash`. */
const HASHES: Readonly<Record<string, string | undefined>> = {
  md5: 'md5',
  'sha-256': 'sha256',
  'sha-512-256': 'sha512-256',
};
const KNOWN = 'known here are Digest (MD5, SHA-256, SHA-512-256; qop auth) and Basic';
const MOST_WORDS = 120;

/** The credentials of one server, and what it has asked for last. */
export class Authentication {
  readonly #options: AuthenticationOptions;
  #chosen: 'basic' | Digest | undefined;
  /** The last nonce, which a server may give again: its requests are counted on. */
  #digest: Digest | undefined;
  /** The server has not yet taken what it asked for last. */
  #isNew = false;
  #isPlainTold = false;
  #fault = '';

  constructor(options: AuthenticationOptions) {
    this.#options = options;
    if (options.eager) this.#chosen = 'basic';
  }

  /** Why the last challenge has no answer. */
  get fault(): string {
    return this.#fault;
  }

  /** `Authorization` of a request; undefined where it goes without. Each is for one request. */
  for(method: string, url: URL): string | undefined {
    const { origin, credentials } = this.#options;
    const chosen = this.#chosen;
    if (credentials === undefined || url.origin !== origin || chosen === undefined) return undefined;
    if (chosen !== 'basic') return digestHeader(chosen, credentials, method, url);
    const { user, password } = credentials;
    return `Basic ${Buffer.from(`${user}:${password}`.normalize('NFC')).toString('base64')}`;
  }

  /** A request to this URL was answered otherwise than by 401. */
  taken(url: URL, { 'authentication-info': info }: IncomingHttpHeaders): void {
    const chosen = this.#chosen;
    if (url.origin !== this.#options.origin) return;
    this.#isNew = false;
    const next = /(?:^|[\s,])nextnonce\s*=\s*"([^"\\]+)"/i.exec(String(info ?? ''))?.[1];
    if (typeof chosen === 'object' && next !== undefined) {
      chosen.nonce = next;
      chosen.count = 0;
    }
  }

  /**
   * A request was answered by 401. True where it is to be sent again, with what the server asks for now; else `fault` says why not.
   * `sent`: its `Authorization`.
   */
  challenged(url: URL, head: IncomingHttpHeaders, sent: string | undefined): boolean {
    const { origin, credentials, log } = this.#options;
    const challenges = challengesIn(head['www-authenticate'] ?? '');
    const chosen = chosenOf(challenges);
    const asked = challenges.map(wordsOf).join(', ').slice(0, MOST_WORDS) || 'nothing that is a challenge';
    const isStale = typeof chosen === 'object' && chosen.parameters.get('stale')?.toLowerCase() === 'true';
    const wasBasic = sent?.startsWith('Basic ') === true;
    // A nonce that was taken before may be forgotten by now: the new one is tried, whatever the server calls stale.
    const isRefused = sent !== undefined && (chosen === 'basic' ? wasBasic : !wasBasic && this.#isNew && !isStale);
    if (credentials === undefined) this.#fault = `it asks for a user and password (${asked})`;
    else if (url.origin !== origin) this.#fault = 'it is another one than that which the user and password are for';
    else if (chosen === undefined) this.#fault = `it asks for ${asked}; ${KNOWN}`;
    else if (isRefused) this.#fault = 'it does not take the user and password';
    else {
      this.#fault = 'it takes none of the nonces that it gives';
      if (chosen !== 'basic' && chosen.nonce === this.#digest?.nonce) {
        chosen.count = this.#digest.count;
        chosen.cnonce = this.#digest.cnonce;
      }
      this.#digest = chosen === 'basic' ? undefined : chosen;
      this.#chosen = chosen;
      this.#isNew = true;
      if (chosen === 'basic' && url.protocol === 'http:' && !this.#isPlainTold) {
        this.#isPlainTold = true;
        log('the server asks for the password as it is (Basic), and not by https: whoever stands between can read it');
      }
      return true;
    }
    // The next request asks anew what the server wants.
    if (url.origin === origin) this.#chosen = this.#options.eager ? 'basic' : undefined;
    return false;
  }
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** What a list of challenges is made of: a parameter, or a scheme with the one text that some have in place of parameters. */
const PART = new RegExp(
  `[\\s,]*(?:(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))(?=\\s*(?:,|$))|(${TOKEN})(?=[\\s,]|$)(?:\\s+[\\w+/.~-]+=*(?=\\s*(?:,|$)))?)`,
  'y',
);

/** Reads `WWW-Authenticate`, of which several are one list, as far as it can be read. */
function challengesIn(value: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  PART.lastIndex = 0;
  for (let part = PART.exec(value); part !== null; part = PART.exec(value)) {
    const [, name, quoted, token, scheme] = part;
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else if (name !== undefined)
      challenges.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token ?? '');
  }
  return challenges;
}

/** The first Digest that is known here, as the server prefers it (RFC 7616, 3.7); else Basic. */
function chosenOf(challenges: readonly Challenge[]): 'basic' | Digest | undefined {
  for (const challenge of challenges) {
    const digest = digestOf(challenge);
    if (digest !== undefined) return digest;
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? 'basic' : undefined;
}

function digestOf({ scheme, parameters }: Challenge): Digest | undefined {
  const [, name = '', session] = /^(.*?)(-sess)?$/.exec(parameters.get('algorithm')?.toLowerCase() ?? 'md5') ?? [];
  const hash = Object.hasOwn(HASHES, name) ? HASHES[name] : undefined;
  const qop = parameters.get('qop');
  const nonce = parameters.get('nonce');
  if (scheme !== 'digest' || !nonce || hash === undefined || !getHashes().includes(hash)) return undefined;
  if (qop !== undefined && !/(?:^|[\s,])auth(?:[\s,]|$)/i.test(qop)) return undefined;
  return {
    ...{ parameters, hash, nonce, count: 0, hasQop: qop !== undefined, isSession: session !== undefined },
    isUserHashed: parameters.get('userhash')?.toLowerCase() === 'true',
    // One for all requests of a nonce: a session has that of its first.
    cnonce: randomBytes(16).toString('hex'),
  };
}

/** What a server asks for, for people. */
function wordsOf({ scheme, parameters }: Challenge): string {
  const name = scheme.charAt(0).toUpperCase() + scheme.slice(1);
  if (scheme !== 'digest') return name;
  const details = [parameters.get('algorithm'), parameters.has('qop') ? `qop ${parameters.get('qop')}` : undefined];
  const given = details.filter((each) => each !== undefined).join(' ');
  return `${name}${given && ` ${given}`}${parameters.get('nonce') ? '' : ' without a nonce'}`;
}

/** Text as the bytes of a head, one a character. */
const bytesOf = (text: string): string => Buffer.from(text.normalize('NFC')).toString('latin1');
const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;

function digestHeader(digest: Digest, { user, password }: Credentials, method: string, url: URL): string {
  const { parameters, nonce, cnonce, hasQop, isSession, isUserHashed } = digest;
  digest.count += 1;
  const hashed = (...parts: readonly string[]) =>
    createHash(digest.hash).update(parts.join(':'), 'latin1').digest('hex');
  const [realm, algorithm, opaque] = [
    parameters.get('realm') ?? '',
    parameters.get('algorithm'),
    parameters.get('opaque'),
  ];
  const name = bytesOf(user);
  const uri = `${url.pathname}${url.search}`;
  const nc = digest.count.toString(16).padStart(8, '0');
  const secret = hashed(name, realm, bytesOf(password));
  const first = isSession ? hashed(secret, nonce, cnonce) : secret;
  const last = hashed(method, uri);
  const response = hasQop ? hashed(first, nonce, nc, cnonce, 'auth', last) : hashed(first, nonce, last);
  const fields: readonly (string | false | undefined)[] = [
    `username=${quoted(isUserHashed ? hashed(name, realm) : name)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    algorithm !== undefined && `algorithm=${algorithm}`,
    `response="${response}"`,
    (hasQop || isSession) && `cnonce="${cnonce}"`,
    hasQop && `nc=${nc}`,
    hasQop && 'qop=auth',
    opaque !== undefined && `opaque=${quoted(opaque)}`,
    isUserHashed && 'userhash=true',
  ];
  return `Digest ${fields.filter((each) => typeof each === 'string').join(', ')}`;
}
