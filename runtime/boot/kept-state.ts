/** The boot state in memory and on the disk; in memory only if the disk cannot be written. */
import type { StorageBinding } from '../bindings/storage.ts';
import { type BootState, readState, writeState } from './state.ts';

/** Holds the current boot state of a launcher, and writes its changes. */
export class KeptState {
  readonly #storage: StorageBinding;
  readonly #log: (line: object) => void;
  #now: BootState;
  /** The stored state as JSON. */
  #stored: string;

  private constructor(storage: StorageBinding, log: (line: object) => void, now: BootState) {
    this.#storage = storage;
    this.#log = log;
    this.#now = now;
    this.#stored = JSON.stringify(now);
  }

  /** Reads the stored state; never rejects. */
  static async open(storage: StorageBinding, log: (line: object) => void): Promise<KeptState> {
    return new KeptState(storage, log, await readState(storage));
  }

  get now(): BootState {
    return this.#now;
  }

  /** Changes the state, durably; what is stored already is not written again. Rejects if it cannot be stored. */
  async become(next: BootState): Promise<void> {
    const json = JSON.stringify(next);
    if (json !== this.#stored) await writeState(this.#storage, next);
    this.#now = next;
    this.#stored = json;
  }

  /** As `become`, but if it cannot be stored the change holds for this process only: an image can be started anyway. */
  async decide(next: BootState): Promise<void> {
    try {
      await this.become(next);
    } catch (error) {
      this.#log({ error: String(error), msg: 'the boot state cannot be written' });
      this.amend(next);
    }
  }

  /** Changes the state in memory; it is stored with the next change. */
  amend(next: BootState): void {
    this.#now = next;
  }
}
