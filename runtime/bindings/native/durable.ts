/** Writing files and directories so that they survive a power cut (fsync(2)). */
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes all bytes at the current position: write(2) may write fewer. Rejects with the error of the file system. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done);
    if (bytesWritten === 0) throw new Error('the disk accepts no more bytes');
    done += bytesWritten;
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
  const fault = await made(path);
  if (fault === undefined) return;
  if (fault.code !== 'ENOENT' || dirname(path) === path) throw fault;
  await makeDirectory(dirname(path));
  const again = await made(path);
  if (again !== undefined) throw again;
}

/** Creates one directory; resolves with the error if it does not exist afterwards. */
async function made(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    return isThere ? undefined : (error as NodeJS.ErrnoException);
  }
  await syncDirectory(dirname(path));
  return undefined;
}
