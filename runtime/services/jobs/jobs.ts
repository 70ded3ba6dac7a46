/** The list of recent jobs, in memory. What a job prints is never read or stored. */
import type { Command, CommandResult } from '../../kernel/command.ts';
import {
  JOBS,
  type JobEnd,
  type JobKind,
  type JobsOffer,
  type ListedJob,
  type NewJob,
  type RecentJob,
} from './contract.ts';
import { Counters } from './counters.ts';

/** `from` of what the node prints by itself. */
const NODE = 'node';

/** The last 50 jobs, and the counters of the devices. */
export class Jobs implements JobsOffer {
  readonly counters = new Counters();
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  readonly #ofCommand = new WeakMap<Command, Entry>();

  get sinceStart(): JobsOffer['sinceStart'] {
    return this.counters.sinceStart;
  }

  count: JobsOffer['count'] = (endpoint, what, n) => this.counters.count(endpoint, what, n);

  begin(job: NewJob): ListedJob {
    const entry = this.#list(job);
    const end = (how: JobEnd) => {
      entry.end(how);
      this.#makeRoom();
    };
    return { end, becomes: (command) => void this.#ofCommand.set(command, entry) };
  }

  follow(command: Command, bytes: () => number): void {
    this.#ofCommand.get(command)?.follow(bytes);
  }

  /** Lists a command that starts. */
  take(kind: JobKind, command: Command): void {
    if (this.#ofCommand.has(command)) return;
    const { id, endpoint, from = NODE } = command;
    this.#ofCommand.set(command, this.#list({ id, kind, endpoint, from }));
  }

  /** Notes the result of a command, also of one that was refused before it started. */
  settle(kind: JobKind, command: Command, { ok, outcome, error, bytes }: CommandResult): void {
    if (!ok && kind === 'print') this.counters.sinceStart.failed += 1;
    this.take(kind, command);
    this.#ofCommand.get(command)?.end({ outcome, error, bytes });
    this.#makeRoom();
  }

  /** The jobs, newest first. */
  view(): RecentJob[] {
    const now = performance.now();
    return this.#entries
      .slice(0, JOBS)
      .map((entry) => entry.view(now))
      .reverse();
  }

  #list(job: NewJob): Entry {
    const entry = new Entry(job);
    this.#entries.push(entry);
    this.#makeRoom();
    return entry;
  }

  /** More than fit are kept only while all of them run: as many as the ports and the queue of a printer let wait. */
  #makeRoom(): void {
    while (this.#entries.length > JOBS) {
      const oldest = this.#entries.findIndex(({ ended }) => ended);
      if (oldest < 0) return;
      this.#entries.splice(oldest, 1);
    }
  }
}

class Entry {
  readonly #job: Omit<NewJob, 'bytes'>;
  readonly #startedAt = performance.now();
  #bytes: (() => number) | undefined;
  /** As `#bytes`, but not asked at the end: of a command only its result knows. */
  #progress: (() => number) | undefined;
  #end:
    | (Omit<RecentJob, 'id' | 'kind' | 'endpoint' | 'from' | 'startedAgoMs' | 'ms'> & { readonly at: number })
    | undefined;

  constructor({ bytes, ...job }: NewJob) {
    this.#job = job;
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  follow(bytes: () => number): void {
    if (!this.ended) this.#progress = bytes;
  }

  end({
    outcome = 'accepted',
    error,
    bytes = this.#bytes?.(),
    missingBytes = 0,
    language,
    pulsesDropped = 0,
  }: JobEnd): void {
    if (this.#end !== undefined) return;
    // After `write_failed` the exact number of bytes is given, where it is known.
    const printed = error === 'write_failed' ? bytes !== 0 : (bytes ?? 0) > 0;
    this.#end = {
      outcome: error === undefined ? outcome : printed ? 'partial' : 'failed',
      bytes: bytes ?? 0,
      at: performance.now(),
      ...(error !== undefined && { error }),
      ...(missingBytes > 0 && { missingBytes }),
      ...(language !== undefined && { language }),
      ...(pulsesDropped > 0 && { pulsesDropped }),
    };
    this.#bytes = this.#progress = undefined;
  }

  view(now: number): RecentJob {
    const { id, kind, endpoint, from } = this.#job;
    const { at, ...end } = this.#end ?? {
      outcome: 'running' as const,
      bytes: (this.#bytes ?? this.#progress)?.() ?? 0,
      at: now,
    };
    return {
      ...(id !== undefined && { id }),
      ...{ kind, endpoint, from },
      ...end,
      startedAgoMs: Math.round(now - this.#startedAt),
      ms: Math.round(at - this.#startedAt),
    };
  }
}
