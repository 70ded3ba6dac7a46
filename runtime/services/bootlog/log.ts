/** The stored boot log: written when the node starts and when it is stopped in order, never in between. */
import { randomBytes } from 'node:crypto';
import type { TSchema } from '@sinclair/typebox';
import { defined } from '../../base/defined.ts';
import { messageOf } from '../../base/thrown.ts';
import { createTurns } from '../../base/turns.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { type BootEntry, type CrashSummary, StoredBootlog, StoredCrash } from './contract.ts';
import { crashOf, seenFromOutside } from './crash.ts';
import { crashesIn, MANY, SLIP_SECONDS, slip } from './crashing.ts';

const NAME = 'bootlog';
/** The crash report that a process stores just before it ends; the next start adds it to the log. */
const CRASH = 'bootlog.crash';
const BOOTS = 16;
const EMPTY: StoredBootlog = { boots: [], crash: null };
/** Interval at which a storage that could not be written is tried again. */
const RETRY_MS = 60_000;

/** The log of this run and of the previous ones. */
export class BootLog {
  readonly #node: Node;
  readonly #current: BootEntry;
  #kept = true;
  #retry: NodeJS.Timeout | undefined;
  #telling = false;
  /** Newest first. */
  #log: StoredBootlog = EMPTY;
  /** Changes run one after the other: each starts from the log that the one before it stored. */
  readonly #inTurn = createTurns();

  constructor(node: Node) {
    this.#node = node;
    const { slot, reason } = node.bindings.boot;
    this.#current = {
      bootId: randomBytes(4).toString('hex'),
      slot,
      firmwareVersion: node.image.version,
      reason,
      uptimeSeconds: 0,
      clean: false,
    };
  }

  /**
   * Reads the stored log and crash report, adds this run and begins to store it: nobody who waits for a receipt waits for that.
   * Never rejects: without storage there is no log.
   */
  async begin(): Promise<void> {
    const { boot, storage } = this.#node.bindings;
    const { boots, crash, toldSeconds } = (await this.#load<StoredBootlog>(NAME, StoredBootlog)) ?? EMPTY;
    const words = await this.#load<CrashSummary>(CRASH, StoredCrash);
    const [last, ...older] = boots;
    const before = last?.clean === false ? { ...last, uptimeSeconds: uptimeOf(last, words, boot.previous) } : last;
    this.#log = {
      boots: [this.#current, ...(before ? [before] : []), ...older].slice(0, BOOTS),
      crash: words ?? seenFromOutside(boot, last) ?? crash,
      ...(toldSeconds !== undefined && { toldSeconds: toldSeconds + (before?.uptimeSeconds ?? 0) }),
    };
    void this.#inTurn(async () => {
      await this.#store(this.#log);
      if (words !== undefined) await storage.remove(CRASH);
    }).catch((error: unknown) => {
      this.#node.log.warn({ error: String(error) }, 'the boot log cannot be written');
      this.#kept = false;
      this.#retry = setInterval(() => void this.#again(), RETRY_MS).unref();
    });
  }

  /** The block `boot` of the status. */
  status(): object {
    const { superseded, system } = this.#node.bindings.boot;
    return {
      reason: this.#current.reason,
      crashes: this.#crashes(),
      kept: this.#kept,
      ...(superseded && { superseded: { slot: superseded.slot, firmwareVersion: superseded.version } }),
      ...(system && { system: { slot: system.slot, failed: system.failed } }),
    };
  }

  /** Prints the notice, if it is due and that can be stored. To call when a printer was connected. Never rejects. */
  async tell(): Promise<void> {
    const crashes = this.#crashes();
    const { toldSeconds = SLIP_SECONDS } = this.#log;
    if (crashes < MANY || toldSeconds < SLIP_SECONDS || this.#telling) return;
    this.#telling = true;
    const before = this.#log;
    try {
      await this.#inTurn(async () => {
        const next = { ...this.#log, toldSeconds: 0 };
        await this.#store(next);
        this.#log = next;
      });
      if (await this.#node.hooks.notice.promise(slip(crashes, this.#node.image))) return;
      await this.#inTurn(async () => {
        const { toldSeconds: _, ...rest } = this.#log;
        this.#log = { ...rest, ...defined({ toldSeconds: before.toldSeconds }) };
        await this.#store(this.#log);
      });
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'the notice about crashes was not printed');
    } finally {
      this.#telling = false;
    }
  }

  #crashes(): number {
    return crashesIn(this.view().boots);
  }

  async #again(): Promise<void> {
    await this.#inTurn(() => this.#store(this.#log)).then(
      () => {
        this.#kept = true;
        clearInterval(this.#retry);
      },
      () => {},
    );
  }

  /** Stores that this run was stopped in order. Rejects if it cannot be stored. */
  end(): Promise<void> {
    clearInterval(this.#retry);
    return this.#inTurn(async () => {
      const { boots } = this.#log;
      if (boots[0] !== this.#current) return;
      await this.#store({ ...this.#log, boots: [{ ...this.#running(), clean: true }, ...boots.slice(1)] });
    });
  }

  /** Stores a crash report, synchronously: the process is about to end. Throws if it cannot be stored. */
  crash(thrown: unknown): void {
    const words = crashOf(thrown, this.#current, this.#running().uptimeSeconds);
    this.#node.bindings.storage.writeNow(CRASH, Buffer.from(JSON.stringify(words)));
  }

  /** The runs, newest first, with the uptime of this one as it is now; and the last crash. */
  view(): { readonly boots: BootEntry[]; readonly crash: StoredBootlog['crash'] } {
    const { boots, crash } = this.#log;
    const { off } = this.#node.rooms;
    const running = { ...this.#running(), ...(off.length > 0 && { off: [...off] }) };
    return { boots: boots.map((entry) => (entry === this.#current ? running : entry)), crash };
  }

  /** Deletes the runs or the crash. Rejects with an ApiError: `not_found` if there are none, or `persist_failed`. */
  clear(what: 'boots' | 'crash'): Promise<void> {
    return this.#inTurn(() => this.#clear(what));
  }

  async #clear(what: 'boots' | 'crash'): Promise<void> {
    const { boots, crash } = this.#log;
    if (what === 'boots' ? boots.length === 0 : crash === null) throw new ApiError('not_found', 'nothing is stored');
    const next = { ...this.#log, [what]: EMPTY[what] };
    try {
      await this.#store(next);
    } catch (error) {
      throw new ApiError('persist_failed', messageOf(error));
    }
    this.#log = next;
  }

  #running(): BootEntry {
    return { ...this.#current, uptimeSeconds: Math.floor((performance.now() - this.#node.startedAt) / 1000) };
  }

  /** Reads a stored file; undefined if it is missing, cannot be read, or its schema refuses it. */
  async #load<T>(name: string, schema: TSchema): Promise<T | undefined> {
    try {
      const bytes = await this.#node.bindings.storage.read(name);
      if (bytes === undefined) return undefined;
      const found: unknown = JSON.parse(Buffer.from(bytes).toString());
      return this.#node.contract.fault(schema, found) === undefined ? (found as T) : undefined;
    } catch {
      return undefined;
    }
  }

  #store(log: StoredBootlog): Promise<void> {
    return this.#node.bindings.storage.write(NAME, Buffer.from(JSON.stringify(log)));
  }
}

/** Uptime of a run that was not stopped in order: from its crash report, else from the launcher, else as stored. */
const uptimeOf = (
  { bootId, uptimeSeconds }: BootEntry,
  words: CrashSummary | undefined,
  previous: { readonly uptimeSeconds: number } | undefined,
): number => (words?.bootId === bootId ? words.uptimeSeconds : (previous?.uptimeSeconds ?? uptimeSeconds));
