/** A small Debian with systemd on a disk, for what is installed in a system. Kept in `.cache/lab` between runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDisk } from './disk.ts';
import { CACHE, type Machine } from './machine.ts';

/** What a box has beside the base system: what the node's package depends on, and what it recommends of the network. */
const PACKAGES = [
  ...['systemd', 'systemd-sysv', 'libpam-systemd', 'udev', 'dbus', 'adduser', 'kmod'],
  ...['iproute2', 'polkitd', 'network-manager'],
];
const MEGABYTES = 1200;
const UNIT = '/etc/systemd/system/lab.service';

/** Fetched once; with the Debian release that is here. */
function baseSystem(): string {
  const root = join(CACHE, 'system');
  if (existsSync(root)) return root;
  const release = /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  const made = `${root}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  execFileSync('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, release, made], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  execFileSync('sh', ['-c', 'rm -rf "$0"/var/cache/apt/archives/*.deb "$0"/var/lib/apt/lists/*', made]);
  renameSync(made, root);
  return root;
}

/** A disk with a new system on it that runs a command (of node, with /host before the host's paths) when it is up. */
export function makeSystem(
  machine: Machine,
  node: string,
  program: string,
  env: Readonly<Record<string, string>>,
): string {
  const root = baseSystem();
  const host = (path: string) => `/host${resolve(path)}`;
  writeFileSync(join(root, 'etc/hostname'), 'counter\n');
  writeFileSync(
    join(root, UNIT),
    [
      '[Unit]',
      'Description=What the lab has to do',
      'After=dbus.service NetworkManager.service',
      '[Service]',
      'TimeoutStartSec=infinity',
      ...Object.entries(env).map(([name, value]) => `Environment=${name}=${value}`),
      `ExecStartPre=/bin/sh -c 'mkdir -p /lib/modules && mount --bind ${host(machine.modules)} /lib/modules'`,
      `ExecStart=/bin/sh -c '${host(node)} ${host(program)} > /dev/ttyS1; echo o > /proc/sysrq-trigger'`,
      'StandardError=journal+console',
      '',
    ].join('\n'),
  );
  const wanted = join(root, 'etc/systemd/system/multi-user.target.wants/lab.service');
  if (!existsSync(wanted)) symlinkSync('../lab.service', wanted);
  return makeDisk('system', { megabytes: MEGABYTES, from: root });
}
