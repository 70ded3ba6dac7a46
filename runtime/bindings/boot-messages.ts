/** The messages between launcher and image on the IPC channel of child_process.fork(). */
import type { BootReason, BootSlot } from './boot.ts';

/** Environment variable that holds the BootFacts as JSON. */
export const BOOT_FACTS = 'TILLNODE_BOOT';
/** Exit code of an image that wants to be started again (EX_TEMPFAIL of sysexits.h). */
export const RESTART_EXIT_CODE = 75;
/** Interval of the message `alive`, which an image sends while it makes progress. */
export const ALIVE_INTERVAL_MS = 2000;

/** What an image gets from the launcher when it is started; the fields are those of BootBinding and BootSlots. */
export interface BootFacts {
  readonly slot: BootSlot;
  readonly reason: BootReason;
  readonly previous?: { readonly uptimeSeconds: number; readonly detail: string };
  /** Set where it is new, and has not been found good yet. */
  readonly onTrial?: true;
  /** Versions that were rolled back. */
  readonly failed: readonly string[];
  /** Folder of the slot that a new image is written to. */
  readonly incoming: string;
  /** Process id of the launcher. */
  readonly launcher: number;
  /** The image that the running factory image replaced, because the package has a newer one. */
  readonly superseded?: { readonly slot: BootSlot; readonly version: string };
}

/** A message from the image. One with an id is a request, which gets a response. */
export type ToLauncher =
  /** All rooms have started, and a request to its HTTP front was answered. */
  | { readonly type: 'good' }
  /** The event loop is not delayed, and a request to the HTTP front was answered. */
  | { readonly type: 'alive' }
  /** The incoming slot is about to be written: forget what was in it. */
  | { readonly type: 'clear'; readonly id: number }
  /** The incoming slot holds a whole image whose manifest has this SHA-256: boot it next, on trial. */
  | { readonly type: 'install'; readonly id: number; readonly version: string; readonly manifest: string }
  /** Boot the factory image next. */
  | { readonly type: 'revert'; readonly id: number };

/** The response to a request, after the change is durable; `error` says why it failed. */
export interface FromLauncher {
  readonly type: 'done';
  readonly id: number;
  readonly error?: string;
}

/** Name of the manifest in a slot's folder; no file of an image can have it. */
export const MANIFEST = '.manifest';
