/** Access control: tiers by API mode, two keys, and a delay for wrong keys (specification section 5). */
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../kernel/errors.ts';
import type { Node } from '../kernel/node.ts';
import type { Admission, Tier } from '../kernel/plugin.ts';
import { Shares } from '../kernel/shares.ts';
import { addressOf } from './peer.ts';
import { bearerOf, isSameSecret } from './secrets.ts';

type ApiMode = 'open' | 'admin' | 'strict';

/** The tiers that require the API key, by mode. */
const GATED: Readonly<Record<ApiMode, ReadonlySet<Tier>>> = {
  open: new Set(),
  admin: new Set<Tier>(['admin']),
  strict: new Set<Tier>(['admin', 'strict']),
};

/** The admission of a request that is under way. */
export class UnderWay implements Admission {
  readonly check: () => void;
  /** Called once with the reason where the request is admitted no more. */
  onRevoked: ((reason: unknown) => void) | undefined;
  #reason: unknown;
  #controller: AbortController | undefined;

  /** `check` throws where the request would be refused now. */
  constructor(check: () => void) {
    this.check = check;
  }

  /** Made when it is asked for, which few handlers do: it costs more than the checks of a request together. */
  get revoked(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Keys or the mode have changed. */
  review(): void {
    try {
      this.check();
    } catch (error) {
      this.#reason = error;
      this.#controller?.abort(error);
      this.onRevoked?.(error);
    }
  }
}

/** The admission of requests that need no key, or have not begun. */
export const ADMITTED: Admission = new UnderWay(() => {});

/** Checks the keys of requests against the stored ones. */
export class Access {
  readonly #node: Node;
  readonly #guesses = new GuessBucket();
  readonly #underWay = new Set<UnderWay>();

  constructor(node: Node) {
    this.#node = node;
    const review = () => {
      for (const request of this.#underWay) request.review();
    };
    node.hooks.configured.tap('access', ({ key }) => {
      if (key === 'apiKey' || key === 'apiMode') review();
    });
    node.hooks.updateKeyChanged.tap('access', review);
  }

  /** Whether the request carries the stored API key (`X-NODE-Api-Key`); false if none is stored. */
  hasApiKey({ headers, socket }: IncomingMessage): boolean {
    const shown = headers['x-node-api-key'];
    return shown !== undefined && this.#looksAt(socket) && matches(shown, this.#node.config.get('apiKey'));
  }

  /** Whether the request carries the stored update key; false if none is stored. */
  hasUpdateKey({ headers, socket }: IncomingMessage): boolean {
    const shown = headers.authorization;
    return (
      shown !== undefined && this.#looksAt(socket) && matches(bearerOf(shown), this.#node.settings.read('updateKey'))
    );
  }

  /** Whether keys of this address are looked at: not where more wrong ones came than may wait, as the right one among them would be told at once. */
  #looksAt(socket: IncomingMessage['socket']): boolean {
    return !this.#guesses.isShut(addressOf(socket));
  }

  /** Throws the ApiError `api_locked` or `ota_locked` if the tier requires a key that the request does not carry. */
  admit(tier: Tier, request: IncomingMessage, hasApiKey: boolean): void {
    if (tier === 'none') return;
    if (tier === 'update') {
      if (!this.hasUpdateKey(request)) throw new ApiError('ota_locked');
      return;
    }
    const mode = this.#node.config.get('apiMode') ?? 'open';
    if (!hasApiKey && GATED[mode].has(tier)) throw new ApiError('api_locked');
  }

  /** Runs what a request of this tier asks for, and tells it when the request would not be admitted any more. */
  async during<T>(tier: Tier, request: IncomingMessage, run: (admission: UnderWay) => Promise<T>): Promise<T> {
    const admission = new UnderWay(() => this.admit(tier, request, this.hasApiKey(request)));
    if (tier === 'none') return run(admission);
    this.#underWay.add(admission);
    try {
      return await run(admission);
    } finally {
      this.#underWay.delete(admission);
    }
  }

  /**
   * Delays the response to a wrong key, so that at most ten keys can be tried per second on the whole node; resolves
   * when it may be sent. A missing key is answered at once. Resolves with false if too many requests wait: close the
   * connection. No key of that address is looked at then before its turn would have come.
   */
  async penalize(error: ApiError, request: IncomingMessage): Promise<boolean> {
    const guessed =
      (error.code === 'api_locked' && request.headers['x-node-api-key'] !== undefined) ||
      (error.code === 'ota_locked' && request.headers.authorization !== undefined);
    return !guessed || this.#guesses.wait(addressOf(request.socket));
  }
}

/** Whether this is shown and is the secret; false where none is stored. */
const matches = (shown: string | string[] | undefined, stored: string | undefined): boolean =>
  typeof shown === 'string' && stored !== undefined && stored !== '' && isSameSecret(shown, stored);

const GUESSES_PER_SECOND = 10;
const INTERVAL_MS = 1000 / GUESSES_PER_SECOND;
/** Half of the connections that the node serves, and an eighth: delayed requests cannot occupy all of them. */
const MAX_WAITING = 64;
const MAX_WAITING_OF_ONE_ADDRESS = 16;
/** More addresses than a shop's network has. */
const MAX_SHUT = 4096;

/**
 * A leaky bucket for the whole node that holds one second's worth. A client that disconnects does not free its place.
 */
class GuessBucket {
  /** When the bucket will be empty (monotonic ms). */
  #drained = 0;
  readonly #waiting = new Shares(MAX_WAITING, MAX_WAITING_OF_ONE_ADDRESS);
  /** Until when no key of an address is looked at (monotonic ms); the one that was shut last at the end. */
  readonly #shut = new Map<string, number>();

  isShut(address: string): boolean {
    const until = this.#shut.get(address);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#shut.delete(address);
    return false;
  }

  async wait(address: string): Promise<boolean> {
    if (this.isShut(address)) return false;
    const now = performance.now();
    this.#drained = Math.max(this.#drained, now) + INTERVAL_MS;
    const leave = this.#waiting.take(address);
    if (leave === undefined) {
      this.#shut.set(address, this.#drained);
      const [oldest] = this.#shut.keys();
      if (this.#shut.size > MAX_SHUT && oldest !== undefined) this.#shut.delete(oldest);
      return false;
    }
    const ahead = this.#drained - now - GUESSES_PER_SECOND * INTERVAL_MS;
    if (ahead > 0) await delay(ahead, undefined, { ref: false });
    leave();
    return true;
  }
}

declare module '../kernel/registry.ts' {
  interface StoredSettings {
    updateKey: string;
  }
}
