/** Programs in namespaces of their own: they may mount and chown as root may, and nothing of that reaches the machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { emulatorOf } from '../assembly/package/emulator.ts';

/** All user and group ids of a Debian system (Debian Policy 9.2.2). */
const IDS = '0 0 65536';

/**
 * Runs a program as root of namespaces of its own, its output to this one's standard error; programs of the architecture
 * (its Debian name) run there, too. Rejects if it fails. Needs root, for the user ids of the files it makes.
 */
export async function inNamespaces(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  arch: string,
): Promise<void> {
  const steps = ['read -r _', 'mount -t proc proc /proc', emulatorOf(arch)?.register ?? ':', 'exec "$@"'];
  const namespaces = ['--user', '--mount', '--pid', '--ipc', '--uts', '--net', '--fork', '--kill-child'];
  const child = spawn('unshare', [...namespaces, 'sh', '-ec', steps.join('\n'), 'sh', ...args], {
    stdio: ['pipe', 2, 2],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
  });
  const ended = once(child, 'exit');
  const mine = readlinkSync('/proc/self/ns/user');
  // The ids can be told when the namespace is there; the program waits for its line until they are.
  while (child.exitCode === null && readlinkSync(`/proc/${child.pid}/ns/user`) === mine) await delay(10);
  for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${child.pid}/${map}`, IDS);
  child.stdin?.end('\n');
  const [code] = await ended;
  if (code !== 0) throw new Error(`${args.slice(0, 2).join(' ')} ended with ${code}`);
}
