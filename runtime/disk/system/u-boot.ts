/**
 * The choice of the system where U-Boot starts it, as on a Raspberry Pi: one sector, which a medium writes or does not,
 * with a letter for the system that is good and a digit for the starts that the other one has left. The script
 * `raspberry-pi/boot.txt` reads it, and counts a start down before it makes it.
 */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

const SECTOR = 512;
/** The first sector of that partition says whether the data partition was ever made. */
const AT = SECTOR;

/** Which system is started. */
export interface Choice {
  /** The system that is started when no other one is tried. */
  readonly good: 'a' | 'b';
  /** Starts that the other system has left, 0 to 9. */
  readonly tries: number;
}

/** The choice as the sector that U-Boot reads. */
export const sectorOf = ({ good, tries }: Choice): Buffer =>
  Buffer.from(`${good}${tries} the good system, and starts left of the other\n`.padEnd(SECTOR, '\0'));

/** Writes the choice to the partition `made`, durably. */
export function choose(device: string, choice: Choice): void {
  const handle = openSync(device, 'r+');
  try {
    writeSync(handle, sectorOf(choice), 0, SECTOR, AT);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The choice in the partition `made`, as U-Boot takes it: what is not a choice is system a, and no trial. */
export function chosen(device: string): Choice {
  const sector = Buffer.alloc(2);
  const handle = openSync(device, 'r');
  try {
    readSync(handle, sector, 0, sector.length, AT);
  } finally {
    closeSync(handle);
  }
  const [good, tries] = sector.toString('latin1');
  return { good: good === 'b' ? 'b' : 'a', tries: /^[0-9]$/.test(tries ?? '') ? Number(tries) : 0 };
}

/** The options of a system's kernel as a file of U-Boot's environment (`env import -t`). */
export const optionsFile = (options: string): string => `bootargs=${options}\n`;
