/** Recurring work: one run at a time, with intervals that grow while it fails and that vary at random. */
import { backoff } from '../../base/backoff.ts';
import type { Logger } from '../../kernel/log.ts';

/** Longest interval after failures unless another is given; a longer regular interval stays as it is. */
const SLOWEST_MS = 3_600_000;
/**
 * Longest interval of heartbeats after failures: a fleet that was away says after three minutes with whom it has not spoken
 * (`rules.offline`), and hears before that from every node which comes again so soon.
 */
export const SLOWEST_HEARTBEAT_MS = 120_000;
/**
 * From a first failure of a heartbeat to the next one: where one is lost, or two in succession, the silence is over before those three
 * minutes are.
 */
export const HEARTBEAT_RETRY_MS = 15_000;
/** Largest random extension of an interval, as a fraction of it. */
const JITTER = 0.1;

/** What is done how often. */
export interface RecurringParts {
  readonly name: string;
  /** Rejects with the reason if it fails. After its signal was aborted, its result is ignored. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Time from the end of one run to the start of the next; undefined if there is nothing to do. */
  readonly everyMs: () => number | undefined;
  /** Time from a first failure to the next run, doubled with each further one; by default twice the interval. */
  readonly retryMs?: number;
  /** Longest time from a failure to the next run, where the interval is not longer; by default an hour. */
  readonly slowestMs?: number;
  readonly log: Logger;
  readonly random?: () => number;
}

/** Runs the work until it is stopped. A reason of failure is logged once, until it changes. */
export class Recurring {
  readonly #parts: RecurringParts;
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;
  #failures = 0;
  /** The last logged reason. */
  #fault = '';

  constructor(parts: RecurringParts) {
    this.#parts = parts;
  }

  /** Restarts: aborts the attempt in progress and resets the count of failures. */
  start(delayMs: number): void {
    this.stop();
    this.#failures = 0;
    if (this.#parts.everyMs() !== undefined) this.#wait(delayMs);
  }

  /** Aborts the run in progress; no further one starts. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#run(), delayMs).unref();
  }

  async #run(): Promise<void> {
    const { name, work, everyMs, retryMs, slowestMs, log, random = Math.random } = this.#parts;
    this.#running = new AbortController();
    const { signal } = this.#running;
    const fault = await work(signal).then(
      () => '',
      (error: Error) => error.message.slice(0, 200) || 'failed',
    );
    if (signal.aborted) return;
    if (fault !== '' && fault !== this.#fault) log.warn({ reason: fault }, `${name} failed`);
    this.#fault = fault;
    this.#failures = fault === '' ? 0 : this.#failures + 1;
    const next = everyMs();
    if (next !== undefined) this.#wait(pauseMs(next, this.#failures, random, { retryMs, slowestMs }));
  }
}

/**
 * The time until the next run, plus up to a tenth: `everyMs`; after failures in succession `retryMs`, doubled with each
 * but the first, up to `slowestMs`, or `everyMs` if that is longer. `random` returns a number from 0 to 1.
 */
export function pauseMs(
  everyMs: number,
  failures: number,
  random: () => number,
  { retryMs = 2 * everyMs, slowestMs = SLOWEST_MS }: Times = {},
): number {
  const wholeMs = failures === 0 ? everyMs : backoff(failures, retryMs, Math.max(everyMs, slowestMs));
  return wholeMs * (1 + JITTER * random());
}

interface Times {
  readonly retryMs?: number | undefined;
  readonly slowestMs?: number | undefined;
}
