/** The images of releases: for no other digest is anything looked for, in the folder, the bucket or the database. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Queries } from '../database/database.ts';
import type { Stored } from './bucket.ts';

/** The database is asked once in so long, for all releases, whoever asks for whatever. */
const ASK_MS = 1000;
const DIGEST = /^[0-9a-f]{64}$/;

/** The releases that there are, as far as somebody asks for them. */
export class KnownImages {
  readonly #database: Queries;
  /** Images stay releases. */
  readonly #known = new Map<string, Stored>();
  #next: Promise<void> | undefined;
  #last = Number.NEGATIVE_INFINITY;

  constructor(database: Queries) {
    this.#database = database;
  }

  /** The image of a release: at once where it is known, and else after a second at most; undefined where there is none. */
  async find(sha256: string): Promise<Stored | undefined> {
    if (this.#known.has(sha256) || !DIGEST.test(sha256)) return this.#known.get(sha256);
    this.#next ??= this.#ask();
    await this.#next;
    return this.#known.get(sha256);
  }

  async #ask(): Promise<void> {
    await delay(Math.max(0, this.#last + ASK_MS - performance.now()));
    // Who comes from now on may mean a release that this question does not see.
    [this.#next, this.#last] = [undefined, performance.now()];
    const found = await this.#database.query<Stored>('SELECT sha256, length FROM release');
    for (const each of found) this.#known.set(each.sha256, each);
  }
}
