import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** What becomes of one write to a file: how many bytes reach it, and how many it says. */
const disk = vi.hoisted(() => ({ takes: (bytes: number) => bytes, says: (bytes: number) => bytes }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open = async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
    const file = await real.open(...args);
    const write = file.write.bind(file) as (buffer: Uint8Array, offset: number, length: number) => Promise<unknown>;
    const shortened = async (buffer: Uint8Array, offset = 0) => {
      const length = disk.takes(buffer.length - offset);
      await write(buffer, offset, length);
      return { bytesWritten: disk.says(length), buffer };
    };
    return Object.assign(file, { write: shortened });
  };
  return { ...real, open };
});

// Other files of tests loaded it with the real one, and will.
vi.resetModules();
const { createStorage } = await import('../../runtime/bindings/native/storage.ts');
afterAll(() => void vi.resetModules());

const content = Uint8Array.from({ length: 20_016 }, (_, index) => index % 251);
let directory: string;
beforeEach(async () => {
  Object.assign(disk, { takes: (bytes: number) => bytes, says: (bytes: number) => bytes });
  directory = await mkdtemp(join(tmpdir(), 'storage-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('a disk', () => {
  it('that takes 100 bytes at a time gets them all', async () => {
    const storage = await createStorage(directory);
    disk.takes = (bytes) => Math.min(bytes, 100);
    await storage.write('name', content);
    expect(Buffer.compare((await storage.read('name')) ?? new Uint8Array(), content)).toBe(0);
  });

  it.each([
    ['takes nothing more', () => 0, (bytes: number) => bytes],
    ['says more than it took', (bytes: number) => Math.min(bytes, 8192), () => content.length],
  ])('that %s is refused, and the old content stands', async (_name, takes, says) => {
    const storage = await createStorage(directory);
    await storage.write('name', Uint8Array.of(1));
    Object.assign(disk, { takes, says });
    await expect(storage.write('name', content)).rejects.toThrow();
    expect(Array.from((await storage.read('name')) ?? [])).toEqual([1]);
    expect(await readdir(directory)).toEqual(['name']);
  });
});
