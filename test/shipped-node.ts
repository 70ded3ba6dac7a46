/** The Node of the Debian package. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** The Node that ships, installed once from the registry by its own lock file. */
export function shippedNode(): string {
  const folder = '.cache/node-24';
  const binary = join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin/node');
  if (!existsSync(binary)) {
    cpSync('test/assembly/node-24', folder, { recursive: true });
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
  }
  return binary;
}
