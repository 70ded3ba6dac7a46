/** The boot log on the storage: written once when the node starts and once when it ends in order, never in between. */
import { randomBytes } from 'node:crypto';
import type { TSchema } from '@sinclair/typebox';
import { ApiError } from '../../kernel/errors.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createTurns } from '../../turns.ts';
import { type BootEntry, type CrashSummary, StoredBootlog, StoredCrash } from './contract.ts';
import { crashOf, seenFromOutside } from './crash.ts';

const NAME = 'bootlog';
/** Last words, written by a process that ends; the next start takes them into the log. */
const CRASH = 'bootlog.crash';
const BOOTS = 16;
const EMPTY: StoredBootlog = { boots: [], crash: null };

type Node = Pick<Kernel, 'bindings' | 'contract' | 'image' | 'log' | 'startedAt'>;

export class BootLog {
  readonly #node: Node;
  readonly #current: BootEntry;
  /** Newest first. */
  #log: StoredBootlog = EMPTY;
  /** One writer: what is stored is made of the log as the write before it left it. */
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

  /** Takes up what the run before left, and writes this run down. A storage that fails costs the log, not the start. */
  async begin(): Promise<void> {
    const { boot, storage } = this.#node.bindings;
    const { boots, crash } = (await this.#load<StoredBootlog>(NAME, StoredBootlog)) ?? EMPTY;
    const words = await this.#load<CrashSummary>(CRASH, StoredCrash);
    const [last, ...older] = boots;
    const before = last?.clean === false ? { ...last, uptimeSeconds: uptimeOf(last, words, boot.previous) } : last;
    this.#log = {
      boots: [this.#current, ...(before ? [before] : []), ...older].slice(0, BOOTS),
      crash: words ?? seenFromOutside(boot, last) ?? crash,
    };
    try {
      await this.#store(this.#log);
      if (words !== undefined) await storage.remove(CRASH);
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'the boot log cannot be written');
    }
  }

  /** This run ends in order. */
  end(): Promise<void> {
    return this.#inTurn(async () => {
      const { boots, crash } = this.#log;
      if (boots[0] !== this.#current) return;
      await this.#store({ boots: [{ ...this.#running(), clean: true }, ...boots.slice(1)], crash });
    });
  }

  /** This run ends now. */
  crash(thrown: unknown): void {
    const words = crashOf(thrown, this.#current, this.#running().uptimeSeconds);
    this.#node.bindings.storage.writeNow(CRASH, Buffer.from(JSON.stringify(words)));
  }

  view(): StoredBootlog {
    const { boots, crash } = this.#log;
    return { boots: boots.map((entry) => (entry === this.#current ? this.#running() : entry)), crash };
  }

  /** Throws `not_found` where nothing is stored, `persist_failed` where it cannot be taken away. */
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
      throw new ApiError('persist_failed', error instanceof Error ? error.message : String(error));
    }
    this.#log = next;
  }

  #running(): BootEntry {
    return { ...this.#current, uptimeSeconds: Math.floor((performance.now() - this.#node.startedAt) / 1000) };
  }

  /** Undefined for what is missing, cannot be read, or is not what this room would have written. */
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

/** Of a run that was not ended in order: as it said itself, as its launcher saw it, or what is known otherwise. */
const uptimeOf = (
  { bootId, uptimeSeconds }: BootEntry,
  words: CrashSummary | undefined,
  previous: { readonly uptimeSeconds: number } | undefined,
): number => (words?.bootId === bootId ? words.uptimeSeconds : (previous?.uptimeSeconds ?? uptimeSeconds));
