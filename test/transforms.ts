/** What Vitest keeps of the files that it has transformed (`fsModuleCachePath`): an entry for each text that a file ever had. */
import { readdirSync, rmSync } from 'node:fs';

/** All of the tests leave about 2,000, of 16 kB each. */
const MOST = 10_000;

/** Empties this folder where it holds more files than `most`; what is needed of them is made again. */
export function emptyWhenFull(folder: string, most = MOST): void {
  let held: number;
  try {
    held = readdirSync(folder).length;
  } catch {
    return;
  }
  if (held > most) rmSync(folder, { recursive: true, force: true });
}
