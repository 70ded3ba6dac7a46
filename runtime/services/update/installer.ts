/** One update or revert at a time, and the restart after it. */
import { setTimeout as delay } from 'node:timers/promises';
import { SyncBailHook } from 'tapable';
import { messageOf } from '../../base/thrown.ts';
import type { BootSlots } from '../../bindings/boot.ts';
import { MAX_IMAGE_BYTES, MAX_SYSTEM_BYTES } from '../../image/format.ts';
import type { IncomingImage, InstalledImage, UpdatePolicy, UpdateSource, Updates } from '../../image/updates.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { takeIn } from './intake.ts';
import { storedUpdate } from './stored.ts';

/** Longest time that a restart without a request waits for the node to be idle (specification 8). */
export const RESTART_HOLD_MS = 900_000;

const TIMES = {
  /** Time from the response to the restart. */
  answerMs: 250,
  /** Time for the running job before a requested restart: as long as a job may wait for its turn. */
  jobMs: 30_000,
  holdMs: RESTART_HOLD_MS,
};
/** Times in milliseconds; tests shorten them. */
export type Times = typeof TIMES;

type Needs = Pick<Node, 'image' | 'bindings' | 'hooks' | 'hold' | 'log' | 'settings'>;
/**
 * When to restart. `now`: after the running job, and no other starts. `quiet`: when idle, and the node works until
 * then.
 */
type When = 'now' | 'quiet';

/** Installs images, reverts and restarts. Methods reject with an ApiError. */
export class Installer implements Updates {
  readonly source = new SyncBailHook<[], UpdateSource | undefined>();
  readonly #node: Needs;
  readonly #times: Times;
  #busy = false;
  /** A system was installed: the machine restarts, and not the node alone. */
  #restartsMachine = false;

  constructor(node: Needs, times: Partial<Times> = {}) {
    this.#node = node;
    this.#times = { ...TIMES, ...times };
  }

  /** Whether an update or a revert is in progress, or its restart is pending. */
  get busy(): boolean {
    return this.#busy;
  }

  get policy(): UpdatePolicy {
    const { enabled, policy } = storedUpdate(this.#node.settings);
    return enabled ? policy : 'off';
  }

  /** Length of the longest image that this machine can take, in bytes. */
  get limitBytes(): number {
    return this.#node.bindings.boot.system === undefined ? MAX_IMAGE_BYTES : MAX_SYSTEM_BYTES;
  }

  /** Throws `ota_busy` if `busy` is true. */
  requireIdle(): void {
    if (this.#busy) throw new ApiError('ota_busy');
  }

  /** Throws `ota_busy` if an update is in progress, or was and is on trial. */
  requireInstallable(): void {
    this.requireIdle();
    if (this.#node.bindings.boot.system?.onTrial()) {
      throw new ApiError('ota_busy', 'the system that runs is new, and not known to be good yet');
    }
  }

  /** The boot slots. Throws `no_launcher` if there are none. */
  requireSlots(): BootSlots {
    const { slots } = this.#node.bindings.boot;
    if (slots === undefined)
      throw new ApiError('no_launcher', 'only a node that was started by launcher.js can install images');
    return slots;
  }

  /** Checks and installs an image. Resolves when it is the next to boot; the restart follows. */
  async install(incoming: IncomingImage, when: When = 'quiet'): Promise<InstalledImage> {
    this.requireInstallable();
    const { image } = this.#node;
    const slots = this.requireSlots();
    return this.#once(when, async (hold) => {
      const onReceived = when === 'now' ? hold : () => {};
      const { system } = this.#node.bindings.boot;
      const { type, version, variant } = await takeIn(incoming, { image, slots, system, onReceived });
      this.#restartsMachine = type === 'system';
      return { version, variant };
    });
  }

  /** Throws `no_launcher` if there are no boot slots, `ota_busy` if an update is in progress. */
  requireRevertible(): void {
    this.requireSlots();
    this.requireIdle();
  }

  /** Whether the factory image is running: it may stand in for the image of a slot, which the next start would boot. */
  get isFactory(): boolean {
    return this.#node.bindings.boot.slot === 'factory';
  }

  /** Resolves when the factory image is the next to boot; the restart follows, unless that image is running. */
  async revert(): Promise<void> {
    this.requireRevertible();
    const slots = this.requireSlots();
    const select = async () => {
      try {
        await slots.revert();
      } catch (error) {
        throw new ApiError('ota_write_failed', messageOf(error));
      }
    };
    if (this.isFactory) return select();
    await this.#once('now', (hold) => {
      hold();
      return select();
    });
  }

  /** Restarts the running image behind the jobs that are under way. Returns the least time until then, in milliseconds. */
  restart(): number {
    this.#node.hold();
    void this.#restart(this.#times.jobMs);
    return this.#times.answerMs;
  }

  /** Does the work, then restarts. `hold`: refuses commands until the restart, or until the work fails. */
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
    await this.#quiet(waitMs);
    const { boot } = this.#node.bindings;
    if (!this.#restartsMachine) return boot.restart();
    await boot.system?.restart().catch((error: unknown) => {
      this.#node.log.error(
        { error: messageOf(error) },
        'the machine does not restart; the system is started at its next start',
      );
      boot.restart();
    });
  }

  /** Waits until the rooms are idle, but not longer than `waitMs` by the monotonic clock, whatever they do. */
  async #quiet(waitMs: number): Promise<void> {
    const over = new AbortController();
    const deadline = delay(waitMs, undefined, { signal: over.signal });
    await Promise.race([this.#node.hooks.quiet.promise(waitMs), deadline]).catch((error: unknown) => {
      this.#node.log.warn({ error: String(error) }, 'a room failed while the node waited to be idle');
    });
    over.abort();
  }
}
