/** A small file system in a mount namespace of its own, which ends with the process. */
import { spawnSync } from 'node:child_process';
import { needTools } from './tools.ts';

const NAMESPACE = ['unshare', '--map-root-user', '--mount', 'sh', '-ec'] as const;
const MOUNT = 'mount -t tmpfs -o size=256k,mode=700 tmpfs "$0"';

/** What runs the command behind it with a file system of 256 KiB at `directory`. */
export const onASmallDisk = (directory: string): readonly [string, ...string[]] => [
  ...NAMESPACE,
  `${MOUNT} && exec "$@"`,
  directory,
  process.execPath,
];

/** What runs the command behind it with a file system of this size at `directory`, which holds a copy of `data` by that name and not a byte more. */
export const onAFullDisk = (directory: string, size: string, data: string): readonly [string, ...string[]] => [
  ...NAMESPACE,
  `mount -t tmpfs -o size=${size},mode=700 tmpfs "$0" && cp -a "$1" "$0/data" && { cat /dev/zero > "$0/fill" 2> /dev/null || true; } && shift && exec "$@"`,
  directory,
  data,
  process.execPath,
];

/** Why there can be none here; in CI that is an error. */
export function whyNoSmallDisk(): string | undefined {
  const lacking = needTools(['unshare']);
  if (lacking !== undefined) return lacking;
  if (spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), MOUNT, '/mnt']).status === 0) return undefined;
  const reason = 'needs to mount a tmpfs: root, or user namespaces (sysctl kernel.unprivileged_userns_clone=1)';
  if (process.env['CI'] === 'true') throw new Error(reason);
  return reason;
}
