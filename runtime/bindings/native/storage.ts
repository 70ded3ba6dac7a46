/**
 * Durable blobs as files of one directory. Content is written to a temporary file beside its target and synced; the
 * file is renamed over the target, and the directory is synced, so that the new name survives a power cut too
 * (fsync(2)).
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type FileHandle, link, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createTurns } from '../../base/turns.ts';
import type { StorageBinding } from '../storage.ts';
import { makeDirectory, syncDirectory, writeAll } from './durable.ts';

/** Largest file that is read back. */
const READ_LIMIT_BYTES = 1024 * 1024;
/** Opening a FIFO that nobody writes to would wait for ever (open(2)). */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const NAME = /^(?!\.{1,2}$)[a-z0-9.-]{1,64}$/;
/** Names of temporary files contain `~`, which no blob name has: what a crash left behind can be recognised. */
const LEFTOVER = /^[a-z0-9.-]{1,64}~[a-z0-9.]+$/;

/**
 * Creates the directory (mode 0700) if it is missing, and deletes temporary files of interrupted writes. Rejects with
 * the error of the file system if the directory cannot be used.
 */
export async function createStorage(directory: string): Promise<StorageBinding> {
  const root = resolve(directory);
  await makeDirectory(root);
  for (const entry of await readdir(root)) if (LEFTOVER.test(entry)) await unlink(join(root, entry)).catch(() => {});
  return new NativeStorage(root);
}

/** As `createStorage`, but never rejects: a node without storage can still print. See `nowhere`. */
export const openStorage = (directory: string): Promise<StorageBinding> => createStorage(directory).catch(nowhere);

/** Storage that could not be opened: every name is absent, and every change fails with `error`. */
export function nowhere(error: unknown): StorageBinding {
  const refuse = () => Promise.reject(error);
  return {
    read: async () => undefined,
    write: refuse,
    remove: refuse,
    append: refuse,
    note: refuse,
    machineRun: undefined,
    writeNow: () => {
      throw error;
    },
  };
}

/** Boot id of the Linux kernel (random(4)). */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().slice(0, 64) || undefined;
  } catch {
    return undefined;
  }
}

class NativeStorage implements StorageBinding {
  readonly machineRun = bootId();
  readonly #root: string;
  /** Changes run one after the other, so that undoing a failed one cannot undo the next. */
  readonly #inTurn = createTurns();

  constructor(root: string) {
    this.#root = root;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.#path(name);
    let file: FileHandle;
    try {
      file = await open(path, READ);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const about = await file.stat();
      if (!about.isFile()) throw new TypeError(`${name} is not a file`);
      const { size } = about;
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

  async append(name: string, content: Uint8Array): Promise<void> {
    const path = this.#path(name);
    const bytes = content.slice();
    await this.#inTurn(() => appended(path, bytes, true));
  }

  async note(name: string, content: Uint8Array): Promise<void> {
    const path = this.#path(name);
    const bytes = content.slice();
    await this.#inTurn(() => appended(path, bytes, false));
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
  const left = new Set([temporary]);
  try {
    await writeSynced(temporary, bytes);
    const hadPrevious = await linked(path, previous);
    if (hadPrevious) left.add(previous);
    await rename(temporary, path);
    left.delete(temporary);
    try {
      await syncDirectory(dirname(path));
    } catch (error) {
      // The new content has the name, but may not be durable. The write is rejected, so the old content is restored.
      await (hadPrevious ? rename(previous, path) : unlink(path));
      throw error;
    }
  } finally {
    // If this fails, the next start deletes the files.
    for (const file of left) await unlinked(file).catch(() => {});
  }
}

/** Creates a durable file with exactly these bytes. A failed fsync is not repeated: a second may succeed wrongly. */
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

/** Adds bytes to a file, which is made where it is missing. What part of them a failure left is cut off again. */
async function appended(path: string, bytes: Uint8Array, isSynced: boolean): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    const { size } = await file.stat();
    try {
      await writeAll(file, bytes);
      if (isSynced) await file.datasync();
    } catch (error) {
      await file.truncate(size).catch(() => {});
      throw error;
    }
    if (isSynced && size === 0) await syncDirectory(dirname(path));
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

/** Creates a hard link; resolves with whether `path` existed. */
const linked = (path: string, name: string) => existed(link(path, name));
/** Deletes a file; resolves with whether it existed. */
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
