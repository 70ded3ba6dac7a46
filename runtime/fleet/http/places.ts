/**
 * Places at the database: who has shown nothing that is known to be right asks beside a few others, and few of his address; who is known reads beside
 * a few others, and few by the same name.
 */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { Busy } from './errors.ts';
import { sourceOf } from './source.ts';

/** What was right lately, and is remembered: of those that were shown last. */
const REMEMBERED = 10_000;
/** Requests of one address, or name, that wait. */
const WAITING = 100;

/** The sender of a request: where from, and whether he still waits for the answer. */
export type Asker = Pick<Context, 'ip'> & { readonly socket: Pick<Context['socket'], 'destroyed'> };

/** Too many of an address, or name, wait. */
export class Crowded extends Busy {}

interface Waiting {
  readonly asker: Asker;
  readonly come: (isThere: boolean) => void;
}

/** Places to do something at a time, in all and for one source; the others wait, sources in turn. */
export class Places {
  readonly #most: number;
  readonly #ofOne: number;
  #taken = 0;
  readonly #takenOf = new Map<string, number>();
  /** Requests that wait, by sources in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Digests of what was right, the one that came last at the end. */
  readonly #right = new Set<string>();

  constructor(most: number, ofOne: number) {
    this.#most = most;
    this.#ofOne = ofOne;
  }

  /**
   * Does something as soon as there is a place for this source, an address unless a name is given. Throws Crowded, or Busy where who asked has gone
   * meanwhile.
   */
  async within<T>(asker: Asker, work: () => Promise<T>, source = sourceOf(asker.ip)): Promise<T> {
    const isThere = await new Promise<boolean>((come) => {
      const own = this.#thereOf(source);
      if (own.length >= WAITING) throw new Crowded('too many of these wait');
      own.push({ asker, come });
      this.#waiting.set(source, own);
      this.#give();
    });
    if (!isThere) throw new Busy('who asked has gone');
    try {
      return await work();
    } finally {
      this.#taken -= 1;
      const left = (this.#takenOf.get(source) ?? 1) - 1;
      if (left === 0) this.#takenOf.delete(source);
      else this.#takenOf.set(source, left);
      this.#give();
    }
  }

  /** Asks what somebody is by what he has shown, undefined where that is nothing: at once where it was right the last time. */
  async ofShown<T>(asker: Asker, shown: string, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    const digest = createHash('sha256').update(shown).digest('base64');
    const answer = await (this.#right.has(digest) ? ask() : this.within(asker, ask));
    this.#right.delete(digest);
    if (answer !== undefined) this.#right.add(digest);
    const [oldest] = this.#right;
    if (this.#right.size > REMEMBERED && oldest !== undefined) this.#right.delete(oldest);
    return answer;
  }

  /** Requests of a source that wait, without those whose sender has gone: looked at where there may be too many. */
  #thereOf(source: string): Waiting[] {
    const own = this.#waiting.get(source) ?? [];
    if (own.length < WAITING) return own;
    for (const { asker, come } of own) if (asker.socket.destroyed) come(false);
    return own.filter(({ asker }) => !asker.socket.destroyed);
  }

  /** Gives free places to those whose turn it is. */
  #give(): void {
    for (const [source, own] of this.#waiting) {
      if (this.#taken >= this.#most) return;
      const taken = this.#takenOf.get(source) ?? 0;
      if (taken >= this.#ofOne) continue;
      while (own[0]?.asker.socket.destroyed === true) own.shift()?.come(false);
      if (own.length === 0) {
        this.#waiting.delete(source);
        continue;
      }
      this.#taken += 1;
      this.#takenOf.set(source, taken + 1);
      // The others come before its next one.
      this.#waiting.delete(source);
      const next = own.shift();
      if (own.length > 0) this.#waiting.set(source, own);
      next?.come(true);
    }
  }
}
