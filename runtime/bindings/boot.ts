/** How the machine starts, and what it starts next. */

/** A boot slot: two for installed images, one for the image of the package. */
export type BootSlot = 'a' | 'b' | 'factory';

/**
 * Why this run was started. `crash`: the previous run ended by itself; `watchdog`: it made no progress and was killed;
 * `rollback`: the previous image did not work; `revert`: the factory image was requested.
 */
export type BootReason =
  | 'power_on'
  | 'restart'
  | 'update'
  | 'rollback'
  | 'revert'
  | 'crash'
  | 'watchdog'
  | 'out_of_memory';

/** A file of an image, and its position (bytes) in the data that was written. */
export interface SlotFile {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Writes an image into the boot slot that is not running. If it is discarded or fails, that slot is empty. */
export interface SlotWriter {
  /** Appends. Rejects if the disk is full. The buffer must not be changed before it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Reads written bytes back from the disk. */
  read(position: number, length: number): Promise<Uint8Array>;
  /**
   * Stores these files as the content of the slot, durably, after checking each digest again; then makes the slot the
   * one to boot next, on trial. Until that last step the boot state is unchanged.
   */
  commit(image: { readonly version: string; readonly files: readonly SlotFile[] }): Promise<void>;
  /** Deletes what was written. Does nothing after `commit` or when called again. */
  discard(): Promise<void>;
}

/** The boot slots on the disk, managed by the launcher. */
export interface BootSlots {
  /** Opens a writer. Rejects while another one is open. */
  begin(): Promise<SlotWriter>;
  /**
   * Makes the factory image the one that the next start boots, until an image is installed. The running image goes on
   * and the slots keep their content. Durable when it resolves; rejects if it cannot be stored.
   */
  revert(): Promise<void>;
  /** Versions that were rolled back: not to be installed again automatically. */
  readonly failed: readonly string[];
}

/** The two systems (kernel and root) on a disk, of which one runs (runtime/disk). */
export interface SystemSlots {
  /** The one that runs. */
  readonly slot: 'a' | 'b';
  /** Whether the one that runs is on trial: until it is good, the other one is the way back, and must stay. */
  onTrial(): boolean;
  /** Opens a writer for the system that does not run, which can no longer be started then. Rejects while another is open. */
  begin(options: { readonly anyVariant: boolean }): Promise<SlotWriter>;
  /** Starts the machine anew, with the system that was installed; it returns to this one if that is no good. */
  restart(): Promise<void>;
  /** Versions that were tried and were no good: not to be installed again automatically. */
  readonly failed: readonly string[];
}

/** The connection to the launcher, which started this run and starts the next. */
export interface BootBinding {
  /** The boot slot of the running image. */
  readonly slot: BootSlot;
  readonly reason: BootReason;
  /** The image is new, and has not been found good yet. */
  readonly onTrial?: true;
  /** How the previous run ended, if the launcher observed it. */
  readonly previous?: { readonly uptimeSeconds: number; readonly detail: string };
  /** The image that was booted before, if this is a newer factory image that came with an update of the package. */
  readonly superseded?: { readonly slot: BootSlot; readonly version: string };
  /** Absent if the image was started without a launcher: it cannot be updated then. */
  readonly slots?: BootSlots;
  /** Present on a disk that was made of an image of ours. */
  readonly system?: SystemSlots;
  /**
   * To call when all rooms have started. `works` is then called at once and every 2 seconds. The first true marks the
   * image as good. Without one within 60 seconds of the start, or later for 15 seconds, the launcher kills the image
   * and starts it again or rolls it back. Does nothing without a launcher.
   */
  markGood(works: () => Promise<boolean>): void;
  /** Stops the node in order and starts the image that is to be booted next. Returns at once. */
  restart(): void;
}
