/** Takes messages in: many requests into one commit, and a refusal before memory grows. */
import type { Database } from '../database/database.ts';
import { type Message, store } from './batch.ts';
import { Oddities } from './oddities.ts';

/** How long the first message of a batch waits for others. */
const WAIT_MS = 5;
const BATCH = 500;
/** Messages that wait at most: some seconds of a server that has become slow, and a few megabytes. */
const WAITING = 4000;
/** How often what was counted is written where no message takes it along. */
const ODDITIES_MS = 1000;

/** More messages wait than are taken, or the database is away: `Retry-After` says when to come again. */
export class Busy extends Error {
  /** In seconds; spread, so that not all come again at once. */
  readonly retryAfter = 1 + Math.floor(Math.random() * 5);
}

interface Waiting {
  readonly message: Message;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/** Collects messages and stores them in batches. */
export class Ingest {
  /** Wrong requests that are counted with the next batch. */
  readonly oddities = new Oddities();
  readonly #database: Database;
  readonly #report: (error: Error) => void;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #oddityTimer: NodeJS.Timeout;
  #stored = 0;
  #refused = 0;

  /** `report` is told each failure of the database. */
  constructor(database: Database, report: (error: Error) => void) {
    this.#database = database;
    this.#report = report;
    this.#oddityTimer = setInterval(() => {
      if (this.oddities.size > 0 && this.#waiting.length === 0) void this.#flush();
    }, ODDITIES_MS);
    this.#oddityTimer.unref();
  }

  /** Messages that this process has stored and refused since its start. */
  get counts(): { readonly stored: number; readonly refused: number; readonly waiting: number } {
    return { stored: this.#stored, refused: this.#refused, waiting: this.#waiting.length };
  }

  /** Resolves when the message is committed. Rejects with `Busy` where it may not be. */
  offer(message: Message): Promise<void> {
    if (this.#waiting.length >= WAITING) {
      this.#refused += 1;
      return Promise.reject(new Busy('too many messages wait'));
    }
    return new Promise((done, failed) => {
      this.#waiting.push({ message, done, failed });
      this.#schedule();
    });
  }

  /** Stores what waits. */
  async close(): Promise<void> {
    clearInterval(this.#oddityTimer);
    while (this.#waiting.length > 0 || this.#underWay > 0) {
      if (this.#waiting.length > 0) await this.#flush();
      else await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }

  #schedule(): void {
    if (this.#underWay >= this.#database.parallel) return;
    if (this.#waiting.length >= BATCH) void this.#flush();
    else this.#timer ??= setTimeout(() => void this.#flush(), WAIT_MS);
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.slice(0, BATCH);
    this.#waiting = this.#waiting.slice(BATCH);
    this.#underWay += 1;
    try {
      await this.#store(batch);
    } finally {
      this.#underWay -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    const counted = this.oddities.take();
    try {
      await store(
        this.#database,
        batch.map(({ message }) => message),
        counted,
      );
      this.#stored += batch.length;
      for (const { done } of batch) done();
    } catch (error) {
      for (const each of counted) this.oddities.add(each);
      // One message that the database does not take must not keep the others out.
      if (isOfData(error) && batch.length > 1) {
        for (const each of batch) await this.#store([each]);
        return;
      }
      this.#report(error as Error);
      this.#refused += batch.length;
      for (const { failed } of batch) failed(new Busy('not stored'));
    }
  }
}

/** Whether the database refused a value (SQLSTATE class 22, data exception), and not the whole transaction. */
const isOfData = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('22');
