/** What an image comes from and goes to: the types between the room that installs images and those that bring them. */
import type { SyncBailHook } from 'tapable';

/** An image that is being received, from any source. */
export interface IncomingImage {
  /** In bytes. */
  readonly length: number;
  /** Expected SHA-256: 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Accept an image of another variant, too. */
  readonly anyVariant: boolean;
  /** Expected version; absent: any. */
  readonly version?: string;
  /** Throws where the image must not be installed any more; asked before it is made the next to boot. Absent: it may. */
  readonly admitted?: () => void;
  /** The bytes. Throws or ends early if the transfer fails. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Version and variant of an image, from its metadata. */
export interface InstalledImage {
  readonly version: string;
  readonly variant: string;
}

export interface LookOptions {
  readonly apply: boolean;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** A server that offers newer images. */
export interface UpdateSource {
  /** Checks for a newer image, and installs it if `apply`. Resolves with its version, or undefined if there is none. */
  look(options: LookOptions): Promise<string | undefined>;
}

/** What to do about a newer image unasked: nothing, tell it, install it. */
export type UpdatePolicy = 'off' | 'check' | 'auto';

/** What the update room offers to those that bring images. */
export interface Updates {
  /** A newer image is asked for. Return the source of images, or undefined if none is configured. */
  readonly source: SyncBailHook<[], UpdateSource | undefined>;
  /** As the owner of the node set it; `off` also while updates are disabled. */
  readonly policy: UpdatePolicy;
  /**
   * Installs an image; the node restarts when no work is in progress. Rejects with the ApiError of what is wrong with
   * it.
   */
  install(image: IncomingImage): Promise<InstalledImage>;
}

declare module '../kernel/registry.ts' {
  interface Offers {
    update: Updates;
  }
}
