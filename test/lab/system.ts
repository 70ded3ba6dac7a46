/** A small Debian with systemd on a disk, for what is installed in a system. Kept in `.cache/lab` between runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDisk } from './disk.ts';
import { CACHE } from './machine.ts';

/** What a box has beside the base system: what the node's package depends on, and what it recommends. */
const PACKAGES = [
  ...['systemd', 'systemd-sysv', 'libpam-systemd', 'udev', 'dbus', 'adduser', 'kmod'],
  ...['iproute2', 'polkitd', 'network-manager', 'wpasupplicant', 'dnsmasq-base', 'ffmpeg'],
];
/** Packages with which the lab is the shop and the phone. */
const OF_THE_LAB = ['iw', 'curl', 'busybox'];
const MEGABYTES = 2000;

/** Fetched once; with the Debian release that is here. */
function baseSystem(): string {
  const root = join(CACHE, 'system');
  const wanted = [...PACKAGES, ...OF_THE_LAB].join(',');
  const complete = join(CACHE, 'system.complete');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return root;
  const release = /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  const made = `${root}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  execFileSync('debootstrap', ['--variant=minbase', `--include=${wanted}`, release, made], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  execFileSync('sh', ['-c', 'rm -rf "$0"/var/cache/apt/archives/*.deb "$0"/var/lib/apt/lists/*', made]);
  rmSync(root, { recursive: true, force: true });
  renameSync(made, root);
  writeFileSync(complete, wanted);
  return root;
}

interface Job {
  /** The Node of the host, for these programs. */
  readonly node: string;
  /** Runs when the system is up; the machine is switched off when it ends. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** Makes the radios of the machine, before its network manager looks for some. */
  readonly radios?: string;
}

const hostPath = (path: string) => `/host${resolve(path)}`;

/** A disk with a new system on it that has these things to do whenever it starts. The host's paths are below /host. */
export function makeSystem(name: string, { node, program, env, radios }: Job): string {
  const root = baseSystem();
  writeFileSync(join(root, 'etc/hostname'), 'counter\n');
  mkdirSync(join(root, 'lib/modules'), { recursive: true });
  const install = (unit: string, lines: readonly string[]) => {
    writeFileSync(join(root, `etc/systemd/system/${unit}`), lines.join('\n'));
    const wanted = join(root, `etc/systemd/system/multi-user.target.wants/${unit}`);
    rmSync(wanted, { force: true });
    symlinkSync(`../${unit}`, wanted);
  };
  install('lab.service', [
    '[Unit]',
    'Description=What the lab has to do',
    'After=dbus.service NetworkManager.service',
    '[Service]',
    'TimeoutStartSec=infinity',
    ...Object.entries(env).map(([name, value]) => `Environment=${name}=${value}`),
    `ExecStart=/bin/sh -c '${hostPath(node)} ${hostPath(program)} > /dev/ttyS1; echo o > /proc/sysrq-trigger'`,
    'StandardError=journal+console',
    '',
  ]);
  install('lab-radios.service', [
    '[Unit]',
    'Description=Radios of the machine',
    'Before=NetworkManager.service',
    '[Service]',
    'Type=oneshot',
    'RemainAfterExit=yes',
    `ExecStart=${radios === undefined ? '/bin/true' : `${hostPath(node)} ${hostPath(radios)}`}`,
    'StandardError=journal+console',
    '',
  ]);
  return makeDisk(name, { megabytes: MEGABYTES, from: root });
}
