/**
 * A Debian with nothing but what every Debian has, git, and the library that Node needs: a folder, in which commands run as an ordinary user who has
 * no home to write to, 1 MB of temporary space, no compiler and no Python.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
export const ROOT_TOOLS = ['mmdebstrap', 'unshare', 'ip', CERTIFICATES];
const MIRROR = 'http://deb.debian.org/debian';
const USER = 1000;
export const NODES = ['20', '22', '24'] as const;
export type NodeLine = (typeof NODES)[number];

/** The Nodes and package managers, installed once from the registry by their own lock file. */
function machines(): string {
  const folder = resolve('.cache/machines');
  cpSync('test/assembly/machines', folder, { recursive: true });
  if (existsSync(join(folder, 'bin/24'))) return folder;
  // `npm ci` refuses a lock file that lacks packages for other platforms, and npm 11 writes such ones.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', '--no-save', ...quiet], { cwd: folder });
  const modules = join(folder, 'node_modules');
  // npx of Node 20 wants the folder of what is installed for all, empty as it may be.
  mkdirSync(join(folder, 'bin/lib'), { recursive: true });
  for (const line of NODES) {
    const bin = join(folder, 'bin', line);
    mkdirSync(bin, { recursive: true });
    cpSync(join(modules, `node-${line}-${process.arch}`, 'bin/node'), join(bin, 'node'));
    const start = (name: string, script: string) => {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec node "/srv/node_modules/${script}" "$@"\n`);
      chmodSync(join(bin, name), 0o755);
    };
    start('npm', `npm-of-node-${line}/bin/npm-cli.js`);
    start('npx', `npm-of-node-${line}/bin/npx-cli.js`);
    start('pnpm', 'pnpm/bin/pnpm.mjs');
    start('yarn', 'yarn/bin/yarn.js');
  }
  return folder;
}

export interface MinimalRoot {
  /** A folder of the host that is `/home` there, and the user's. */
  readonly home: string;
  /**
   * Runs a shell script there in `/home/FOLDER`; what it said. Throws with that where it fails. Without `online` it has an
   * interface of its own, `lo`, with 127.0.0.1 alone.
   */
  run(folder: string, script: string, options: { readonly node: NodeLine; readonly online?: boolean }): string;
  remove(): void;
}

/** What the mount and the network namespace are given before the root is entered: the root, home, the machines. */
const ENTER = `
mount --make-rprivate /
mount -t tmpfs -o size=1m,mode=1777 tmpfs "$1/tmp"
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mount --rbind /dev "$1/dev"
mount --bind "$2" "$1/home"
mount --bind "$3" "$1/srv"
`;
const OFFLINE = `
ip link set lo up
echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
`;
const CHROOT = `exec chroot --userspec=${USER}:${USER} "$1" sh -ec "$4" "$5"`;

/** `suite`: a release of Debian. Needs root, and on first use the network. */
export function minimalRoot(suite: string): MinimalRoot {
  const path = resolve('.cache/roots', `minimal-${suite}`);
  if (!existsSync(path)) {
    const making = `${path}.making`;
    rmSync(making, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    const options = ['--quiet', '--variant=essential', '--include=git,ca-certificates,libstdc++6'];
    execFileSync('mmdebstrap', [...options, suite, making, MIRROR], { stdio: ['ignore', 'ignore', 'inherit'] });
    // The names and certificates by which this machine reaches a registry.
    for (const file of ['/etc/resolv.conf', CERTIFICATES]) cpSync(file, join(making, file), { dereference: true });
    renameSync(making, path);
  }
  const srv = machines();
  const home = resolve('.cache/homes', suite);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  mkdirSync(join(srv, 'store'), { recursive: true });
  for (const each of [home, join(srv, 'store')]) chownSync(each, USER, USER);
  return {
    home,
    run(folder, script, { node, online = false }) {
      const env = {
        PATH: `/srv/bin/${node}:/usr/sbin:/usr/bin:/sbin:/bin`,
        HOME: '/nonexistent',
        LANG: 'C',
        TZ: 'Asia/Kathmandu',
        NODE_EXTRA_CA_CERTS: CERTIFICATES,
        npm_config_cache: '/srv/store/npm',
        npm_config_store_dir: '/srv/store/pnpm',
        npm_config_update_notifier: 'false',
        YARN_CACHE_FOLDER: '/srv/store/yarn',
        XDG_CACHE_HOME: '/srv/store',
      };
      const namespaces = ['--mount', '--pid', '--fork', '--kill-child', ...(online ? [] : ['--net'])];
      const enter = ['sh', '-ec', `${ENTER}${online ? '' : OFFLINE}${CHROOT}`, 'sh', path, home, srv];
      const inside = `cd "/home/$0"\n${script}`;
      const { status, stdout, stderr } = spawnSync('unshare', [...namespaces, ...enter, inside, folder], {
        env,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      });
      if (status !== 0) throw new Error(`ended with ${status}: ${stdout.slice(-3000)}${stderr.slice(-3000)}`);
      return stdout;
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
