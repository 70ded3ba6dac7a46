/** What launcher and image say to each other over the channel of child_process.fork(). */
import type { BootReason, BootSlot } from '../bindings/bindings.ts';

/** Environment variable that holds the BootFacts as JSON. */
export const BOOT_FACTS = 'TILLNODE_BOOT';
/** Exit code of an image that wants to be started again (EX_TEMPFAIL of sysexits.h). */
export const RESTART_EXIT_CODE = 75;
/** Interval of the message `alive`, which an image sends while it makes progress. */
export const ALIVE_INTERVAL_MS = 2000;

/** What an image is told when it is started. */
export interface BootFacts {
  readonly slot: BootSlot;
  readonly reason: BootReason;
  readonly previous?: { readonly uptimeSeconds: number; readonly detail: string };
  /** Versions that were rolled back. */
  readonly failed: readonly string[];
  /** Folder of the slot that a new image goes to. */
  readonly incoming: string;
  /** Process id of the launcher. */
  readonly launcher: number;
  /** What the factory image, which runs, is newer than. */
  readonly superseded?: { readonly slot: BootSlot; readonly version: string };
}

export type ToLauncher =
  /** It serves and its rooms are up. */
  | { readonly type: 'good' }
  /** Its event loop turns in time, and a request to its front gets through to the answer. */
  | { readonly type: 'alive' }
  /** The incoming slot is about to be written: forget what was in it. */
  | { readonly type: 'clear'; readonly id: number }
  /** The incoming slot holds a whole image whose manifest has this SHA-256: boot it next, on trial. */
  | { readonly type: 'install'; readonly id: number; readonly version: string; readonly manifest: string }
  /** Boot the factory image next. */
  | { readonly type: 'revert'; readonly id: number };

/** The answer to a message with an id, once it is durable. */
export interface FromLauncher {
  readonly type: 'done';
  readonly id: number;
  readonly error?: string;
}

/** Name of the manifest in a slot's folder; no file of an image can have it. */
export const MANIFEST = '.manifest';
