/** Tools from the registry of npm that a few stories alone need: they are no dependency of this tree. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** For `npm install`. */
export const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];

/** Installs what a folder with a package.json pins by its lock file, once, into another one; returns its `node_modules`. */
export function installed(from: string, into: string): string {
  const folder = join(into, 'node_modules');
  if (!existsSync(join(folder, '.package-lock.json'))) {
    cpSync(from, into, { recursive: true });
    // `npm ci` refuses a lock file that lacks packages for other platforms, and npm 11 writes such ones.
    execFileSync('npm', ['install', '--no-save', '--prefer-offline', ...QUIET], { cwd: into });
  }
  return folder;
}
