/** One run of one image: starts the process, receives its messages, supervises it, and ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { BootReason } from '../bindings/bindings.ts';
import { signalChild } from '../bindings/native/child.ts';
import { messageOf } from '../kernel/thrown.ts';
import { createTurns, NOTHING } from '../kernel/turns.ts';
import { BOOT_FACTS, type BootFacts, type FromLauncher, RESTART_EXIT_CODE, type ToLauncher } from './messages.ts';

export interface Patience {
  /** An image must be good within this. */
  readonly goodMs: number;
  /** A good image must say that it is alive within this. */
  readonly aliveMs: number;
  /** An image that was told to end is killed after this. */
  readonly stopMs: number;
}

export interface End {
  /** The reason that the next start is given, unless a more precise one is known. */
  readonly reason: BootReason;
  /** It came up before it ended. */
  readonly good: boolean;
  /**
   * Whose doing it was: its own, as far as anybody knows; somebody's who asked for a restart; or somebody's who ended it
   * from outside, which says nothing of the image.
   */
  readonly cause: 'image' | 'asked' | 'outside';
  readonly uptimeMs: number;
  readonly detail: string;
}

export interface RunOptions {
  /** Path of main.js. */
  readonly main: string;
  /** Folder where Node (22.1 and later) keeps what it compiled, so that the next start need not. */
  readonly compiled?: string;
  readonly args: readonly string[];
  readonly facts: BootFacts;
  readonly patience: Patience;
  /** Told of `good` and `alive`, and asked for what carries an id; a rejection is told to the image. */
  hear(message: ToLauncher): Promise<void> | void;
}

export class ImageRun {
  /** Resolves when the process has ended. */
  readonly ended: Promise<End>;
  readonly #child: ChildProcess;
  readonly #patience: Patience;
  readonly #startedAt: number;
  readonly #oomKillsBefore: number;
  #deadline: NodeJS.Timeout;
  #good = false;
  #hung = '';
  /** One message after the other, as they came. */
  readonly #inTurn = createTurns();

  constructor({ main, compiled, args, facts, patience, hear }: RunOptions) {
    this.#patience = patience;
    this.#child = fork(main, [...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        ...process.env,
        ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
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

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get uptimeMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  /** Asks it to end; kills it when it does not. */
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
    const answer: FromLauncher = { type: 'done', id: message.id, ...(error !== undefined && { error }) };
    this.#child.send(answer, () => {});
  }

  async #end(): Promise<End> {
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      this.#child.once('exit', (code, signal) => resolve([code, signal]));
      // Only where it could not be started, or no signal be sent; then there may be no exit to wait for.
      this.#child.once('error', (error) => this.#child.pid === undefined && resolve([null, error.message]));
    });
    clearTimeout(this.#deadline);
    // What it asked for last is settled before anything is decided on.
    await this.#inTurn(NOTHING);
    const detail = this.#hung || (signal === null ? `exit code ${code}` : `ended by ${signal}`);
    const about = { good: this.#good, uptimeMs: this.uptimeMs, detail };
    if (this.#hung) return { reason: 'watchdog', cause: 'image', ...about };
    const wasOom = signal === 'SIGKILL' && oomKills() > this.#oomKillsBefore;
    return { ...endOf(code, signal, wasOom), ...about };
  }
}

/** What a process does not do to itself. */
const FROM_OUTSIDE: readonly (string | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** Node ends with SIGABRT (128 + 6 through a shell) when its heap is full. */
function endOf(code: number | null, signal: string | null, wasOom: boolean): Pick<End, 'reason' | 'cause'> {
  if (code === RESTART_EXIT_CODE) return { reason: 'restart', cause: 'asked' };
  if (code === 0) return { reason: 'restart', cause: 'image' };
  if (wasOom || signal === 'SIGABRT' || code === 134) return { reason: 'out_of_memory', cause: 'image' };
  return { reason: 'crash', cause: FROM_OUTSIDE.includes(signal) ? 'outside' : 'image' };
}

/** Processes that the kernel has killed for want of memory so far (proc_vmstat(5)); 0 where it does not say. */
function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
