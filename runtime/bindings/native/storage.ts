/** Durable blobs as files of one directory. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeDirectory, replaceFile, replaceFileNow, syncDirectory, unlinked, writeAll } from '../../base/durable.ts';
import { createTurns } from '../../base/turns.ts';
import type { StorageBinding } from '../storage.ts';

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
  for (const entry of readdirSync(root)) if (LEFTOVER.test(entry)) await unlink(join(root, entry)).catch(() => {});
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
    // A start reads a dozen of them, small or missing: to ask other threads for each would take longer than to read.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const file = openSync(path, READ);
    try {
      const about = fstatSync(file);
      if (!about.isFile()) throw new TypeError(`${name} is not a file`);
      const { size } = about;
      if (size > READ_LIMIT_BYTES) throw new RangeError(`${name} has ${size} bytes, more than ${READ_LIMIT_BYTES}`);
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  }

  async write(name: string, content: Uint8Array): Promise<void> {
    const path = this.#path(name);
    const bytes = content.slice();
    await this.#inTurn(() => replaceFile(path, bytes));
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
    replaceFileNow(this.#path(name), content);
  }

  #path(name: string): string {
    if (!NAME.test(name)) throw new TypeError(`not a storage name: ${JSON.stringify(name)}`);
    return join(this.#root, name);
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
