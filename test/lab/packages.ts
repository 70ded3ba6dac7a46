/**
 * Debian packages for the machine alone: unpacked in `.cache/lab`, never installed here. A network manager that was
 * installed would start, and take the host's own network in hand.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './machine.ts';

/** The files that these packages, and what they need, would add to the host; what it has already is left out. */
export function unpackPackages(names: readonly string[]): string {
  const wanted = names.join(' ');
  // Stories of other packages have a folder of their own.
  const root = join(CACHE, `packages-${createHash('sha256').update(wanted).digest('hex').slice(0, 8)}`);
  const complete = `${root}.complete`;
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return root;
  for (const each of [complete, root]) rmSync(each, { recursive: true, force: true });
  // /bin, /lib and /sbin lead into /usr there, as they do on the host.
  for (const name of ['bin', 'lib', 'sbin']) {
    mkdirSync(join(root, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  const archives = join(CACHE, 'archives');
  rmSync(archives, { recursive: true, force: true });
  mkdirSync(join(archives, 'partial'), { recursive: true });
  const options = ['-o', `Dir::Cache::archives=${archives}`, '-o', 'Debug::NoLocking=1'];
  run('apt-get', ['install', '-y', '-qq', '--download-only', '--no-install-recommends', ...options, ...names]);
  for (const name of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
    run('sh', [
      '-c',
      'dpkg-deb --fsys-tarfile "$0" | tar -x --keep-directory-symlink -C "$1"',
      join(archives, name),
      root,
    ]);
  }
  rmSync(archives, { recursive: true });
  writeFileSync(complete, wanted);
  return root;
}

/** What it takes to be on a Wi-Fi network, or to be one. */
export const WIRELESS_PACKAGES = [
  ...['dbus', 'network-manager', 'wpasupplicant', 'dnsmasq-base', 'nftables', 'iw', 'curl', 'hostapd'],
];

const run = (command: string, args: readonly string[]) => execFileSync(command, args, { stdio: 'ignore' });
