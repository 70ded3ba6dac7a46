/** Writes a new image to the folder of its boot slot: first the received bytes, then each file, then the manifest. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeAll } from '../../base/durable.ts';
import type { SlotFile, SlotWriter } from '../boot.ts';
import { MANIFEST } from '../boot-messages.ts';

/** Holds the received bytes; no file of an image can have this name. */
const INCOMING = '.incoming';
const COPY_BYTES = 1024 * 1024;

/** Requests the launcher to install the content of the folder. `manifest` is the SHA-256 of the manifest, in hex. */
type Install = (version: string, manifest: string) => Promise<void>;

/** The writer of one slot folder (`SlotWriter`). It is open until `commit` or `discard`. */
export class IncomingSlot implements SlotWriter {
  readonly #directory: string;
  readonly #incoming: FileHandle;
  readonly #install: Install;
  #closed = false;

  private constructor(directory: string, incoming: FileHandle, install: Install) {
    this.#directory = directory;
    this.#incoming = incoming;
    this.#install = install;
  }

  /** Empties the folder and creates the file for the received bytes. Rejects with the error of the file system. */
  static async open(directory: string, install: Install): Promise<IncomingSlot> {
    for (const entry of await readdir(directory)) await rm(join(directory, entry), { recursive: true });
    return new IncomingSlot(directory, await open(join(directory, INCOMING), 'wx+', 0o600), install);
  }

  get closed(): boolean {
    return this.#closed;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await writeAll(this.#incoming, chunk);
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await this.#incoming.read(bytes, 0, length, position);
    return bytes.subarray(0, bytesRead);
  }

  async commit({ version, files }: { readonly version: string; readonly files: readonly SlotFile[] }): Promise<void> {
    for (const file of files) await this.#extract(file);
    const manifest = JSON.stringify({ files: files.map(({ name, size, sha256 }) => ({ name, size, sha256 })) });
    const about = await open(join(this.#directory, MANIFEST), 'wx', 0o600);
    try {
      await writeAll(about, Buffer.from(manifest));
      await about.sync();
    } finally {
      await about.close();
    }
    await this.#close();
    await syncDirectory(this.#directory);
    // The launcher verifies every file again before it stores the slot in its boot state.
    await this.#install(version, createHash('sha256').update(manifest).digest('hex'));
  }

  async discard(): Promise<void> {
    if (!this.#closed) await this.#close();
  }

  async #extract({ name, offset, size }: SlotFile): Promise<void> {
    const target = await open(join(this.#directory, name), 'wx', 0o600);
    try {
      const buffer = Buffer.alloc(Math.min(size, COPY_BYTES));
      for (let done = 0; done < size; ) {
        const { bytesRead } = await this.#incoming.read(buffer, 0, Math.min(buffer.length, size - done), offset + done);
        if (bytesRead === 0) throw new Error('the image is shorter than its manifest says');
        await writeAll(target, buffer.subarray(0, bytesRead));
        done += bytesRead;
      }
      await target.sync();
    } finally {
      await target.close();
    }
  }

  async #close(): Promise<void> {
    this.#closed = true;
    await this.#incoming.close();
    await unlink(join(this.#directory, INCOMING)).catch(() => {});
  }
}
