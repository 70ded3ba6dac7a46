/** What the node keeps over restarts. */

/**
 * Durable named blobs; names are [a-z0-9.-]{1,64}. Every implementation guarantees:
 * - `write` resolves when the new content survives a power cut; if it rejects, the old content is kept;
 * - `read` resolves with undefined for a name that was never written;
 * - a name never has partial content.
 */
export interface StorageBinding {
  read(name: string): Promise<Uint8Array | undefined>;
  write(name: string, content: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Adds bytes to the end, durably; a crash may leave a part of them. Where it rejects, the end is as it was, as far as the
   * file system lets it.
   */
  append(name: string, content: Uint8Array): Promise<void>;
  /** As `append`, but for a power cut: it resolves when the content survives the process, as long as `machineRun` is the same. */
  note(name: string, content: Uint8Array): Promise<void>;
  /** Another text after each start of the machine; undefined where that is not known. */
  readonly machineRun: string | undefined;
  /** Writes synchronously, before all queued writes: for a process that is about to end. Throws if it fails. */
  writeNow(name: string, content: Uint8Array): void;
}
