/** Disks of the lab's machines: ext4 in an image file, and what is left in one when its power was cut. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, readSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './machine.ts';

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

const file = (node: string, path: string) => [
  '-blockdev',
  `driver=file,cache.no-flush=on,node-name=${node},filename=${path}`,
];

/** QEMU's options of a disk that outlives its machine with every byte. */
export const plainDisk = (path: string): string[] => file('disk', path);

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

const FLUSH = 1;
const DISCARD = 4;
const LOG_BYTES = 1 << 30;

interface Write {
  readonly at: number;
  readonly bytes: Buffer;
}

/** What a cut did to the writes that no flush had followed. */
export interface Cut {
  readonly flushed: number;
  readonly kept: number;
  readonly lost: number;
}

/**
 * A disk with a volatile write cache. Killing QEMU alone would keep every write that the guest ever sent, in the memory
 * of the host. So QEMU logs the writes and flushes in their order (its driver blklogwrites, in the format of
 * dm-log-writes), and `cut` makes the disk anew: what stood before the last flush is there, and of what came after it
 * each write is there or is not, whatever their order.
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
    rmSync(this.#log, { force: true });
    writeFileSync(this.#log, '');
    truncateSync(this.#log, LOG_BYTES);
    return [
      ...file('work', this.#work),
      ...file('log', this.#log),
      ...['-blockdev', 'driver=blklogwrites,node-name=disk,file=work,log=log,log-super-update-interval=1'],
    ];
  }

  /** `random`: 0 to 1, as Math.random; when QEMU has ended. */
  cut(random: () => number): Cut {
    const target = openSync(this.path, 'r+');
    const put = ({ at, bytes }: Write) => writeSync(target, bytes, 0, bytes.length, at);
    let flushed = 0;
    let pending: Write[] = [];
    for (const entry of this.#entries()) {
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
    return { flushed, kept: kept.length, lost: pending.length - kept.length };
  }

  *#entries(): Generator<Write | 'flush'> {
    const log = openSync(this.#log, 'r');
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(length);
      readSync(log, bytes, 0, length, at);
      return bytes;
    };
    // dm-log-writes: a super block, then entries; each a sector of head, and its data in whole sectors. Little-endian.
    const about = read(0, 28);
    const entries = Number(about.readBigUInt64LE(16));
    const sector = about.readUInt32LE(24);
    let at = sector;
    for (let index = 0; index < entries; index += 1) {
      const head = read(at, 24);
      const [target = 0, sectors = 0, flags = 0] = [0, 8, 16].map((offset) => Number(head.readBigUInt64LE(offset)));
      at += sector;
      if (flags & FLUSH) yield 'flush';
      if (sectors === 0 || flags & DISCARD) continue;
      yield { at: target * sector, bytes: read(at, sectors * sector) };
      at += sectors * sector;
    }
    closeSync(log);
  }
}
