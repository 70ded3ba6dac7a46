/** Disks of the lab's machines: ext4 in an image file, and what is left in one when its power was cut. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, readSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './machine.ts';
import { fileDisk, loggedDisk, loggedIn, type Write } from './write-log.ts';

interface Format {
  readonly megabytes: number;
  /** A folder whose files are in it. */
  readonly from?: string;
}

/** A new ext4 file system; returns the path of its image. */
export function makeDisk(name: string, { megabytes, from }: Format): string {
  const path = join(CACHE, `${name}.img`);
  rmSync(path, { force: true });
  writeFileSync(path, '');
  truncateSync(path, megabytes * 1024 * 1024);
  execFileSync('mkfs.ext4', ['-q', '-F', ...(from === undefined ? [] : ['-d', from]), path]);
  return path;
}

/** QEMU's options of a disk that outlives its machine with every byte. */
export const plainDisk = (path: string): string[] => fileDisk('disk', path);

/** What e2fsck(8) has to say about the disk once its journal was replayed, as after every crash; undefined: nothing. */
export function fault(path: string): string | undefined {
  const copy = `${path}.checked`;
  copyFileSync(path, copy);
  // 1: the journal was replayed.
  const replayed = spawnSync('e2fsck', ['-p', copy], { encoding: 'utf8' });
  const checked = spawnSync('e2fsck', ['-f', '-n', copy], { encoding: 'utf8' });
  rmSync(copy);
  const sound = (replayed.status === 0 || replayed.status === 1) && checked.status === 0;
  return sound ? undefined : `${replayed.stdout}${checked.stdout}`;
}

/** What a cut did to the writes that no flush had followed. */
export interface Cut {
  readonly flushed: number;
  readonly kept: number;
  readonly lost: number;
}

/**
 * A disk with a volatile write cache. Killing QEMU alone would keep every write that the guest ever sent, in the memory
 * of the host. So QEMU logs the writes and flushes in their order, and `cut` makes the disk anew: what stood before the
 * last flush is there, and of what came after it each write is there or is not, whatever their order.
 */
export class CuttableDisk {
  readonly path: string;
  readonly #work: string;
  readonly #log: string;

  constructor(path: string) {
    this.path = path;
    this.#work = `${path}.work`;
    this.#log = `${path}.log`;
  }

  /** QEMU's options, for one run of the machine that `cut` ends. */
  powerOn(): string[] {
    execFileSync('cp', ['--sparse=always', this.path, this.#work]);
    return loggedDisk(this.#work, this.#log);
  }

  /** `random`: 0 to 1, as Math.random; when QEMU has ended. */
  cut(random: () => number): Cut {
    const target = openSync(this.path, 'r+');
    const log = openSync(this.#log, 'r');
    const put = ({ at, from, length }: Write) => {
      const bytes = Buffer.alloc(length);
      readSync(log, bytes, 0, length, from);
      writeSync(target, bytes, 0, length, at);
    };
    let flushed = 0;
    let pending: Write[] = [];
    for (const entry of loggedIn(log)) {
      if (entry === 'discard') continue;
      if (entry !== 'flush') {
        pending.push(entry);
        continue;
      }
      for (const write of pending) put(write);
      flushed += pending.length;
      pending = [];
    }
    // A cache that had been emptied almost, or hardly.
    const chance = random();
    const kept = pending.filter(() => random() < chance);
    for (const write of kept) put(write);
    closeSync(target);
    closeSync(log);
    return { flushed, kept: kept.length, lost: pending.length - kept.length };
  }
}
