/** Who may do what: tiers by mode, two keys, and a delay for those who guess (specification section 5). */
import type { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../kernel/errors.ts';
import type { Node } from '../kernel/node.ts';
import type { Tier } from '../kernel/plugin.ts';

type ApiMode = 'open' | 'admin' | 'strict';

/** From which mode on a tier asks for the API key. */
const GATED: Readonly<Record<ApiMode, ReadonlySet<Tier>>> = {
  open: new Set(),
  admin: new Set<Tier>(['admin']),
  strict: new Set<Tier>(['admin', 'strict']),
};

export class Access {
  readonly #node: Node;
  readonly #apiKey = new SecretCheck();
  readonly #updateKey = new SecretCheck();
  readonly #guesses = new GuessBucket();

  constructor(node: Node) {
    this.#node = node;
  }

  /** The request shows the stored API key. False where none is stored. */
  hasApiKey({ headers }: IncomingMessage): boolean {
    return this.#apiKey.matches(headers['x-node-api-key'], this.#node.config.get('apiKey'));
  }

  /** The request shows the stored update key. False where none is stored. */
  hasUpdateKey(request: IncomingMessage): boolean {
    const stored = this.#node.settings.read('updateKey');
    return typeof stored === 'string' && this.#updateKey.matches(bearer(request), stored);
  }

  /** Throws `api_locked` or `ota_locked` where the tier asks for a key that was not shown. */
  admit(tier: Tier, request: IncomingMessage, hasApiKey: boolean): void {
    if (tier === 'none') return;
    if (tier === 'update') {
      if (!this.hasUpdateKey(request)) throw new ApiError('ota_locked');
      return;
    }
    const mode = this.#node.config.get('apiMode') ?? 'open';
    if (!hasApiKey && GATED[mode].has(tier)) throw new ApiError('api_locked');
  }

  /**
   * Holds back the refusal of a wrong key, so that keys cannot be tried faster than ten a second; a missing key tells
   * its sender nothing and is answered at once. False where too many wait: the connection is to be closed.
   */
  async penalize(error: ApiError, request: IncomingMessage): Promise<boolean> {
    const guessed =
      (error.code === 'api_locked' && request.headers['x-node-api-key'] !== undefined) ||
      (error.code === 'ota_locked' && request.headers.authorization !== undefined);
    return !guessed || this.#guesses.wait();
  }
}

/** The token of `Authorization: Bearer` (RFC 6750, 2.1). */
const bearer = ({ headers }: IncomingMessage): string | undefined =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, whose length and bytes say nothing of the secret's, in constant time. */
class SecretCheck {
  #stored = '';
  #digest = digest('');

  matches(shown: string | string[] | undefined, stored: string | undefined): boolean {
    if (typeof shown !== 'string' || stored === undefined || stored === '') return false;
    if (stored !== this.#stored) {
      this.#stored = stored;
      this.#digest = digest(stored);
    }
    return timingSafeEqual(digest(shown), this.#digest);
  }
}

const GUESSES_PER_SECOND = 10;
const INTERVAL_MS = 1000 / GUESSES_PER_SECOND;
/** Half of the connections the node serves: a guesser cannot take them all by waiting. */
const MAX_WAITING = 64;

/** One bucket for the whole node, a second's worth deep. Leaving early gives no turn back. */
class GuessBucket {
  /** When the bucket would be empty again. */
  #drained = 0;
  #waiting = 0;

  async wait(): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) return false;
    const now = performance.now();
    this.#drained = Math.max(this.#drained, now) + INTERVAL_MS;
    const ahead = this.#drained - now - GUESSES_PER_SECOND * INTERVAL_MS;
    if (ahead <= 0) return true;
    this.#waiting++;
    await delay(ahead, undefined, { ref: false });
    this.#waiting--;
    return true;
  }
}
