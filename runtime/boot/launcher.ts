/**
 * Starts the image that is to be booted, supervises it, and starts another one if it fails. It is not part of an image,
 * is not replaced by an update, and depends on nothing but Node.
 *
 * An image has started successfully once it sends `good`, and is on trial until it has run for an hour and then a day.
 * An image on trial that does not become good, ends early three times in a row, or crashes too often is rolled back to
 * the slot it was installed from. An image that is not on trial and fails is not used until the launcher restarts. If
 * no image is left, port 80 responds `no_image`, and all are tried again after a minute.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '../base/backoff.ts';
import { defined } from '../base/defined.ts';
import { collector } from '../base/garbage.ts';
import type { BootReason, BootSlot } from '../bindings/boot.ts';
import type { BootFacts, ToLauncher } from '../bindings/boot-messages.ts';
import { createStorage, nowhere } from '../bindings/native/storage.ts';
import type { StorageBinding } from '../bindings/storage.ts';
import { isNewer } from '../image/version.ts';
import { KeptState } from './kept-state.ts';
import { LastRun } from './last-run.ts';
import { type LauncherPatience, MAX_CRASHES, MAX_TRIES, MAX_UNSEEN, PATIENCE } from './limits.ts';
import { type Notifier, silent } from './notify.ts';
import { type OutOfOrder, serveOutOfOrder } from './out-of-order.ts';
import { firstTaken, holderOf } from './port.ts';
import { type End, ImageRun } from './run.ts';
import { Slots } from './slots.ts';
import {
  type BootState,
  failedOnce,
  good,
  installed,
  type Probation,
  ran,
  restored,
  reverted,
  rolledBack,
  superseded,
  tried,
  untried,
  without,
} from './state.ts';

/** What a launcher is started with. */
export interface LaunchOptions {
  /** State directory of the node. */
  readonly state: string;
  /** Folder of the factory image. */
  readonly factory: string;
  /** Where the node's HTTP front listens. */
  readonly host: string;
  readonly port: number;
  /** Further ports that an image listens on: the launcher waits until they are free too. */
  readonly alsoPorts?: readonly number[];
  /** Passed on to the image. */
  readonly args: readonly string[];
  readonly notifier?: Notifier;
  readonly patience?: Partial<LauncherPatience>;
  readonly log?: (line: object) => void;
}

/** Interval of log entries about a port that is still taken. */
const TAKEN_LOG_MS = 60_000;
const NOTHING_KEPT = 'nothing can be kept in the state folder';

/** Runs one image after the other. `run` starts it, `stop` ends it. */
export class Launcher {
  readonly #options: LaunchOptions;
  readonly #patience: LauncherPatience;
  readonly #notifier: Notifier;
  readonly #slots: Slots;
  #slotsPrepared: Promise<void> | undefined;
  readonly #log: (line: object) => void;
  #kept!: KeptState;
  readonly #lastRun: LastRun;
  /** Starts in a row that ended before they were good, or soon after. */
  readonly #strikes = new Map<BootSlot, number>();
  readonly #crashes = { count: 0 };
  #run: ImageRun | undefined;
  /** How much of the run is in the state already. */
  #notedMs = 0;
  readonly #stop = new AbortController();

  constructor(options: LaunchOptions) {
    this.#options = options;
    this.#patience = { ...PATIENCE, ...options.patience };
    this.#notifier = options.notifier ?? silent;
    this.#slots = new Slots(join(options.state, 'slots'), options.factory);
    this.#lastRun = new LastRun(join(options.state, 'boot', 'last-run'));
    this.#log = options.log ?? (() => {});
  }

  /** Resolves after `stop`, when the image has ended. */
  async run(): Promise<void> {
    await this.#open();
    await this.#lastRun.over(this.#slots.root, this.#patience.stopMs);
    // Whoever ended the launcher ended its image as well.
    if (this.#lastRun.isBlameless) this.#kept.amend(untried(this.#kept.now));
    let reason: BootReason = this.#lastRun.hasBeen ? 'restart' : 'power_on';
    if (await this.#isSuperseded()) reason = 'update';
    else await this.#restore();
    let previous: BootFacts['previous'];
    while (!this.#stop.signal.aborted) {
      await this.#portsFree();
      const primary = this.#kept.now.primary;
      const slot = await this.#choose();
      if (this.#stop.signal.aborted) break;
      if (slot === undefined) {
        await this.#outOfOrder(previous?.detail ?? 'no image can be started');
        continue;
      }
      if (slot !== primary || this.#kept.now.isRollbackUntold) reason = 'rollback';
      const asked = this.#kept.now;
      const end = await this.#boot(slot, reason, previous);
      await this.#judge(slot, asked, end);
      if (this.#stop.signal.aborted) break;
      previous = { uptimeSeconds: Math.round(end.uptimeMs / 1000), detail: end.detail };
      reason = this.#reasonOfNext(asked, end);
      await this.#pause(slot, end);
    }
  }

  /** A folder that takes nothing, or gives nothing, is no reason not to print: then the factory image is booted. */
  async #open(): Promise<void> {
    let storage: StorageBinding | undefined;
    try {
      storage = await createStorage(join(this.#options.state, 'boot'));
    } catch (error) {
      this.#log({ error: String(error), msg: NOTHING_KEPT });
      storage = nowhere(error);
    }
    this.#kept = await KeptState.open(storage, this.#log);
  }

  /** Once, before an image in a slot is started, or one is written to; the factory image does not wait for it. */
  #prepareSlots(): Promise<void> {
    this.#slotsPrepared ??= this.#slots.prepare().catch((error: unknown) => {
      this.#log({ error: String(error), msg: NOTHING_KEPT });
    });
    return this.#slotsPrepared;
  }

  /** The package was replaced since the image in the slot was installed, and by one that is not older. */
  async #isSuperseded(): Promise<boolean> {
    const { primary, slots } = this.#kept.now;
    const image = primary === 'factory' ? undefined : slots[primary];
    if (image?.factory === undefined) return false;
    const factory = await this.#slots.factory();
    if (factory === undefined || factory.digest === image.factory || isNewer(image.version, factory.version))
      return false;
    this.#log({ slot: primary, version: image.version, factory: factory.version, msg: 'the factory image is newer' });
    await this.#kept.decide(superseded(this.#kept.now));
    return true;
  }

  /** The factory image is no longer the one for which the image in a slot was put aside, but that of before. */
  async #restore(): Promise<void> {
    const { primary, superseded: over, slots } = this.#kept.now;
    const image = over && slots[over.slot];
    if (primary !== 'factory' || over === undefined || image?.version !== over.version) return;
    const factory = await this.#slots.factory();
    if (factory === undefined || factory.digest !== image.factory) return;
    this.#log({ slot: over.slot, version: over.version, msg: 'the factory image is the one before again' });
    await this.#kept.decide(restored(this.#kept.now));
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
      this.#log({ slot: this.#kept.now.primary, fault: unfit, msg: 'rolled back' });
      await this.#kept.decide(rolledBack(this.#kept.now));
    }
    for (const slot of new Set([this.#kept.now.primary, this.#kept.now.fallback, 'factory'] as const)) {
      if (this.#isStruck(slot)) continue;
      const fault = await this.#slots.fault(slot, this.#kept.now);
      if (fault === undefined) return slot;
      this.#log({ slot, fault, msg: 'slot cannot be started' });
    }
    return undefined;
  }

  #isStruck(slot: BootSlot): boolean {
    return (this.#strikes.get(slot) ?? 0) >= MAX_TRIES;
  }

  /** An image that cannot listen is not at fault; neither is starting it again of any use. */
  async #portsFree(): Promise<void> {
    let saidAt = Number.NEGATIVE_INFINITY;
    for (let port = await this.#taken(); port !== undefined; port = await this.#taken()) {
      if (performance.now() - saidAt >= TAKEN_LOG_MS) {
        saidAt = performance.now();
        this.#log({ port, holder: holderOf(port), msg: 'another program has the port; waiting for it' });
        this.#notifier.starting();
      }
      await this.#wait(this.#patience.portMs);
      if (this.#stop.signal.aborted) return;
    }
  }

  #taken(): Promise<number | undefined> {
    const { host, port, alsoPorts = [] } = this.#options;
    return firstTaken(host, [port, ...alsoPorts]);
  }

  /**
   * Why the primary image is not to be tried once more, or undefined. Counts the start of one that was not good yet.
   */
  async #unfit(): Promise<string | undefined> {
    const { primary, trial } = this.#kept.now;
    if (trial === null) return undefined;
    const spent = this.#spent();
    if (spent !== undefined || trial.good) return spent;
    return (await this.#slots.fault(primary, this.#kept.now)) ?? (await this.#uncounted());
  }

  /** Why the primary image, which is new, has had all the starts it gets, or undefined. */
  #spent(): string | undefined {
    const { primary, trial } = this.#kept.now;
    if (trial === null) return undefined;
    if (this.#isStruck(primary)) return `ended soon ${MAX_TRIES} times in a row`;
    if (trial.crashes >= MAX_CRASHES) return `crashed ${MAX_CRASHES} times`;
    if (trial.good) return undefined;
    if (trial.failures >= MAX_TRIES) return `not good in ${MAX_TRIES} starts`;
    if (trial.starts - trial.failures < MAX_UNSEEN) return undefined;
    return `not good in ${MAX_UNSEEN} starts that were lost with the machine`;
  }

  /** Counted before it is started: a start that takes the machine down with it counts as well. Why it could not be. */
  async #uncounted(): Promise<string | undefined> {
    try {
      await this.#kept.become(tried(this.#kept.now));
      return undefined;
    } catch (error) {
      return `its start cannot be counted: ${String(error)}`;
    }
  }

  async #boot(slot: BootSlot, reason: BootReason, previous: BootFacts['previous']): Promise<End> {
    const incoming = this.#incoming(slot);
    if (slot !== 'factory') await this.#prepareSlots();
    this.#run = new ImageRun({
      main: await this.#slots.main(slot),
      args: this.#options.args,
      facts: {
        slot,
        reason,
        ...(slot === this.#kept.now.primary && this.#kept.now.trial?.good === false && { onTrial: true }),
        ...(previous && { previous }),
        failed: this.#kept.now.failed,
        incoming: this.#slots.directory(incoming),
        launcher: process.pid,
        ...(slot === 'factory' && this.#kept.now.superseded && { superseded: this.#kept.now.superseded }),
      },
      patience: this.#patience,
      hear: (message) => this.#hear(message, slot, incoming),
    });
    this.#lastRun.note(this.#run.pid);
    this.#log({ slot, reason, msg: 'image started' });
    this.#notifier.starting();
    void this.#prepareSlots();
    if (this.#stop.signal.aborted) this.#run.stop();
    this.#notedMs = 0;
    const noting = setInterval(() => void this.#note(slot, false), this.#patience.noteMs);
    const end = await this.#run.ended;
    clearInterval(noting);
    this.#log({ slot, ...end, msg: 'image ended' });
    return end;
  }

  /** What this end says of the image. */
  async #judge(slot: BootSlot, asked: BootState, end: End): Promise<void> {
    const isNew = asked.trial !== null && slot === asked.primary && slot === this.#kept.now.primary;
    const isFault = end.cause === 'image' && !(await this.#couldNotListen(end));
    if (isNew && this.#kept.now.trial?.good === false && !this.#stop.signal.aborted) {
      // Written with the next start, which is counted anyway.
      if (isFault) this.#kept.amend(failedOnce(this.#kept.now));
      else if (end.cause !== 'asked') this.#kept.amend(untried(this.#kept.now));
    } else if (isNew) await this.#note(slot, isFault && end.reason !== 'restart');
    if (end.cause === 'outside' || (end.cause === 'image' && !isFault)) return;
    // Behind the factory image there is no other. What a flood on the network can do to an image is no reason to go
    // back.
    const isSpared = slot === 'factory' || (end.reason === 'watchdog' && !isNew);
    const isUp = end.good && (end.uptimeMs >= this.#patience.longRunMs || end.cause === 'asked' || isSpared);
    this.#strikes.set(slot, isUp ? 0 : (this.#strikes.get(slot) ?? 0) + 1);
  }

  /** Another program took the port between the look at it and the start. */
  async #couldNotListen({ good: wasGood, reason }: End): Promise<boolean> {
    return !wasGood && reason === 'crash' && (await this.#taken()) !== undefined;
  }

  /** A new image has run on, since this was said last. */
  async #note(slot: BootSlot, crashed: boolean): Promise<void> {
    if (slot !== this.#kept.now.primary || this.#kept.now.trial?.good !== true || this.#run === undefined) return;
    const { uptimeMs } = this.#run;
    const { firstMs, thenMs } = this.#patience;
    const probation: Probation = { firstMs, thenMs, crashes: MAX_CRASHES };
    const next = ran(this.#kept.now, uptimeMs - this.#notedMs, crashed, probation);
    this.#notedMs = uptimeMs;
    await this.#kept.decide(next);
  }

  async #hear(message: ToLauncher, slot: BootSlot, incoming: 'a' | 'b'): Promise<void> {
    switch (message.type) {
      case 'good':
        this.#notifier.ready();
        setTimeout(() => collector()(), this.#patience.collectMs).unref();
        if (slot === this.#kept.now.primary) await this.#kept.decide(good(this.#kept.now));
        return;
      case 'alive':
        this.#notifier.alive();
        return;
      case 'clear':
        if (this.#kept.now.trial?.good === false) throw new Error('the running image has not been found good yet');
        await this.#prepareSlots();
        await this.#kept.become(without(this.#kept.now, incoming));
        return;
      case 'install': {
        const { version, manifest } = message;
        const factory = (await this.#slots.factory())?.digest;
        const image = { version, manifest, ...defined({ factory }) };
        const next = installed(this.#kept.now, incoming, image, slot);
        const fault = await this.#slots.fault(incoming, next);
        if (fault !== undefined) throw new Error(fault);
        await this.#kept.become(next);
        this.#strikes.delete(incoming);
        return;
      }
      case 'revert':
        await this.#kept.become(reverted(this.#kept.now));
        this.#strikes.delete('factory');
    }
  }

  /** Where a new image goes: not where the running one is, and not where it would fall back to. */
  #incoming(running: BootSlot): 'a' | 'b' {
    const { primary, fallback } = this.#kept.now;
    const free = (['a', 'b'] as const).filter((slot) => slot !== running);
    const unused = free.find((slot) => slot !== primary && slot !== fallback);
    return unused ?? free.find((slot) => slot !== fallback) ?? free[0] ?? 'a';
  }

  #reasonOfNext(asked: BootState, { reason }: End): BootReason {
    if (this.#kept.now.primary === asked.primary && this.#kept.now.trial?.starts !== 0) return reason;
    if (this.#kept.now.trial?.starts === 0) return 'update';
    return this.#kept.now.primary === 'factory' && asked.primary !== 'factory' ? 'revert' : reason;
  }

  async #pause(slot: BootSlot, { cause, uptimeMs }: End): Promise<void> {
    if (cause === 'asked') return;
    // What is started next is another image, and has done nothing yet that it should wait for.
    if (this.#isStruck(slot) || (slot === this.#kept.now.primary && this.#spent() !== undefined)) {
      this.#crashes.count = 0;
      return;
    }
    const isLong = uptimeMs >= this.#patience.longRunMs;
    this.#crashes.count = isLong || cause === 'outside' ? 1 : this.#crashes.count + 1;
    const { crashMs, longestMs } = this.#patience;
    await this.#wait(backoff(this.#crashes.count, crashMs, longestMs));
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
