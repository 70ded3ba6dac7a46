/** The digests by which the kernel checks a root as it is read (dm-verity, Documentation/admin-guide/device-mapper/verity.rst). */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const BLOCK = 4096;
const DIGEST = 32;

/** A root file with its digests behind it. */
export interface Verified {
  /** Blocks of 4096 bytes, without the digests; those follow. */
  readonly blocks: number;
  /** SHA-256 at the top of the tree, in hexadecimal. */
  readonly hash: string;
}

/**
 * Appends the tree of SHA-256 digests to a file: format 1, no salt, no superblock, the top level first. The file is
 * filled up to whole blocks before that.
 */
export function addVerity(path: string): Verified {
  const file = openSync(path, 'r+');
  try {
    const blocks = Math.ceil(fstatSync(file).size / BLOCK);
    const levels: Buffer[] = [];
    let count = blocks;
    let read = (index: number, into: Buffer) => readSync(file, into.fill(0), 0, BLOCK, index * BLOCK);
    for (;;) {
      const level = Buffer.alloc(Math.ceil((count * DIGEST) / BLOCK) * BLOCK);
      const block = Buffer.alloc(BLOCK);
      for (let index = 0; index < count; index += 1) {
        read(index, block);
        createHash('sha256')
          .update(block)
          .digest()
          .copy(level, index * DIGEST);
      }
      if (count === 1) {
        writeSync(file, Buffer.concat(levels.reverse()), 0, undefined, blocks * BLOCK);
        return { blocks, hash: level.toString('hex', 0, DIGEST) };
      }
      levels.push(level);
      count = level.length / BLOCK;
      read = (index, into) => level.copy(into, 0, index * BLOCK, (index + 1) * BLOCK);
    }
  } finally {
    closeSync(file);
  }
}
