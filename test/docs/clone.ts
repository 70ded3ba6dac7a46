/** A clone as a reader has it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Copies what git has of this tree, under the name that a clone has; installed, not built. Returns its folder. */
export function cloneIn(parent: string): string {
  const directory = join(parent, 'tillnode');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of files.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    cpSync(file, join(directory, file));
  }
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  return directory;
}
