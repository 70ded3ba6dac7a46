/** What a guest writes to its disk, logged by QEMU: its driver blklogwrites, in the format of dm-log-writes. */
import { closeSync, openSync, readSync, rmSync, truncateSync, writeFileSync } from 'node:fs';

const FLUSH = 1;
const DISCARD = 4;
const LOG_BYTES = 2 ** 31;
const ENTRY_BYTES = 24;

/** One write of the guest: `length` bytes at byte `at` of its disk, which stand in the log `from` there on. */
export interface Write {
  readonly at: number;
  readonly from: number;
  readonly length: number;
}

/** QEMU's options of a file as the block device `node`. The computer's own medium need not be waited for. */
export const fileDisk = (node: string, path: string): string[] => [
  '-blockdev',
  `driver=file,cache.no-flush=on,node-name=${node},filename=${path}`,
];

/** QEMU's options of the block device `disk`, of which every write to the file goes to a new log, too. */
export function loggedDisk(path: string, log: string): string[] {
  rmSync(log, { force: true });
  writeFileSync(log, '');
  truncateSync(log, LOG_BYTES);
  return [
    ...fileDisk('work', path),
    ...fileDisk('log', log),
    ...['-blockdev', 'driver=blklogwrites,node-name=disk,file=work,log=log,log-super-update-interval=1'],
  ];
}

/** How long a log is, also that of a machine that runs: the number of what `loggedIn` finds. */
export function loggedSoFar(path: string): number {
  const log = openSync(path, 'r');
  try {
    return headOf(log).entries;
  } finally {
    closeSync(log);
  }
}

/** What is in an open log, in the order in which the disk got it. */
export function* loggedIn(log: number): Generator<Write | 'flush' | 'discard'> {
  const { entries, sector } = headOf(log);
  let at = sector;
  for (let index = 0; index < entries; index += 1) {
    const head = read(log, at, ENTRY_BYTES);
    const [target = 0, sectors = 0, flags = 0] = [0, 8, 16].map((offset) => Number(head.readBigUInt64LE(offset)));
    at += sector;
    if (flags & FLUSH) {
      yield 'flush';
    } else if (flags & DISCARD) {
      yield 'discard';
    } else {
      yield { at: target * sector, from: at, length: sectors * sector };
      at += sectors * sector;
    }
  }
}

/** dm-log-writes: a super block, then entries; each a sector of head, and its data in whole sectors. Little-endian. */
function headOf(log: number): { readonly entries: number; readonly sector: number } {
  const head = read(log, 0, 28);
  return { entries: Number(head.readBigUInt64LE(16)), sector: head.readUInt32LE(24) };
}

function read(log: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(log, bytes, 0, length, at);
  return bytes;
}
