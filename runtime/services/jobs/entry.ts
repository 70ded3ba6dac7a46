/** One job of the list, from its beginning to what came of it. */
import { defined } from '../../base/defined.ts';
import { type CommandResult, succeeded } from '../../kernel/command.ts';
import type { JobEnd, JobProgress, NewJob, RecentJob, StoredJob } from './contract.ts';

/** A job is stored when it has gone on for so long, and again each time it has gone on for twice as long. */
const STORED_AFTER_MS = 100;
/** The detail of a command whose paper somebody looked at. */
const SEEN = 'it was in doubt; somebody saw on the paper that it came out';

type End = Pick<
  RecentJob,
  'outcome' | 'settled' | 'error' | 'missingBytes' | 'language' | 'pulsesDropped' | 'bytes' | 'ms'
>;

/** A job. What it prints is never read. */
export class JobEntry {
  readonly seq: number;
  readonly #job: Omit<NewJob, 'progress' | 'command'>;
  /** When it began, in ms of `performance.now()`: before the node was started, of a job that an earlier run stored. */
  readonly #startedAt: number;
  #progress: JobProgress | undefined;
  /** Not kept beyond its end: it has all of the receipt. */
  #command: NewJob['command'];
  /** Only its result knows how many bytes the device took at the end. */
  #isCommand = false;
  #totalBytes: number | undefined;
  #end: End | undefined;
  /** How long it had gone on when it was stored last; 0: it was not. */
  #storedAtMs = 0;
  #isOnDisk = false;

  constructor(seq: number, job: NewJob, startedAt = performance.now()) {
    const { id, kind, endpoint, from, key, progress, command } = job;
    this.seq = seq;
    this.#job = { kind, endpoint, from, key, ...defined({ id }) };
    this.#progress = progress;
    this.#command = command;
    this.#startedAt = startedAt;
  }

  /** A job that an earlier run of the node did not end, or of which nobody has said what the paper shows. */
  static stored({ seq, at, ms, bytes, totalBytes, error, ...job }: StoredJob): JobEntry {
    const entry = new JobEntry(seq, job, performance.now() - (Date.now() - at));
    entry.#totalBytes = totalBytes;
    entry.#end = { outcome: 'uncertain', bytes, ms, ...defined({ error }) };
    entry.#isOnDisk = true;
    return entry;
  }

  get key(): string | undefined {
    return this.#job.key;
  }

  get kind(): RecentJob['kind'] {
    return this.#job.kind;
  }

  get endpoint(): string {
    return this.#job.endpoint;
  }

  get outcome(): RecentJob['outcome'] {
    return this.#end?.outcome ?? 'running';
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** Whether it still waits for its device, as far as anybody tells. */
  get waits(): boolean {
    if (this.ended || this.#command?.hasBegun === true) return false;
    const progress = this.#progress;
    // One that gave the device back, and is not ended yet, had it.
    if (progress !== undefined) return !progress.hasTurn && progress.turnAt === undefined && progress.written === 0;
    return this.#command?.hasBegun === false;
  }

  /** When it got its device, or was asked for. */
  get #runsFrom(): number {
    return this.#progress?.turnAt ?? this.#command?.begunAt ?? this.#startedAt;
  }

  /** Whether the disk has it as a job that goes on, or is in doubt. */
  get isOnDisk(): boolean {
    return this.#isOnDisk;
  }

  /** What somebody said of the paper. */
  get settledAs(): boolean | undefined {
    return this.#end?.settled === undefined ? undefined : this.#end.outcome === 'confirmed';
  }

  follow(progress: JobProgress, totalBytes: number): void {
    if (this.ended) return;
    this.#progress = progress;
    this.#isCommand = true;
    this.#totalBytes = totalBytes;
  }

  end({
    outcome = 'accepted',
    error,
    bytes = this.#isCommand ? undefined : this.#progress?.written,
    missingBytes = 0,
    language,
    pulsesDropped = 0,
  }: JobEnd): void {
    if (this.#end !== undefined) return;
    const took = bytes ?? 0;
    this.#end = {
      outcome: error === undefined ? outcome : failedAs(error, bytes),
      bytes: took,
      ms: Math.round(performance.now() - this.#runsFrom),
      ...defined({ error }),
      ...(missingBytes > 0 && { missingBytes }),
      ...defined({ language }),
      ...(pulsesDropped > 0 && { pulsesDropped }),
    };
    this.#progress = undefined;
    this.#command = undefined;
  }

  /** Somebody looked at the paper. Returns what takes that back. */
  settle(printed: boolean): () => void {
    const before = this.#end;
    const wasOnDisk = this.#isOnDisk;
    this.#isOnDisk = false;
    if (before !== undefined) this.#end = { ...before, outcome: printed ? 'confirmed' : 'failed', settled: true };
    return () => {
      this.#end = before;
      this.#isOnDisk = wasOnDisk;
    };
  }

  /** The result of its command where all of it came out; undefined of a job whose answer has more in it. */
  confirmed(): CommandResult | undefined {
    const { kind, id, endpoint } = this.#job;
    if (id === undefined || kind === 'compose') return undefined;
    return succeeded({ type: kind, id, endpoint }, 'confirmed', this.#totalBytes ?? this.#end?.bytes ?? 0, SEEN);
  }

  view(now: number): RecentJob {
    const { id, kind, endpoint, from } = this.#job;
    const sinceMs = Math.max(0, Math.round(now - this.#startedAt));
    const ms = Math.max(0, Math.round(now - this.#runsFrom));
    const running = { outcome: 'running' as const, bytes: this.#progress?.written ?? 0, ms };
    const end = this.#end ?? running;
    return {
      seq: this.seq,
      ...defined({ id }),
      ...{ kind, endpoint, from },
      ...end,
      ...(this.#totalBytes !== undefined && end.bytes < this.#totalBytes && { totalBytes: this.#totalBytes }),
      startedAgoMs: Math.max(sinceMs, end.ms),
    };
  }

  /** Whether it has gone on for so long that the disk should know how far it is. */
  isToStore(now: number): boolean {
    const { hasTurn = this.#command?.hasBegun } = this.#progress ?? {};
    if (this.ended || hasTurn !== true) return false;
    return now - this.#runsFrom >= Math.max(STORED_AFTER_MS, 2 * this.#storedAtMs);
  }

  /** The line of the job for the disk, which has it from now on. */
  toStore(now: number, state = stateOf(this.outcome)): StoredJob {
    const line = this.line(now, state);
    this.#storedAtMs = line.ms;
    this.#isOnDisk = state !== 'ended';
    return line;
  }

  /** The line of the job for the disk. */
  line(now: number, state = stateOf(this.outcome)): StoredJob {
    const { id, kind, endpoint, from, key } = this.#job;
    const { bytes, ms } = this.view(now);
    const { error } = this.#end ?? {};
    return {
      seq: this.seq,
      state,
      ...{ kind, endpoint, from, bytes, ms },
      at: Math.round(Date.now() - (now - this.#startedAt)),
      ...defined({ id, key, totalBytes: this.#totalBytes, error }),
    };
  }
}

const stateOf = (outcome: RecentJob['outcome']): StoredJob['state'] =>
  outcome === 'running' || outcome === 'uncertain' ? outcome : 'ended';

/** After `write_failed` the exact number of bytes is given, where it is known. */
function failedAs(error: string, bytes: number | undefined): RecentJob['outcome'] {
  if (error === 'write_failed') return bytes === 0 ? 'failed' : 'uncertain';
  return (bytes ?? 0) > 0 ? 'partial' : 'failed';
}
