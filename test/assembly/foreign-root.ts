/**
 * A Debian of any architecture as a folder, and programs run in it on this machine: qemu-user, told to the kernel in a
 * user namespace of its own (binfmt_misc(5), Linux 6.7), so that nothing of the host changes and what a program starts
 * is run the same way.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { emulatorOf } from '../../runtime/assembly/package/emulator.ts';

interface Foreign {
  /**
   * The Debian releases that have what the package depends on. The second is taken where the mirror is changing the first:
   * then its index and its list of checksums are of two versions, for hours.
   */
  readonly suites: readonly string[];
  readonly packages: readonly string[];
}
const MIRROR = 'http://deb.debian.org/debian';
const LIBRARIES = ['base-files', 'libc6', 'libstdc++6', 'libudev1'];
const FOREIGN: Readonly<Record<string, Foreign>> = {
  amd64: { suites: ['bookworm'], packages: LIBRARIES },
  arm64: { suites: ['bookworm'], packages: LIBRARIES },
  armhf: {
    suites: ['trixie', 'forky'],
    packages: [...LIBRARIES, 'nodejs'],
  },
};

export const FOREIGN_TOOLS = ['mmdebstrap', 'qemu-aarch64-static', '/usr/share/keyrings/debian-archive-keyring.gpg'];

export interface Root {
  readonly path: string;
  /** Starts a program of the root in it; what it starts runs there too. Its pid is the program's. */
  start(program: string, ...args: readonly string[]): ChildProcess;
}

function makeRoot(path: string, arch: string, suite: string, packages: readonly string[]): void {
  const options = [
    ...['--quiet', '--variant=extract', `--architectures=${arch}`, `--include=${packages.join(',')}`],
    '--aptopt=Acquire::Retries "3"',
    // The index of a release in the making is valid for a week, which a mirror may outlast.
    '--aptopt=Acquire::Check-Valid-Until "false"',
  ];
  execFileSync('mmdebstrap', [...options, suite, path, MIRROR], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** A root with what packages of this architecture depend on, and this package unpacked in it. */
export function foreignRoot(arch: string, deb: string): Root {
  const { suites, packages } = FOREIGN[arch]!;
  const path = resolve('.cache/roots', arch);
  if (!existsSync(path)) {
    const making = `${path}.making`;
    mkdirSync(dirname(path), { recursive: true });
    for (const [at, suite] of suites.entries()) {
      rmSync(making, { recursive: true, force: true });
      try {
        makeRoot(making, arch, suite, packages);
        break;
      } catch (error) {
        if (at === suites.length - 1) throw error;
      }
    }
    renameSync(making, path);
  }
  rmSync(`${path}/usr/lib/tillnode`, { recursive: true, force: true });
  execFileSync('sh', ['-c', 'dpkg-deb --fsys-tarfile "$0" | tar -x --keep-directory-symlink -C "$1"', deb, path]);
  return {
    path,
    start(program, ...args) {
      const steps = [
        emulatorOf(arch)?.register ?? ':',
        'mount --rbind /dev "$1/dev"',
        'mount --rbind /proc "$1/proc"',
        'exec chroot "$@"',
      ];
      return spawn('unshare', ['-Urm', 'sh', '-ec', steps.join('\n'), 'sh', path, program, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      });
    },
  };
}
