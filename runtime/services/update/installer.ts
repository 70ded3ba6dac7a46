/** One update or revert at a time, and the restart that ends it. */
import { setTimeout as delay } from 'node:timers/promises';
import { SyncBailHook } from 'tapable';
import type { BootSlots } from '../../bindings/bindings.ts';
import type { IncomingImage, InstalledImage, UpdatePolicy, UpdateSource, Updates } from '../../image/updates.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { messageOf } from '../../kernel/thrown.ts';
import { takeIn } from './intake.ts';
import { storedUpdate } from './stored.ts';

/** What a restart that nobody asked for waits for a quiet moment (specification 8). */
export const RESTART_HOLD_MS = 900_000;

const TIMES = {
  /** From the answer to the restart. */
  answerMs: 250,
  /** What the job in hand gets before a restart that somebody asked for: as long as a job may wait for its turn. */
  jobMs: 30_000,
  holdMs: RESTART_HOLD_MS,
};
export type Times = typeof TIMES;

type Needs = Pick<Node, 'image' | 'bindings' | 'hooks' | 'hold' | 'log' | 'settings'>;
/** `now`: after the job in hand, and no other begins. `quiet`: at the first quiet moment, and the node works on. */
type When = 'now' | 'quiet';

export class Installer implements Updates {
  readonly source = new SyncBailHook<[], UpdateSource | undefined>();
  readonly #node: Needs;
  readonly #times: Times;
  #busy = false;

  constructor(node: Needs, times: Partial<Times> = {}) {
    this.#node = node;
    this.#times = { ...TIMES, ...times };
  }

  /** An update or a revert is under way, or its restart is. */
  get busy(): boolean {
    return this.#busy;
  }

  get policy(): UpdatePolicy {
    const { enabled, policy } = storedUpdate(this.#node.settings);
    return enabled ? policy : 'off';
  }

  /** Throws `ota_busy`. */
  requireIdle(): void {
    if (this.#busy) throw new ApiError('ota_busy');
  }

  /** Throws `no_launcher`. */
  requireSlots(): BootSlots {
    const { slots } = this.#node.bindings.boot;
    if (slots === undefined) throw new ApiError('no_launcher', 'started by launcher.js, the node takes images');
    return slots;
  }

  /** Resolves when the image is the next to boot; the restart follows. */
  async install(incoming: IncomingImage, when: When = 'quiet'): Promise<InstalledImage> {
    const { image } = this.#node;
    const slots = this.requireSlots();
    return this.#once(when, async (hold) => {
      const onReceived = when === 'now' ? hold : () => {};
      const { version, variant } = await takeIn(incoming, { image, slots, onReceived });
      return { version, variant };
    });
  }

  /** Throws `ota_busy` where there is nothing to go back from. */
  requireRevertible(): void {
    this.requireIdle();
    const { slot, slots } = this.#node.bindings.boot;
    if (slots === undefined || slot === 'factory') throw new ApiError('ota_busy', 'the factory image runs already');
  }

  /** Resolves when the factory image is the next to boot; the restart follows. */
  async revert(): Promise<void> {
    this.requireRevertible();
    await this.#once('now', async (hold) => {
      hold();
      try {
        await this.#node.bindings.boot.slots?.revert();
      } catch (error) {
        throw new ApiError('ota_write_failed', messageOf(error));
      }
    });
  }

  /** Restarts the image that runs. Returns how soon. */
  restart(): number {
    this.#node.hold();
    void this.#restart(0);
    return this.#times.answerMs;
  }

  /** `hold` has commands refused until the restart, or until the work fails. */
  async #once<T>(when: When, work: (hold: () => void) => Promise<T>): Promise<T> {
    this.requireIdle();
    this.#busy = true;
    let resume = () => {};
    try {
      const done = await work(() => {
        resume = this.#node.hold();
      });
      void this.#restart(when === 'now' ? this.#times.jobMs : this.#times.holdMs);
      return done;
    } catch (error) {
      resume();
      this.#busy = false;
      throw error;
    }
  }

  async #restart(waitMs: number): Promise<void> {
    await delay(this.#times.answerMs);
    if (waitMs > 0) await this.#quiet(waitMs);
    this.#node.bindings.boot.restart();
  }

  /** However a room takes it, the deadline is kept; it is monotonic. */
  async #quiet(waitMs: number): Promise<void> {
    const over = new AbortController();
    const deadline = delay(waitMs, undefined, { signal: over.signal });
    await Promise.race([this.#node.hooks.quiet.promise(waitMs), deadline]).catch((error: unknown) => {
      this.#node.log.warn({ error: String(error) }, 'not known to be quiet');
    });
    over.abort();
  }
}
