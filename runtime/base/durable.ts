/**
 * Files and directories that survive a power cut (fsync(2)). A file is replaced by one that was written beside it and renamed
 * over it, so that it is whole whenever it is read.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Gives a file these bytes (mode 0600), durably. Where it rejects, with the error of the file system, the file is as it was; what
 * else a crash leaves in its directory has a `~` in its name.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
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
    for (const file of left) await unlinked(file).catch(() => {});
  }
}

/** How a file is replaced at once. */
export interface Replacing {
  /** Permissions; 0600 where not given. */
  readonly mode?: number;
  /** False for what can be made again, such as a cache, which several processes may fill at a time. */
  readonly isDurable?: boolean;
}

/** As `replaceFile`, before it returns. `content`: also what writes it to the path that it is given. */
export function replaceFileNow(
  path: string,
  content: string | Uint8Array | ((path: string) => void),
  { mode = 0o600, isDurable = true }: Replacing = {},
): void {
  // The one name is written anew after a crash; processes that share a cache have one each.
  const temporary = `${path}~${isDurable ? 'new' : process.pid}`;
  try {
    if (typeof content === 'function') content(temporary);
    else writeFileSync(temporary, content, { mode });
    if (isDurable) syncNow(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (isDurable) syncNow(dirname(path));
}

/** Makes the bytes of a file, or the names of a directory, durable before it returns. */
export function syncNow(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
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

/** Creates a hard link; resolves with whether `path` existed. */
const linked = (path: string, name: string) => existed(link(path, name));

/** Deletes a file; resolves with whether it existed. */
export const unlinked = (path: string): Promise<boolean> => existed(unlink(path));

async function existed(operation: Promise<void>): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Whether this is the error of a file system that has no such file. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * Writes all bytes, at the current position or at a place of the file: write(2) may write fewer. Rejects with the error of the file
 * system.
 */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position?: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const at = position === undefined ? null : position + done;
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at);
    if (bytesWritten === 0) throw new Error('the disk accepts no more bytes');
    done += bytesWritten;
  }
}

/** As `writeAll`, before it returns; at a place of the file, where it is given. */
export function writeAllNow(file: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? undefined : position + done;
    const count = writeSync(file, bytes, done, bytes.length - done, at);
    if (count === 0) throw new Error('the disk accepts no more bytes');
    done += count;
  }
}

/** Makes the names of a directory durable: new, renamed and removed files. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Creates a directory and its parents (mode 0700), durably; does nothing if it exists. (`mkdir` of Node with
 * `recursive` never ends if the kernel returns ENOENT for a new name in an existing directory, as in /proc.)
 */
export async function makeDirectory(path: string): Promise<void> {
  if (isDirectory(path)) return;
  const fault = await made(path);
  if (fault === undefined) return;
  if (fault.code !== 'ENOENT' || dirname(path) === path) throw fault;
  await makeDirectory(dirname(path));
  const again = await made(path);
  if (again !== undefined) throw again;
}

/** Whether it is there; false also where nobody may know. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** Creates one directory; resolves with the error if it does not exist afterwards. */
async function made(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    return isDirectory(path) ? undefined : (error as NodeJS.ErrnoException);
  }
  await syncDirectory(dirname(path));
  return undefined;
}
