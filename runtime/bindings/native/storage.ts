/**
 * Durable blobs as files of one directory. A write goes to a temporary file beside its target, is synced, renamed over
 * the target, and the directory is synced: only then does the name, too, survive a power cut (fsync(2)).
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { type FileHandle, link, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createTurns } from '../../kernel/turns.ts';
import type { StorageBinding } from '../bindings.ts';
import { makeDirectory, syncDirectory, writeAll } from './durable.ts';

/** Largest file that is read back. */
const READ_LIMIT_BYTES = 1024 * 1024;
const NAME = /^(?!\.{1,2}$)[a-z0-9.-]{1,64}$/;
/** Temporary files carry a character no name can have, so that a crash's leftovers are told from content. */
const LEFTOVER = /^[a-z0-9.-]{1,64}~[a-z0-9.]+$/;

/** Makes the directory (mode 0700) where it is missing and deletes, where it can, what an interrupted write left in it. */
export async function createStorage(directory: string): Promise<StorageBinding> {
  const root = resolve(directory);
  await makeDirectory(root);
  for (const entry of await readdir(root)) if (LEFTOVER.test(entry)) await unlink(join(root, entry)).catch(() => {});
  return new NativeStorage(root);
}

/** Never rejects: where the directory cannot be had, nothing can be kept, and that is no reason not to print. */
export const openStorage = (directory: string): Promise<StorageBinding> => createStorage(directory).catch(nowhere);

/** Storage that could not be opened: there is nothing in it, and it takes nothing. */
export function nowhere(error: unknown): StorageBinding {
  const refuse = () => Promise.reject(error);
  return {
    read: async () => undefined,
    write: refuse,
    remove: refuse,
    writeNow: () => {
      throw error;
    },
  };
}

class NativeStorage implements StorageBinding {
  readonly #root: string;
  /** Changes run one after the other: undoing one must not undo the next. */
  readonly #inTurn = createTurns();

  constructor(root: string) {
    this.#root = root;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.#path(name);
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const { size } = await file.stat();
      if (size > READ_LIMIT_BYTES) throw new RangeError(`${name} has ${size} bytes, more than ${READ_LIMIT_BYTES}`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  }

  async write(name: string, content: Uint8Array): Promise<void> {
    const path = this.#path(name);
    const bytes = content.slice();
    await this.#inTurn(() => replace(path, bytes));
  }

  async remove(name: string): Promise<void> {
    const path = this.#path(name);
    await this.#inTurn(async () => {
      if (await unlinked(path)) await syncDirectory(this.#root);
    });
  }

  writeNow(name: string, content: Uint8Array): void {
    const path = this.#path(name);
    const temporary = `${path}~now`;
    withSync(openSync(temporary, 'w', 0o600), (file) => writeFileSync(file, content));
    renameSync(temporary, path);
    withSync(openSync(this.#root, 'r'), () => {});
  }

  #path(name: string): string {
    if (!NAME.test(name)) throw new TypeError(`not a storage name: ${JSON.stringify(name)}`);
    return join(this.#root, name);
  }
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}~${randomBytes(4).toString('hex')}`;
  const previous = `${temporary}.old`;
  try {
    await writeSynced(temporary, bytes);
    const hadPrevious = await linked(path, previous);
    await rename(temporary, path);
    try {
      await syncDirectory(dirname(path));
    } catch (error) {
      // The new content stands under the name, but nobody knows for how long: what was refused must not be served.
      await (hadPrevious ? rename(previous, path) : unlink(path));
      throw error;
    }
  } finally {
    // What cannot be unlinked now is a leftover of the next start.
    await unlinked(previous).catch(() => {});
    await unlinked(temporary).catch(() => {});
  }
}

/** A new file with exactly these bytes, on the disk. After a failed fsync the file is given up: a second may lie. */
async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeAll(file, bytes);
    await file.sync();
    const { size } = await file.stat();
    if (size !== bytes.length) throw new Error(`${size} of ${bytes.length} bytes are in the file`);
  } finally {
    await file.close();
  }
}

function withSync(file: number, use: (file: number) => void): void {
  try {
    use(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether there was something to link to. */
const linked = (path: string, name: string) => existed(link(path, name));
/** Whether there was something to unlink. */
const unlinked = (path: string) => existed(unlink(path));

async function existed(operation: Promise<void>): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
