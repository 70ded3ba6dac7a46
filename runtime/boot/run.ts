/** One run of one image: starts the process, receives its messages, supervises it, and ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { defined } from '../base/defined.ts';
import { messageOf } from '../base/thrown.ts';
import { createTurns, NOTHING } from '../base/turns.ts';
import type { BootReason } from '../bindings/boot.ts';
import {
  BOOT_FACTS,
  type BootFacts,
  type FromLauncher,
  RESTART_EXIT_CODE,
  type ToLauncher,
} from '../bindings/boot-messages.ts';
import { signalChild } from '../bindings/native/child.ts';
import { oomKills } from './oom-kills.ts';

/** Time limits of one run. */
export interface RunPatience {
  /** From the start to `good`; then the image is killed. */
  readonly goodMs: number;
  /** Between two `alive` of a good image; then it is killed. */
  readonly aliveMs: number;
  /** From SIGTERM until the image is killed. */
  readonly stopMs: number;
}

/** How a run ended. */
export interface End {
  /** The reason that the next start is given, unless a more precise one is known. */
  readonly reason: BootReason;
  /** Whether it sent `good` before it ended. */
  readonly good: boolean;
  /**
   * `image`: it ended itself or failed, as far as is known; `asked`: a restart was requested; `outside`: another
   * process ended it by a signal, which is no fault of the image.
   */
  readonly cause: 'image' | 'asked' | 'outside';
  readonly uptimeMs: number;
  /** For people: exit code, signal or missed time limit. */
  readonly detail: string;
}

/** What a run is started with. */
export interface RunOptions {
  /** Path of main.js. */
  readonly main: string;
  readonly args: readonly string[];
  readonly facts: BootFacts;
  readonly patience: RunPatience;
  /** Called with each message of the image. If the message has an id, the image gets the result: done, or the error. */
  hear(message: ToLauncher): Promise<void> | void;
}

/**
 * What glibc's allocator does with memory that an image has freed (mallopt(3)): threads share one heap, so that what the
 * compiler's threads needed for a moment is used again, and what is free at its end goes back to the system however large a
 * block was. Without, a node that has worked keeps a tenth of its memory for nothing. Other C libraries do not read it.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '262144' } as const;

/** Starts the process in the constructor; `ended` never rejects. */
export class ImageRun {
  /** Resolves when the process has ended. */
  readonly ended: Promise<End>;
  readonly #child: ChildProcess;
  readonly #patience: RunPatience;
  readonly #startedAt: number;
  readonly #oomKillsBefore: number;
  #deadline: NodeJS.Timeout;
  #good = false;
  #hung = '';
  /** Handles messages one after the other, in the order of arrival. */
  readonly #inTurn = createTurns();

  constructor({ main, args, facts, patience, hear }: RunOptions) {
    this.#patience = patience;
    this.#child = fork(main, [...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        ...ALLOCATOR,
        ...process.env,
        [BOOT_FACTS]: JSON.stringify(facts),
      },
    });
    // Looked at while it starts.
    this.#startedAt = performance.now();
    this.#oomKillsBefore = oomKills();
    this.#deadline = this.#within(patience.goodMs, 'did not come up');
    this.#child.on('message', (message) => {
      void this.#inTurn(() => this.#answer(message as ToLauncher, hear));
    });
    this.ended = this.#end();
  }

  /** Undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get uptimeMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  /** Sends SIGTERM, and SIGKILL if it has not ended within `stopMs`. */
  stop(): void {
    signalChild(this.#child, 'SIGTERM');
    setTimeout(() => signalChild(this.#child, 'SIGKILL'), this.#patience.stopMs).unref();
  }

  #within(ms: number, what: string): NodeJS.Timeout {
    clearTimeout(this.#deadline);
    return setTimeout(() => {
      this.#hung = `${what} in ${ms / 1000} s`;
      signalChild(this.#child, 'SIGKILL');
    }, ms);
  }

  async #answer(message: ToLauncher, hear: RunOptions['hear']): Promise<void> {
    if (message.type === 'good') this.#good = true;
    if (this.#good && (message.type === 'good' || message.type === 'alive')) {
      this.#deadline = this.#within(this.#patience.aliveMs, 'made no progress');
    }
    let error: string | undefined;
    try {
      await hear(message);
    } catch (thrown) {
      error = messageOf(thrown);
    }
    if (!('id' in message) || !this.#child.connected) return;
    const answer: FromLauncher = { type: 'done', id: message.id, ...defined({ error }) };
    this.#child.send(answer, () => {});
  }

  async #end(): Promise<End> {
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      this.#child.once('exit', (code, signal) => resolve([code, signal]));
      // Emitted if it could not be started or signalled; if it could not be started, `exit` may not follow.
      this.#child.once('error', (error) => this.#child.pid === undefined && resolve([null, error.message]));
    });
    clearTimeout(this.#deadline);
    // Its last request is handled before the end is judged.
    await this.#inTurn(NOTHING);
    const detail = this.#hung || (signal === null ? `exit code ${code}` : `ended by ${signal}`);
    const about = { good: this.#good, uptimeMs: this.uptimeMs, detail };
    if (this.#hung) return { reason: 'watchdog', cause: 'image', ...about };
    const wasOom = signal === 'SIGKILL' && oomKills() > this.#oomKillsBefore;
    return { ...endOf(code, signal, wasOom), ...about };
  }
}

/** Signals that a process does not send to itself. */
const FROM_OUTSIDE: readonly (string | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/**
 * Reason and cause by exit code and signal. Node ends with SIGABRT (134 = 128 + 6 through a shell) if its heap is full.
 */
function endOf(code: number | null, signal: string | null, wasOom: boolean): Pick<End, 'reason' | 'cause'> {
  if (code === RESTART_EXIT_CODE) return { reason: 'restart', cause: 'asked' };
  if (code === 0) return { reason: 'restart', cause: 'image' };
  if (wasOom || signal === 'SIGABRT' || code === 134) return { reason: 'out_of_memory', cause: 'image' };
  return { reason: 'crash', cause: FROM_OUTSIDE.includes(signal) ? 'outside' : 'image' };
}
