/** What it takes for content to survive a power cut (fsync(2)). */
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** All of it: write(2) may take less than it is given. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done);
    if (bytesWritten === 0) throw new Error('the disk takes no more bytes');
    done += bytesWritten;
  }
}

/** The names in it survive, too. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * The folder and those above it, mode 0700, so that they survive. (Node's own `mkdir` with `recursive` never ends where
 * the kernel says ENOENT of a new name in a folder that is there, as in /proc.)
 */
export async function makeDirectory(path: string): Promise<void> {
  const fault = await made(path);
  if (fault === undefined) return;
  if (fault.code !== 'ENOENT' || dirname(path) === path) throw fault;
  await makeDirectory(dirname(path));
  const again = await made(path);
  if (again !== undefined) throw again;
}

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
