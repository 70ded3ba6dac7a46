/**
 * Starts the image that is to be booted, and another one when it does not come up. It runs outside the images, is not
 * replaced by an update, and depends on nothing but Node.
 *
 * An image counts as up once it says so (`good`). One on trial has three starts for it, then the slot it came from is
 * booted again. So it is after a new one that ends soon three times in a row, good or not; one that is not new is then
 * set aside for as long as this process lives. When nothing is left, port 80 says so, and all are tried again after a
 * while.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BootReason, BootSlot } from '../bindings/bindings.ts';
import { createStorage } from '../bindings/native/storage.ts';
import { type End, ImageRun, type Patience } from './image.ts';
import type { BootFacts, ToLauncher } from './messages.ts';
import { type Notifier, silent } from './notify.ts';
import { type OutOfOrder, serveOutOfOrder } from './out-of-order.ts';
import { Slots } from './slots.ts';
import {
  type BootState,
  good,
  installed,
  readState,
  reverted,
  rolledBack,
  tried,
  without,
  writeState,
} from './state.ts';

export interface LaunchOptions {
  /** State directory of the node. */
  readonly state: string;
  /** Folder of the factory image. */
  readonly factory: string;
  /** Where the node's HTTP front listens. */
  readonly host: string;
  readonly port: number;
  /** Passed on to the image. */
  readonly args: readonly string[];
  readonly notifier?: Notifier;
  readonly patience?: Partial<LauncherPatience>;
  readonly log?: (line: object) => void;
}

const PATIENCE = {
  goodMs: 60_000,
  aliveMs: 15_000,
  stopMs: 5000,
  /** Before a crashed image is started again, doubled each time it crashes soon, up to the longest. */
  crashMs: 1000,
  longestMs: 30_000,
  /** Before everything is tried again. */
  outOfOrderMs: 60_000,
};
export type LauncherPatience = typeof PATIENCE & Patience;

/** Starts without being good that an image has. */
const MAX_TRIES = 3;
/** A run this long is not part of a row of crashes. */
const LONG_RUN_SECONDS = 60;

export class Launcher {
  readonly #options: LaunchOptions;
  readonly #patience: LauncherPatience;
  readonly #notifier: Notifier;
  readonly #slots: Slots;
  readonly #compiled: string;
  readonly #log: (line: object) => void;
  #state!: BootState;
  /** The storage did not take the state as it is. */
  #unstored = false;
  #storage!: Awaited<ReturnType<typeof createStorage>>;
  /** Starts in a row that ended before they were good, or soon after. */
  readonly #strikes = new Map<BootSlot, number>();
  /** The slot that was installed last, until its image has run for long. */
  #fresh: BootSlot | undefined;
  readonly #crashes = { count: 0 };
  #run: ImageRun | undefined;
  readonly #stop = new AbortController();

  constructor(options: LaunchOptions) {
    this.#options = options;
    this.#patience = { ...PATIENCE, ...options.patience };
    this.#notifier = options.notifier ?? silent;
    this.#slots = new Slots(join(options.state, 'slots'), options.factory);
    this.#compiled = join(options.state, 'compiled');
    this.#log = options.log ?? (() => {});
  }

  /** Resolves after `stop`, when the image has ended. */
  async run(): Promise<void> {
    this.#storage = await createStorage(join(this.#options.state, 'boot'));
    await this.#slots.prepare();
    this.#state = await readState(this.#storage);
    let reason: BootReason = 'power_on';
    let previous: BootFacts['previous'];
    while (!this.#stop.signal.aborted) {
      const primary = this.#state.primary;
      const slot = await this.#choose();
      if (slot === undefined) {
        await this.#outOfOrder(previous?.detail ?? 'no image can be started');
        continue;
      }
      if (slot !== primary) reason = 'rollback';
      const asked = this.#state;
      const end = await this.#boot(slot, reason, previous);
      if (this.#stop.signal.aborted) break;
      previous = { uptimeSeconds: end.uptimeSeconds, detail: end.detail };
      reason = this.#reasonOfNext(asked, end);
      await this.#pause(end);
    }
  }

  /** Ends the image, and then `run`. */
  stop(): void {
    this.#stop.abort();
    this.#run?.stop();
  }

  /** The first slot that may be started: the primary one, its fallback, the factory's. Rolls back a failed trial. */
  async #choose(): Promise<BootSlot | undefined> {
    const unfit = await this.#unfit();
    if (unfit !== undefined) {
      this.#log({ slot: this.#state.primary, fault: unfit, msg: 'rolled back' });
      await this.#decide(rolledBack(this.#state));
    }
    for (const slot of new Set([this.#state.primary, this.#state.fallback, 'factory'] as const)) {
      if (this.#isStruck(slot)) continue;
      const fault = await this.#slots.fault(slot, this.#state);
      if (fault === undefined) return slot;
      this.#log({ slot, fault, msg: 'slot cannot be started' });
    }
    return undefined;
  }

  #isStruck(slot: BootSlot): boolean {
    return (this.#strikes.get(slot) ?? 0) >= MAX_TRIES;
  }

  /** Why the primary image is not to be tried once more, or undefined. Counts the start of one on trial. */
  async #unfit(): Promise<string | undefined> {
    const { primary, tries } = this.#state;
    if (this.#fresh === primary && this.#isStruck(primary)) return `ended soon ${MAX_TRIES} times in a row`;
    if (tries === null) return undefined;
    if (tries >= MAX_TRIES) return `not good in ${MAX_TRIES} starts`;
    return (await this.#slots.fault(primary, this.#state)) ?? (await this.#uncounted());
  }

  /** Counted before it is started: a start that takes the machine down with it counts as well. Why it could not be. */
  async #uncounted(): Promise<string | undefined> {
    try {
      await this.#become(tried(this.#state));
      return undefined;
    } catch (error) {
      return `its start cannot be counted: ${String(error)}`;
    }
  }

  async #boot(slot: BootSlot, reason: BootReason, previous: BootFacts['previous']): Promise<End> {
    const incoming = this.#incoming(slot);
    this.#notifier.starting();
    this.#run = new ImageRun({
      main: join(this.#slots.directory(slot), 'main.js'),
      compiled: this.#compiled,
      args: this.#options.args,
      facts: {
        slot,
        reason,
        ...(previous && { previous }),
        failed: this.#state.failed,
        incoming: this.#slots.directory(incoming),
      },
      patience: this.#patience,
      hear: (message) => this.#hear(message, slot, incoming),
    });
    this.#log({ slot, reason, msg: 'image started' });
    if (this.#stop.signal.aborted) this.#run.stop();
    const end = await this.#run.ended;
    this.#log({ slot, ...end, msg: 'image ended' });
    const isLong = end.uptimeSeconds >= LONG_RUN_SECONDS;
    const hung = end.reason === 'watchdog';
    // Behind the factory image there is no other. What a flood on the network can do to an image is no reason to go back.
    const isSpared = slot === 'factory' || (hung && slot !== this.#fresh);
    const isUp = end.good && (isLong || end.reason === 'restart' || isSpared);
    this.#strikes.set(slot, isUp ? 0 : (this.#strikes.get(slot) ?? 0) + 1);
    if (isLong && end.good && slot === this.#fresh) this.#fresh = undefined;
    return end;
  }

  async #hear(message: ToLauncher, slot: BootSlot, incoming: 'a' | 'b'): Promise<void> {
    switch (message.type) {
      case 'good':
        this.#notifier.ready();
        if (slot === this.#state.primary && this.#state.tries !== null) await this.#become(good(this.#state));
        return;
      case 'alive':
        this.#notifier.alive();
        return;
      case 'clear':
        if (this.#state.tries !== null) throw new Error('the running image has not been found good yet');
        await this.#become(without(this.#state, incoming));
        return;
      case 'install': {
        const { version, manifest } = message;
        const next = installed(this.#state, incoming, { version, manifest }, slot);
        const fault = await this.#slots.fault(incoming, next);
        if (fault !== undefined) throw new Error(fault);
        await this.#become(next);
        this.#strikes.delete(incoming);
        this.#fresh = incoming;
        // That of an image that is no longer started would stay for ever.
        await rm(this.#compiled, { recursive: true, force: true });
        return;
      }
      case 'revert':
        await this.#become(reverted(this.#state));
        this.#strikes.delete('factory');
    }
  }

  /** What an image asks for again and again is written once. */
  async #become(next: BootState): Promise<void> {
    if (!this.#unstored && JSON.stringify(next) === JSON.stringify(this.#state)) return;
    await writeState(this.#storage, next);
    this.#state = next;
    this.#unstored = false;
  }

  /** Where the storage takes nothing, for as long as this process lives: an image is started all the same. */
  async #decide(next: BootState): Promise<void> {
    try {
      await this.#become(next);
    } catch (error) {
      this.#log({ error: String(error), msg: 'the boot state cannot be written' });
      this.#state = next;
      this.#unstored = true;
    }
  }

  /** Where a new image goes: not where the running one is, and not where it would fall back to. */
  #incoming(running: BootSlot): 'a' | 'b' {
    const free = (['a', 'b'] as const).filter((slot) => slot !== running);
    return free.find((slot) => slot !== this.#state.primary && slot !== this.#state.fallback) ?? free[0] ?? 'a';
  }

  #reasonOfNext(asked: BootState, { reason }: End): BootReason {
    if (this.#state.primary === asked.primary && this.#state.tries === null) return reason;
    if (this.#state.tries === 0) return 'update';
    return this.#state.primary === 'factory' && asked.primary !== 'factory' ? 'revert' : reason;
  }

  async #pause({ reason, uptimeSeconds }: End): Promise<void> {
    if (reason === 'restart') return;
    this.#crashes.count = uptimeSeconds < LONG_RUN_SECONDS ? this.#crashes.count + 1 : 1;
    const { crashMs, longestMs } = this.#patience;
    await this.#wait(Math.min(crashMs * 2 ** (this.#crashes.count - 1), longestMs));
  }

  async #outOfOrder(detail: string): Promise<void> {
    this.#log({ detail, msg: 'no image can be started' });
    let server: OutOfOrder | undefined;
    try {
      server = await serveOutOfOrder(this.#options, detail);
    } catch (error) {
      this.#log({ error: String(error), msg: 'the port cannot be served either' });
    }
    await this.#wait(this.#patience.outOfOrderMs);
    await server?.close();
    this.#strikes.clear();
  }

  async #wait(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}
