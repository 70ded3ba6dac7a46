/** The Debian package that is built here, and what a system needs to run the lab's programs with it. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

export const VARIANT = 'wifi';
export const BUILD_MS = 600_000;
/** The Node that the package brings, where its making leaves it. */
export const PACKED_NODE = `.cache/package/${VARIANT}-amd64/usr/lib/tillnode/bin/node`;

export const npm = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('npm', ['run', '-s', ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Makes the packages of a variant that is built; returns the paths of the node's, and of the one for the program beside it. */
export const packaged = (tree = '.', variant = VARIANT): readonly [node: string, pull: string] => {
  const [node = '', pull = ''] = npm(tree, 'package', '--', '--variant', variant, '--arch', 'amd64').split('\n');
  return [resolve(tree, node), resolve(tree, pull)];
};
