/** What it takes for content to survive a power cut (fsync(2)). */
import { type FileHandle, open } from 'node:fs/promises';

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
