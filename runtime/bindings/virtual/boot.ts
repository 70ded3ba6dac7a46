/** The boot binding without a launcher process, for tests: records what was requested and what would boot next. */
import { createHash } from 'node:crypto';
import type { BootBinding, BootReason, BootSlot, BootSlots, SlotFile, SlotWriter } from '../boot.ts';

/** An image that was committed to the slot. */
export interface VirtualImage {
  readonly version: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The operations of slots and writer, for `before`. */
export type SlotStep = 'begin' | 'write' | 'read' | 'commit' | 'revert';

/** How this run started: by default from slot `a` after power-on, under a launcher. */
export interface VirtualBootOptions {
  readonly slot?: BootSlot;
  readonly reason?: BootReason;
  readonly onTrial?: true;
  readonly previous?: NonNullable<BootBinding['previous']>;
  readonly superseded?: NonNullable<BootBinding['superseded']>;
  /** False: started without a launcher, so `slots` is absent. */
  readonly launched?: boolean;
}

/** A boot binding in memory. `good`: markGood was called; `restarts`: number of restarts requested. */
export class VirtualBoot implements BootBinding {
  readonly slot: BootSlot;
  readonly reason: BootReason;
  readonly onTrial?: true;
  readonly previous?: NonNullable<BootBinding['previous']>;
  readonly superseded?: NonNullable<BootBinding['superseded']>;
  readonly slots?: VirtualSlots;
  good = false;
  restarts = 0;

  constructor({
    slot = 'a',
    reason = 'power_on',
    onTrial,
    previous,
    superseded,
    launched = true,
  }: VirtualBootOptions = {}) {
    this.slot = slot;
    this.reason = reason;
    if (onTrial !== undefined) this.onTrial = onTrial;
    if (previous !== undefined) this.previous = previous;
    if (superseded !== undefined) this.superseded = superseded;
    if (launched) this.slots = new VirtualSlots();
  }

  markGood(): void {
    this.good = true;
  }

  restart(): void {
    this.restarts += 1;
  }
}

/** Boot slots in memory. A commit checks the digests of the files, as the native one does. */
export class VirtualSlots implements BootSlots {
  readonly failed: string[] = [];
  /** What would boot next; undefined if that is the running image. */
  next: VirtualImage | 'factory' | undefined;
  /** Number of bytes written to the last writer. */
  written = 0;
  /**
   * Called before every operation, which waits for it. If it throws or rejects, the operation fails with that error.
   */
  before: ((step: SlotStep) => Promise<void> | void) | undefined;
  #open: VirtualWriter | undefined;

  /** Whether a writer is open. */
  get writing(): boolean {
    return this.#open?.closed === false;
  }

  async begin(): Promise<SlotWriter> {
    if (this.writing) throw new Error('the slot is being written');
    await this.step('begin');
    this.written = 0;
    this.#open = new VirtualWriter(this);
    return this.#open;
  }

  async revert(): Promise<void> {
    await this.step('revert');
    this.next = 'factory';
  }

  /** Calls `before`. */
  async step(step: SlotStep): Promise<void> {
    await this.before?.(step);
  }
}

class VirtualWriter implements SlotWriter {
  closed = false;
  readonly #slots: VirtualSlots;
  readonly #chunks: Uint8Array[] = [];

  constructor(slots: VirtualSlots) {
    this.#slots = slots;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#slots.step('write');
    this.#slots.written += chunk.length;
    this.#chunks.push(chunk.slice());
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    await this.#slots.step('read');
    return Buffer.concat(this.#chunks).subarray(position, position + length);
  }

  async commit({ version, files }: { readonly version: string; readonly files: readonly SlotFile[] }): Promise<void> {
    await this.#slots.step('commit');
    const bytes = Buffer.concat(this.#chunks);
    const content = files.map(({ name, offset, size, sha256 }): [string, Uint8Array] => {
      const file = bytes.subarray(offset, offset + size);
      if (createHash('sha256').update(file).digest('hex') !== sha256) throw new Error(`${name} was changed`);
      return [name, file];
    });
    this.#slots.next = { version, files: new Map(content) };
    this.closed = true;
  }

  async discard(): Promise<void> {
    this.closed = true;
  }
}
