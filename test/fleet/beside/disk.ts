/** A small disk that stays while programs on it end and begin again, and that somebody fills while they run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRoot, needTools } from '../../tools.ts';

/** A file system in a mount namespace of its own, which ends with it. */
export interface Disk {
  /** Where it is for the programs on it; for others there is an empty folder. */
  readonly folder: string;
  /** What runs the command behind it there, in place of the process that it is started as. */
  readonly run: readonly [string, ...string[]];
  /** Bytes that are free. */
  free(): Promise<number>;
  /** Takes all that is free, and all that comes free; resolves, once nothing is, with what gives it back. */
  fill(): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

/** What making one lacks, or undefined. */
export const noDisk = needTools(['unshare', 'nsenter', 'setpriv']);

/** How often what has come free is taken. */
const AGAIN_MS = 5;
const PIECE = Buffer.alloc(1 << 20, 'full');
/** A page, in which tmpfs counts. */
const LEAST = 4096;

/** Makes a disk of this size (tmpfs(5), `size`) at an empty folder. */
export async function makeDisk(folder: string, size: string): Promise<Disk> {
  const unshare = ['--mount', ...(isRoot() ? [] : ['--map-root-user'])];
  const mount = `mount -t tmpfs -o size=${size},mode=755 tmpfs "$0" && echo there && exec cat`;
  // It ends with the test: nobody writes to it any more then.
  const keeper = spawn('unshare', [...unshare, 'sh', '-ec', mount, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(keeper, 'exit');
  await Promise.race([once(keeper.stdout, 'data'), gone.then(() => Promise.reject(new Error('no file system')))]);
  // What is in a namespace is reached from without (proc_pid_root(5)).
  const inside = `/proc/${keeper.pid}/root${folder}`;
  const enter = ['--mount', ...(isRoot() ? [] : ['--user', '--preserve-credentials'])];
  return {
    folder,
    run: ['nsenter', '--target', `${keeper.pid}`, ...enter, `--wd=${process.cwd()}`],
    async free() {
      const { bavail, bsize } = await statfs(inside);
      return bavail * bsize;
    },
    async fill() {
      const path = join(inside, 'fill');
      const file = await open(path, 'w');
      const take = async () => {
        for (let size = PIECE.length; size >= LEAST; )
          await file.write(PIECE, 0, size).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOSPC') throw error;
            size /= 2;
          });
      };
      await take();
      let isOver = false;
      const hold = async () => {
        while (!isOver) {
          await pause(AGAIN_MS);
          await take();
        }
      };
      const held = hold();
      return async () => {
        if (isOver) return;
        isOver = true;
        await held;
        await file.close();
        await rm(path);
      };
    },
    async end() {
      keeper.stdin.end();
      await gone;
    },
  };
}
