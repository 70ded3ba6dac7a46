/** A medium that is used up in places: QEMU's driver blkdebug fails what reaches these sectors (EIO), and always will. */
import { fileDisk } from '../lab/write-log.ts';
import type { Medium } from './machine.ts';

const SECTOR = 512;

/** One sector, by any byte of it, or all of them, and what fails there. */
export interface Worn {
  readonly at?: number;
  readonly fails: 'read' | 'write';
}

/** QEMU's options of the block device `disk` that is this medium, used up in these places. */
export function wornDisk(medium: Pick<Medium, 'path'>, places: readonly Worn[]): string[] {
  const debug = {
    driver: 'blkdebug',
    'node-name': 'disk',
    image: 'work',
    'inject-error': places.map(({ at, fails }) => ({
      event: 'none',
      iotype: fails,
      ...(at !== undefined && { sector: Math.floor(at / SECTOR) }),
    })),
  };
  return [...fileDisk('work', medium.path), '-blockdev', JSON.stringify(debug)];
}
