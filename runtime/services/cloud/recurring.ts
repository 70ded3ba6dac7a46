/** Work that comes again: never two at a time, later and later while it fails, and never in step with other nodes. */
import type { Logger } from '../../kernel/log.ts';

/** The longest wait after failures; work that comes more rarely keeps its own rhythm. */
const SLOWEST_MS = 3_600_000;
/** Waits are this much longer at most, by chance. */
const JITTER = 0.1;

export interface RecurringParts {
  readonly name: string;
  /** Rejects with the reason where it fails. Its outcome does not count once the signal was given. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** From the end of one to the beginning of the next; undefined where there is nothing to do. */
  readonly everyMs: () => number | undefined;
  readonly log: Logger;
  readonly random?: () => number;
}

export class Recurring {
  readonly #parts: RecurringParts;
  #timer: NodeJS.Timeout | undefined;
  #running = new AbortController();
  #failures = 0;
  /** Said in the log when it changes. */
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

  stop(): void {
    clearTimeout(this.#timer);
    this.#running.abort();
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#run(), delayMs).unref();
  }

  async #run(): Promise<void> {
    const { name, work, everyMs, log, random = Math.random } = this.#parts;
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
    if (next !== undefined) this.#wait(pauseMs(next, this.#failures, random));
  }
}

/** Twice as long with each failure. */
export function pauseMs(everyMs: number, failures: number, random: () => number): number {
  const backedOff = Math.max(everyMs, Math.min(everyMs * 2 ** failures, SLOWEST_MS));
  return backedOff * (1 + JITTER * random());
}
