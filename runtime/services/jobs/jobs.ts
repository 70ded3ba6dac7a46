/** The list of recent jobs. What a job prints is never read or stored. */

import { messageOf } from '../../base/thrown.ts';
import type { Command, CommandResult } from '../../kernel/command.ts';
import { ApiError } from '../../kernel/errors.ts';
import { Journal } from '../../kernel/journal.ts';
import type { Node } from '../../kernel/node.ts';
import { Reply } from '../../kernel/reply.ts';
import {
  type HourTrouble,
  JOBS,
  type JobEnd,
  type JobProgress,
  type JobsOffer,
  type ListedJob,
  type NewJob,
  type RecentJob,
  type SettleBody,
  StoredJob,
} from './contract.ts';
import { Counters } from './counters.ts';
import { Day } from './day.ts';
import { JobEntry } from './entry.ts';

/** `from` of what the node prints by itself. */
const NODE = 'node';
const FILE = 'jobs';
/** The longest line has less than 1 KiB, and one is needed of each job. */
const FILE_BYTES = 128 * 1024;
/** How often it is looked which jobs go on for so long that the disk should know. */
const LOOK_MS = 100;

/**
 * The last 50 jobs, and the counters of the devices. The disk has those that go on for a while (they do not wait for it) and
 * those whose end is not known, until somebody says what the paper shows.
 */
export class JobList implements JobsOffer {
  readonly counters = new Counters();
  readonly day = new Day();
  readonly #node: Node;
  /** Oldest first. */
  readonly #entries: JobEntry[] = [];
  /** Entries of the commands that run. */
  readonly #ofCommand = new Map<Command, JobEntry>();
  readonly #journal: Journal<StoredJob>;
  /** The last line with the highest number: no number is given again that somebody may settle. */
  #highest: StoredJob | undefined;
  #nextSeq = 1;
  /** Jobs that waited for their device at the last look. */
  #waited = 0;
  /** Another one after each start, too. */
  #changes = Date.now();
  /** Settles when the lines so far are on the disk, or are not. */
  #stored: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(node: Node) {
    this.#node = node;
    const kept = () => [
      ...(this.#highest === undefined ? [] : [this.#highest]),
      ...this.#entries.filter(({ isOnDisk }) => isOnDisk).map((entry) => entry.line(performance.now())),
    ];
    this.#journal = new Journal({ node, file: FILE, schema: StoredJob, limitBytes: FILE_BYTES, kept });
  }

  get sinceStart(): JobsOffer['sinceStart'] {
    return this.counters.sinceStart;
  }

  count: JobsOffer['count'] = (endpoint, what, n) => {
    this.counters.count(endpoint, what, n);
    if (what !== 'receipts') return;
    this.day.printed(n ?? 1);
    this.#changes += 1;
  };

  /** What keeps a printer from printing, from now on. */
  tell(endpoint: string, trouble: readonly HourTrouble[]): void {
    if (this.day.tell(endpoint, trouble)) this.#changes += 1;
  }

  /** Grows with each job that begins, ends or is settled, and with what is new in the last 24 hours. */
  get changes(): number {
    return this.#changes;
  }

  /** Reads which jobs earlier runs of the node left in doubt, by themselves or by their keys. Never rejects. */
  async load(): Promise<void> {
    try {
      const found = new Map((await this.#journal.load()).map((stored) => [stored.seq, stored]));
      for (const stored of found.values()) this.#isHighest(stored);
      this.#nextSeq = 1 + (this.#highest?.seq ?? 0);
      const open = [...found.values()].filter(({ state }) => state !== 'ended');
      for (const stored of open.sort((a, b) => a.seq - b.seq)) this.#takeUp(stored);
    } catch (error) {
      this.#node.log.warn({ error: messageOf(error) }, 'the jobs of earlier runs cannot be read');
    }
    const keys = new Set(this.#entries.map(({ key }) => key));
    for (const { key, at, command } of this.#node.keys.interrupted()) {
      if (keys.has(key)) continue;
      const { type: kind, id, endpoint, from } = command;
      const job = {
        seq: this.#nextSeq,
        state: 'uncertain',
        kind,
        id,
        endpoint,
        from,
        key,
        at,
        ms: 0,
        bytes: 0,
      } as const;
      this.#nextSeq += 1;
      const entry = JobEntry.stored(job);
      this.#entries.push(entry);
      this.#store(entry);
    }
    this.#makeRoom();
  }

  /**
   * A job of an earlier run that did not end there, or is in doubt. What came of one that ran when the node was killed may be
   * known by its key: nothing had left, or it had ended and only this list was not told.
   */
  #takeUp(stored: StoredJob): void {
    const entry = JobEntry.stored(stored);
    const { state, key } = stored;
    const isKnown = state === 'running' && key !== undefined && this.#node.keys.isKnown(key);
    if (!isKnown) this.#entries.push(entry);
    if (state === 'running') this.#store(entry, isKnown ? 'ended' : undefined);
  }

  begin(job: NewJob): ListedJob {
    const entry = this.#list(job);
    return {
      end: (how: JobEnd) => this.#end(entry, how),
      becomes: (command) => void this.#ofCommand.set(command, entry),
    };
  }

  follow(command: Command, progress: JobProgress, totalBytes: number): void {
    this.#ofCommand.get(command)?.follow(progress, totalBytes);
  }

  /** Lists a command that starts. */
  take(command: Command): void {
    if (this.#ofCommand.has(command)) return;
    const { type: kind, id, endpoint, from = NODE, key } = command;
    this.#ofCommand.set(command, this.#list({ id, kind, endpoint, from, key, command }));
  }

  /** Notes the result of a command, also of one that was refused before it started. */
  conclude(command: Command, { ok, outcome, error, bytes }: CommandResult): void {
    if (!ok && command.type === 'print') this.counters.sinceStart.failed += 1;
    this.take(command);
    const entry = this.#ofCommand.get(command);
    this.#ofCommand.delete(command);
    if (entry !== undefined) this.#end(entry, { outcome, error, bytes });
  }

  /** Jobs of which nobody has said what the paper shows. */
  get uncertain(): number {
    return this.#entries.reduce((sum, { outcome }) => sum + (outcome === 'uncertain' ? 1 : 0), 0);
  }

  /**
   * Somebody says what the paper shows of a job that is in doubt. Its key, if it has one, gives this from now on, or is free
   * for another try. Rejects with the ApiError `not_found` where no job in doubt has this number, or `persist_failed`.
   */
  async settle({ seq, printed }: SettleBody): Promise<void> {
    const entry = this.#entries.find((each) => each.seq === seq);
    // Sent twice, it says the same.
    if (entry?.settledAs === printed) return;
    if (entry?.outcome !== 'uncertain') throw new ApiError('not_found', 'no job in doubt has this number');
    const { key, isOnDisk } = entry;
    const reply = printed ? entry.confirmed() : undefined;
    const takeBack = entry.settle(printed);
    this.#changes += 1;
    try {
      if (key !== undefined && (reply !== undefined || !printed))
        await this.#node.keys.settle(key, reply && new Reply(200, reply));
      const line = entry.line(performance.now());
      if (isOnDisk) await this.#journal.append(line).then(() => this.#isHighest(line));
    } catch (error) {
      takeBack();
      throw new ApiError('persist_failed', `it cannot be stored (${messageOf(error)}); nothing changed`);
    }
  }

  /** Jobs that wait for their device. */
  get waiting(): number {
    return this.#entries.reduce((sum, { waits }) => sum + (waits ? 1 : 0), 0);
  }

  /** The jobs, newest first, but for those that wait: of these only the number is told. */
  view(): RecentJob[] {
    const now = performance.now();
    this.#makeRoom();
    return this.#entries
      .filter(({ waits }) => !waits)
      .slice(0, JOBS)
      .map((entry) => entry.view(now))
      .reverse();
  }

  /** Resolves when what is known is on the disk. Never rejects. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#stored;
  }

  #list(job: NewJob): JobEntry {
    const entry = new JobEntry(this.#nextSeq, job);
    this.#nextSeq += 1;
    this.#changes += 1;
    this.#entries.push(entry);
    this.#makeRoom();
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS).unref();
    return entry;
  }

  /** Whether it was to bring paper: commands of every plugin are jobs. */
  #prints({ kind, endpoint }: JobEntry): boolean {
    return kind !== 'drawer_kick' && this.#node.endpoint(endpoint)?.declaration.kind === 'printer';
  }

  #end(entry: JobEntry, how: JobEnd): void {
    if (!entry.ended && how.error !== undefined && this.#prints(entry)) this.day.failed();
    entry.end(how);
    this.#changes += 1;
    if (entry.outcome === 'uncertain' || entry.isOnDisk) this.#store(entry);
    this.#makeRoom();
  }

  /** Most jobs have ended before anybody looks: they cost the disk nothing. */
  #look(): void {
    const now = performance.now();
    const running = this.#entries.filter(({ ended }) => !ended);
    for (const entry of running) if (entry.isToStore(now)) this.#store(entry);
    // One that got its device is in the list from now on.
    const { waiting } = this;
    if (waiting < this.#waited) this.#changes += 1;
    this.#waited = waiting;
    this.#timer = running.length === 0 ? undefined : setTimeout(() => this.#look(), LOOK_MS).unref();
  }

  #store(entry: JobEntry, state?: 'ended'): void {
    const line = entry.toStore(performance.now(), state);
    this.#isHighest(line);
    const stored = this.#journal.append(line).catch((error: unknown) => {
      this.#node.log.warn({ seq: line.seq, error: messageOf(error) }, 'how far a job came cannot be stored');
    });
    this.#stored = this.#stored.then(() => stored);
  }

  #isHighest(line: StoredJob): void {
    if (line.seq >= (this.#highest?.seq ?? 0)) this.#highest = line;
  }

  /**
   * More than fit are kept only while all of them run. Jobs that wait take no room: they are as many as the ports and the queue
   * of a printer let wait. The last that goes is one in doubt.
   */
  #makeRoom(): void {
    if (this.#entries.length <= JOBS) return;
    for (let over = this.#entries.length - this.waiting - JOBS; over > 0; over -= 1) {
      const known = this.#entries.findIndex(({ ended, outcome }) => ended && outcome !== 'uncertain');
      const oldest = known < 0 ? this.#entries.findIndex(({ ended }) => ended) : known;
      const [gone] = oldest < 0 ? [] : this.#entries.splice(oldest, 1);
      if (gone === undefined) return;
      if (gone.outcome === 'uncertain') this.#store(gone, 'ended');
    }
  }
}
