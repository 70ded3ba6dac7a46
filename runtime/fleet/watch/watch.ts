/** What has to be done again and again, by one of the processes at a time: states, alerts, partitions, old rows. */

import { eachTried } from '../../base/each-tried.ts';
import type { Refuses } from '../../http/targets.ts';
import { turnAlerts, turnChannels } from '../alerts/alerts.ts';
import { deliver } from '../alerts/deliver.ts';
import { CHANNELS } from '../alerts/subjects.ts';
import { clockOf } from '../database/clock.ts';
import type { Database, Queries, Transactions } from '../database/database.ts';
import { dropPartitions, makePartitions } from '../database/partitions.ts';
import type { Images } from '../firmware/images.ts';
import { addCounter, addTallies, forgetTallies } from '../history/tallies.ts';
import { AWAY_SECONDS, heardSince, WATCHED_SINCE } from '../ingest/heard.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { ODDITIES } from '../ingest/oddities.ts';
import { sumUp } from '../nodes/counts.ts';
import { settleRollouts, turnRollouts } from '../rollouts/turn.ts';
import type { Settings } from '../settings/contract.ts';
import { readSettings } from '../settings/settings.ts';
import { lookAgain, lookAtHours, turnSites } from '../sites/sites.ts';
import { inSpan } from '../traces/spans.ts';
import { Clock } from './clock.ts';
import { beginListener, endListener, tellListener, turnJudgement, turnListeners } from './listeners.ts';
import { turnStates } from './states.ts';

const EVERY_MS = 2000;
/** How often a process says that it is there, where it has nothing else to say. */
const TELL_MS = 10_000;
/** Looks from one time to the next at which the provider is asked about who is due. */
const ASKED_LOOKS = 5;
const HOUSE_SECONDS = 3600;
/** What could not be done is tried again after so long. */
const RETRY_SECONDS = 60;
/** Boots of nodes stay for so long: what is sent again after that is of a boot that nobody knows. */
const BOOT_DAYS = 366;
/** Rows of requests of which nobody knows who sent them. */
const STRANGERS = 1000;
/** Addresses that are told of one kind and node. */
const OF_ONE_NODE = 16;

/** What is watched, and with what. */
export interface WatchParts {
  readonly database: Database;
  readonly images: Images;
  /** Where this process listens: no other one does. */
  readonly name: string;
  readonly ingest: Pick<Ingest, 'trouble' | 'counts' | 'oddCount'>;
  /** Asks the provider about who made tokens, where people sign in at one. */
  readonly askOfMakers?: ((on: Queries) => Promise<void>) | undefined;
  /** Where no alert is sent to. */
  readonly refuses: Refuses;
  /** Told each look that failed. */
  readonly report: (error: Error) => void;
  /** From one look to the next, in ms; 2000 unless given. */
  readonly lookMs?: number | undefined;
}

/** Looks again and again, until it is stopped. */
export class Watch {
  readonly #database: Database['watch'];
  readonly #tidy: Database['tidy'];
  readonly #lookMs: number;
  readonly #loops: readonly Loop[];
  readonly #stopping = new AbortController();
  readonly #name: string;
  readonly #ingest: WatchParts['ingest'];
  readonly #clock = new Clock();
  /** What this process had taken in and refused when it last said so. */
  #tallied = { stored: 0, refused: 0, heartbeats: 0, odd: ODDITIES.map(() => 0) };
  /** When this process last said that it is there. */
  #told: number | undefined;

  constructor({ database, images, name, ingest, refuses, askOfMakers, report, lookMs = EVERY_MS }: WatchParts) {
    this.#database = database.watch;
    this.#tidy = () => database.tidy();
    this.#lookMs = lookMs;
    this.#name = name;
    this.#ingest = ingest;
    const { signal } = this.#stopping;
    // A receiver of alerts that hangs holds up no look.
    const deliveries = CHANNELS.map((channel) => () => deliver(database.watch, channel, refuses, signal));
    this.#loops = [
      ...[() => this.#look(), () => this.#keepHouse(), ...deliveries].map((work) => new Loop(work, report, lookMs)),
      ...(askOfMakers ? [new Loop(() => askOfMakers(database.watch), report, lookMs * ASKED_LOOKS)] : []),
      // Each process may have a folder of its own.
      new Loop(() => images.forgetUploads(), report, HOUSE_SECONDS * 1000),
    ];
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    // Where the database is away, it is known for gone after some minutes.
    await endListener(this.#database, this.#name)
      .then(() => this.#tally())
      .catch(() => {});
  }

  async #look(): Promise<void> {
    await this.#tell();
    await inSpan({ name: 'watch look', kind: 'internal', isRoot: true }, () => this.#turn());
  }

  async #turn(): Promise<void> {
    const from = performance.now();
    const clock = await clockOf(this.#database);
    this.#clock.read({ clock, from, to: performance.now() });
    await onDuty(this.#database, 'watch', this.#lookMs / 2000, this.#clock, async (on) => {
      const settings = await readSettings(on);
      await turnListeners(on, settings);
      await turnChannels(on, settings);
      const since = await heardSince(on);
      await turnJudgement(on, settings, since);
      // Before nodes are locked: to count those of a large rollout takes a second, and so do the hours of many sites.
      await inSpan({ name: 'rollouts turn', kind: 'internal' }, () => turnRollouts(on, settings, since));
      const turned = await turnSites(on, await lookAtHours(on));
      const looked = await turnStates(on, settings, since);
      await inSpan({ name: 'rollouts settle', kind: 'internal' }, () => settleRollouts(on, looked.all, since));
      await lookAgain(on, turned);
      await turnAlerts(on, settings, looked.told);
      await forgetOddities(on, looked.all);
      await sumUp(on);
    });
  }

  async #tell(): Promise<void> {
    const now = performance.now();
    if (this.#told === undefined) await beginListener(this.#database, this.#name);
    const trouble = this.#ingest.trouble.ago(now);
    const isNew = trouble !== undefined && now - trouble.last >= (this.#told ?? 0);
    if (this.#told !== undefined && !isNew && now - this.#told < TELL_MS) return;
    await tellListener(this.#database, this.#name, trouble);
    await this.#tally();
    this.#told = now;
  }

  /** What came since the last time. A process that is killed takes up to ten seconds of it along. */
  async #tally(): Promise<void> {
    const { stored, refused, heartbeats } = this.#ingest.counts;
    const odd = ODDITIES.map((kind) => this.#ingest.oddCount(kind));
    const before = this.#tallied;
    await this.#database.transaction(async (on) => {
      await addTallies(on, { stored: stored - before.stored, refused: refused - before.refused });
      await addCounter(on, 'heartbeats', heartbeats - before.heartbeats);
      for (const [at, kind] of ODDITIES.entries())
        await addCounter(on, `oddity ${kind}`, (odd[at] ?? 0) - (before.odd[at] ?? 0));
    });
    this.#tallied = { stored, refused, heartbeats, odd };
  }

  /** What takes longer, and parts of which run outside of any transaction. */
  async #keepHouse(): Promise<void> {
    const database = this.#database;
    await onLease(database, 'partitions', HOUSE_SECONDS, async () => {
      // None of it waits for the rest to succeed: whatever else is wrong, days that are over give their place on the disk free.
      await eachTried([
        async () => makePartitions(database, await clockOf(database)),
        ...FORGOTTEN.map((forget) => async () => forget(database, await readSettings(database))),
        this.#tidy,
        async () => {
          const { keepDays, keep } = await readSettings(database);
          await dropPartitions(database, await clockOf(database), keepDays, keep.hoursDays);
        },
      ]);
    });
  }
}

/** Does some work again and again, with a pause after each time. */
class Loop {
  readonly #work: () => Promise<void>;
  readonly #report: (error: Error) => void;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout;
  #underWay: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(work: () => Promise<void>, report: (error: Error) => void, everyMs: number) {
    this.#work = work;
    this.#report = report;
    this.#everyMs = everyMs;
    this.#timer = this.#after(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#underWay = this.#work()
        .catch(this.#report)
        .then(() => {
          if (!this.#stopped) this.#timer = this.#after(this.#everyMs);
        });
    }, ms);
  }
}

/**
 * Does the work where it was not done for `seconds`, and no other process is at it. The row of the duty says from when on without a
 * gap, by a clock that nobody moved: nothing tells how long ago a node was heard otherwise.
 */
async function onDuty(
  database: Queries & Transactions,
  name: string,
  seconds: number,
  clock: Clock,
  work: (on: Queries) => Promise<void>,
): Promise<void> {
  const isDone = await database.transaction(async (on) => {
    const [duty] = await on.query(
      `UPDATE duty SET since = CASE WHEN $3::boolean THEN now() ELSE ${WATCHED_SINCE} END WHERE name = (
         SELECT name FROM duty WHERE name = $1 AND (done_at <= now() - $2::float8 * interval '1 second'
           OR done_at > now() + interval '${AWAY_SECONDS} seconds') FOR UPDATE SKIP LOCKED) RETURNING name`,
      [name, seconds, clock.moved],
    );
    if (duty === undefined) return false;
    await work(on);
    await on.query('UPDATE duty SET done_at = clock_timestamp() WHERE name = $1', [name]);
    return true;
  });
  if (isDone) clock.settle();
}

/** As `onDuty`, without holding anything meanwhile: a process that is gone with it leaves it to the next hour. */
async function onLease(database: Queries, name: string, seconds: number, work: () => Promise<void>): Promise<void> {
  const taken = await database.query(
    `UPDATE duty SET done_at = now() WHERE name = $1 AND (done_at <= now() - $2::float8 * interval '1 second'
       OR done_at > now() + interval '${AWAY_SECONDS} seconds') RETURNING name`,
    [name, seconds],
  );
  if (taken.length === 0) return;
  try {
    await work();
  } catch (error) {
    await database.query("UPDATE duty SET done_at = now() - $2::float8 * interval '1 second' WHERE name = $1", [
      name,
      seconds - RETRY_SECONDS,
    ]);
    throw error;
  }
}

const OLD = "now() - $1::int * interval '1 day'";
const some = (on: Queries, table: string, column: string, days: number) =>
  on.query(`DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} < ${OLD} LIMIT 100000)`, [days]);
/** Each deletes what is too old of one kind, some of it each hour. */
const FORGOTTEN: readonly ((on: Queries, settings: Settings) => Promise<unknown>)[] = [
  (on, { keep }) => some(on, 'transition', 'at', keep.changesDays),
  (on, { keep }) => some(on, 'alert', 'ended', keep.changesDays),
  (on, { keep }) => some(on, 'delivery', 'done_at', keep.changesDays),
  async (on, { keep }) => keep.auditDays > 0 && some(on, 'audit', 'at', keep.auditDays),
  (on, { keep }) => on.query(`DELETE FROM oddity WHERE last_at < ${OLD}`, [keep.changesDays]),
  (on, { keep }) => forgetTallies(on, keep.hoursDays),
  (on) => on.query(`DELETE FROM boot WHERE at < ${OLD}`, [BOOT_DAYS]),
];

/**
 * Rows about requests are bounded: whoever has many addresses must not fill the disk. The oldest go, of strangers and of each
 * kind and node that was looked at; what one batch wrote is of one time, so the key says which of it goes. One that is being written is old
 * no more: to wait for it, while what writes it waits for another, would be for each other.
 */
async function forgetOddities(on: Queries, looked: string): Promise<void> {
  const forgotten = (which: string) => `WITH old AS (SELECT oddity.kind, oddity.node, oddity.address FROM oddity${which}
      FOR UPDATE OF oddity SKIP LOCKED)
    DELETE FROM oddity USING old WHERE (oddity.kind, oddity.node, oddity.address) = (old.kind, old.node, old.address)`;
  await on.query(
    forgotten(` WHERE node = '' AND (last_at, kind, address) < (
       SELECT last_at, kind, address FROM oddity WHERE node = ''
       ORDER BY last_at DESC, kind DESC, address DESC OFFSET ${STRANGERS - 1} LIMIT 1)`),
  );
  await on.query(
    forgotten(` JOIN (
       SELECT kind, node, address, row_number() OVER (PARTITION BY kind, node ORDER BY last_at DESC, address) AS nth
         FROM oddity WHERE node = ANY (ARRAY(SELECT json_array_elements_text($1::json)))) AS each
       USING (kind, node, address) WHERE nth > ${OF_ONE_NODE}`),
    [looked],
  );
}
