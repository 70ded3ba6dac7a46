/** What simulated nodes have sent, and what was answered: by kind for people, by node to compare with what is stored. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Outbound, Outgoing } from '../../../runtime/http/outbound.ts';

/** The kinds of requests. */
export type Kind = 'heartbeat' | 'webhook' | 'update check' | 'image';

/** What is known of the heartbeats of one node. */
export interface Account {
  /** Different ones that were sent, at least once each. */
  readonly sent: number;
  /** Messages that were answered with success. */
  readonly answered: number;
}

interface Beat {
  readonly outgoing: Outgoing;
  answered: boolean;
}
interface OpenAccount {
  sent: number;
  answered: number;
  readonly unanswered: Set<Beat>;
}

/** Heartbeats of one node that were not answered and are kept, to be sent again; what became of older ones stays unknown. */
const KEPT = 16;
/** Nodes whose heartbeats are sent again at a time: as many as the fleet commits at once. */
const AT_ONCE = 500;
/** How often they are sent again, and how long a fleet that was busy has between two times. */
const ROUNDS = 10;
const PAUSE_MS = 2000;
/** Times of answers that are kept. */
const TIMES = 100_000;

/** Sends, and keeps account. */
export class Ledger {
  readonly #outbound: Outbound;
  readonly #accounts = new Map<string, OpenAccount>();
  readonly #answers = new Map<Kind, Map<string, number>>();
  readonly #times: number[] = [];
  #timed = 0;
  #answered = 0;

  constructor(outbound: Outbound) {
    this.#outbound = outbound;
  }

  /** By node. */
  get accounts(): ReadonlyMap<string, Account> {
    return this.#accounts;
  }

  /** How many requests of each kind got which answer: a status, or `no answer`. */
  get answers(): ReadonlyMap<Kind, ReadonlyMap<string, number>> {
    return this.#answers;
  }

  /** Nodes of which a heartbeat was answered. */
  get heard(): number {
    return [...this.#accounts.values()].filter(({ answered }) => answered > 0).length;
  }

  /** Different heartbeats that were answered with success. */
  get answered(): number {
    return this.#answered;
  }

  /** The time in ms within which so many percent of the last heartbeats were answered; 0 before the first. */
  percentile(percent: number): number {
    const sorted = this.#times.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
  }

  /** Sends a heartbeat; `twice`: as a proxy does that has lost the answer. Resolves with the status, as the node sees it. */
  async beat(node: string, outgoing: Outgoing, twice: boolean): Promise<number> {
    const account = this.#accounts.get(node) ?? { sent: 0, answered: 0, unanswered: new Set() };
    this.#accounts.set(node, account);
    const beat: Beat = { outgoing, answered: false };
    account.sent += 1;
    account.unanswered.add(beat);
    const [oldest] = account.unanswered;
    if (account.unanswered.size > KEPT && oldest !== undefined) account.unanswered.delete(oldest);
    if (twice) await this.#send(account, beat).catch(() => {});
    return this.#send(account, beat);
  }

  /** Sends a webhook. Resolves with the status. */
  webhook(outgoing: Outgoing): Promise<number> {
    return this.#counted('webhook', this.#outbound.post(outgoing));
  }

  /** Asks for an offer. */
  async check(outgoing: Outgoing, limitBytes: number) {
    const read = this.#outbound.read('GET', outgoing, limitBytes);
    await this.#counted(
      'update check',
      read.then(({ status }) => status),
    );
    return read;
  }

  /** Asks for an image. */
  async image(outgoing: Outgoing) {
    const opened = this.#outbound.open('GET', outgoing);
    await this.#counted(
      'image',
      opened.then(({ status }) => status),
    );
    return opened;
  }

  /** Sends every heartbeat again that was not answered, some times. Resolves with how many still are not. */
  async settle(): Promise<number> {
    for (let round = 1; this.#unanswered > 0 && round <= ROUNDS; round += 1) {
      if (round > 1) await pause(PAUSE_MS);
      await this.#sendAgain();
    }
    return this.#unanswered;
  }

  get #unanswered(): number {
    return [...this.#accounts.values()].reduce((sum, { unanswered }) => sum + unanswered.size, 0);
  }

  async #sendAgain(): Promise<void> {
    const accounts = this.#accounts.values();
    const work = async () => {
      for (const account of accounts)
        for (const beat of [...account.unanswered]) {
          // The node is not there any more to call it off.
          const { signal: _, ...outgoing } = beat.outgoing;
          await this.#send(account, beat, outgoing).catch(() => {});
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #send(account: OpenAccount, beat: Beat, outgoing = beat.outgoing): Promise<number> {
    const since = performance.now();
    const status = await this.#counted('heartbeat', this.#outbound.post(outgoing));
    this.#times[this.#timed % TIMES] = performance.now() - since;
    this.#timed += 1;
    if (status >= 200 && status <= 299 && !beat.answered) {
      beat.answered = true;
      account.answered += 1;
      this.#answered += 1;
      account.unanswered.delete(beat);
    }
    return status;
  }

  async #counted(kind: Kind, answer: Promise<number>): Promise<number> {
    const answers = this.#answers.get(kind) ?? new Map<string, number>();
    this.#answers.set(kind, answers);
    const count = (word: string) => answers.set(word, (answers.get(word) ?? 0) + 1);
    try {
      const status = await answer;
      count(String(status));
      return status;
    } catch (error) {
      count('no answer');
      throw error;
    }
  }
}
