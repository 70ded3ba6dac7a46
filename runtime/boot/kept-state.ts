/** The boot state in memory and on the disk, also where the disk takes nothing. */
import type { StorageBinding } from '../bindings/bindings.ts';
import { type BootState, readState, writeState } from './state.ts';

export class KeptState {
  readonly #storage: StorageBinding;
  readonly #log: (line: object) => void;
  #now: BootState;
  /** The storage has not taken the state as it is. */
  #unstored = false;

  private constructor(storage: StorageBinding, log: (line: object) => void, now: BootState) {
    this.#storage = storage;
    this.#log = log;
    this.#now = now;
  }

  /** Never rejects. */
  static async open(storage: StorageBinding, log: (line: object) => void): Promise<KeptState> {
    return new KeptState(storage, log, await readState(storage));
  }

  get now(): BootState {
    return this.#now;
  }

  /** Durable when it resolves. What an image asks for again and again is written once. */
  async become(next: BootState): Promise<void> {
    if (!this.#unstored && JSON.stringify(next) === JSON.stringify(this.#now)) return;
    await writeState(this.#storage, next);
    this.#now = next;
    this.#unstored = false;
  }

  /** Where the storage takes nothing, for as long as this process lives: an image is started all the same. */
  async decide(next: BootState): Promise<void> {
    try {
      await this.become(next);
    } catch (error) {
      this.#log({ error: String(error), msg: 'the boot state cannot be written' });
      this.amend(next);
    }
  }

  /** To be written with whatever is written next. */
  amend(next: BootState): void {
    this.#now = next;
    this.#unstored = true;
  }
}
