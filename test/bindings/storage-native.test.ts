import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStorage, openStorage } from '../../runtime/bindings/native/storage.ts';
import { storageConformance } from './storage-conformance.ts';

let scratch: string;
let made = 0;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'storage-'));
});
afterAll(() => rm(scratch, { recursive: true }));
const freshDirectory = () => join(scratch, `state-${made++}`);
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('native storage', () => {
  storageConformance(() => createStorage(freshDirectory()));

  it('is still there for the next process', async () => {
    const directory = freshDirectory();
    await (await createStorage(directory)).write('name', Uint8Array.of(1, 2, 3));
    expect(Array.from((await (await createStorage(directory)).read('name')) ?? [])).toEqual([1, 2, 3]);
  });

  it('keeps directory and files from other users', async () => {
    const directory = join(freshDirectory(), 'deep', 'state');
    await (await createStorage(directory)).write('secret', Uint8Array.of(1));
    expect(await mode(directory)).toBe('700');
    expect(await mode(join(directory, 'secret'))).toBe('600');
  });

  it('leaves one file a name', async () => {
    const directory = freshDirectory();
    const storage = await createStorage(directory);
    await storage.write('name', Uint8Array.of(1));
    await storage.write('name', Uint8Array.of(2));
    expect(await readdir(directory)).toEqual(['name']);
  });

  it('deletes at start what an interrupted write left, and nothing else', async () => {
    const directory = freshDirectory();
    await mkdir(directory);
    for (const name of ['settings.a', 'settings.a~0badcafe', 'settings.a~0badcafe.old', 'Someone~elses', 'note']) {
      await writeFile(join(directory, name), 'x');
    }
    await createStorage(directory);
    expect((await readdir(directory)).sort()).toEqual(['Someone~elses', 'note', 'settings.a']);
  });

  it('works beside a leftover that cannot be deleted', async () => {
    const directory = freshDirectory();
    // Nobody unlinks a folder.
    await mkdir(join(directory, 'settings.a~0badcafe'), { recursive: true });
    const storage = await createStorage(directory);
    await storage.write('settings.a', Uint8Array.of(1));
    expect(Array.from((await storage.read('settings.a')) ?? [])).toEqual([1]);
  });

  it('whose directory cannot be made is empty, and refuses what it is to keep with the reason', async () => {
    // Not even root makes a folder in a file.
    const file = freshDirectory();
    await writeFile(file, '');
    const storage = await openStorage(join(file, 'state'));
    expect(await storage.read('name')).toBeUndefined();
    await expect(storage.write('name', Uint8Array.of(1))).rejects.toThrow('ENOTDIR');
    expect(() => storage.writeNow('name', Uint8Array.of(1))).toThrow('ENOTDIR');
  });

  it('whose directory the kernel makes for nobody refuses just so', async () => {
    await expect(createStorage('/proc/nosuch/deep/state')).rejects.toThrow('ENOENT');
  });

  it('refuses to read a file of more than 1 MiB, and can still replace it', async () => {
    const directory = freshDirectory();
    const storage = await createStorage(directory);
    await writeFile(join(directory, 'huge'), '');
    await truncate(join(directory, 'huge'), 1024 * 1024 + 1);
    await expect(storage.read('huge')).rejects.toThrow(RangeError);
    await storage.write('huge', Uint8Array.of(1));
    expect(Array.from((await storage.read('huge')) ?? [])).toEqual([1]);
  });

  it('refuses to read what is no file, at once, and can still replace it', async () => {
    const directory = freshDirectory();
    const storage = await createStorage(directory);
    execFileSync('mkfifo', [join(directory, 'fifo')]);
    await symlink('/dev/zero', join(directory, 'device'));
    for (const name of ['fifo', 'device']) {
      await expect(storage.read(name)).rejects.toThrow(`${name} is not a file`);
      await storage.write(name, Uint8Array.of(1));
      expect(Array.from((await storage.read(name)) ?? [])).toEqual([1]);
    }
    await mkdir(join(directory, 'folder'));
    await expect(storage.read('folder')).rejects.toThrow('folder is not a file');
  });

  it.each(['.', '..'])('refuses the name %j', async (name) => {
    const storage = await createStorage(freshDirectory());
    await expect(storage.write(name, Uint8Array.of(1))).rejects.toThrow(TypeError);
  });

  it('replaces a symbolic link instead of writing through it', async () => {
    const directory = freshDirectory();
    const storage = await createStorage(directory);
    const elsewhere = join(scratch, 'elsewhere');
    await writeFile(elsewhere, 'untouched');
    await symlink(elsewhere, join(directory, 'name'));
    await storage.write('name', Uint8Array.of(1));
    expect((await stat(elsewhere)).size).toBe(9);
    expect(Array.from((await storage.read('name')) ?? [])).toEqual([1]);
  });

  it('rejects a write where the directory has gone, and says why', async () => {
    const directory = freshDirectory();
    const storage = await createStorage(directory);
    await rm(directory, { recursive: true });
    await expect(storage.write('name', Uint8Array.of(1))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
