/** What the lab's machine is made of: Debian's stock kernel and an initramfs, kept in `.cache/lab` between runs. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { aptGet, needTools } from '../tools.ts';

export const CACHE = resolve('.cache/lab');
const TOOLS = [...['qemu-system-x86_64', 'busybox', 'cpio', 'depmod', 'udevadm'], ...['mkfs.ext4', 'ffmpeg']];
/** What it takes to mount the host's root, and a disk. */
const BOOT_MODULES = ['virtio_pci', '9pnet_virtio', '9p', 'overlay'];
const DISK_MODULES = ['virtio_blk', 'crc32c_generic', 'ext4'];

export interface Machine {
  readonly kernel: string;
  /** Directory with the kernel's modules, as /lib/modules. */
  readonly modules: string;
  readonly version: string;
}

const run = (command: string, args: readonly string[], cwd = CACHE): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 24 });

/** The machine, or why there is none here. With CI=true a missing part is an error. */
export function prepareMachine(): Machine | { readonly missing: string } {
  const missing = process.arch === 'x64' ? needTools(TOOLS) : 'needs an x86-64 machine';
  if (missing) return { missing };
  mkdirSync(CACHE, { recursive: true });
  try {
    return fetchKernel();
  } catch (error) {
    const reason = `needs Debian's kernel package: ${error instanceof Error ? error.message : error}`;
    if (process.env['CI'] === 'true') throw new Error(reason);
    return { missing: reason };
  }
}

function fetchKernel(): Machine {
  const have = existsSync(CACHE)
    ? readdirSync(CACHE).find((name) => existsSync(join(CACHE, name, 'complete')))
    : undefined;
  const version = have ?? newestKernel();
  const root = join(CACHE, version);
  const machine = { version, kernel: join(root, 'boot', `vmlinuz-${version}`), modules: join(root, 'lib/modules') };
  if (have) return machine;
  // Machines that are prepared at the same time make it each for itself; the first one is everybody's.
  const making = mkdtempSync(join(CACHE, 'kernel-'));
  try {
    aptGet(['download', '-qq', `linux-image-${version}`], making);
    const [deb] = readdirSync(making);
    if (deb === undefined) throw new Error(`apt-get left no file of linux-image-${version}`);
    const made = join(making, 'made');
    run('dpkg', ['-x', join(making, deb), made]);
    run('depmod', ['-b', made, version]);
    writeFileSync(join(made, 'complete'), '');
    try {
      renameSync(made, root);
    } catch (error) {
      if (!existsSync(join(root, 'complete'))) throw error;
    }
  } finally {
    rmSync(making, { recursive: true });
  }
  return machine;
}

function newestKernel(): string {
  const ask = () => /linux-image-(\d\S*-amd64)/.exec(run('apt-cache', ['depends', 'linux-image-amd64']))?.[1];
  const known = ask();
  if (known) return known;
  aptGet(['update', '-qq']);
  const version = ask();
  if (!version) throw new Error('apt knows no linux-image-amd64');
  return version;
}

interface Initramfs {
  /** Name of its file in `.cache/lab`. */
  readonly name: string;
  /** A shell script that is run on the host's root, or before the system on the disk is started. */
  readonly job: string;
  readonly hasDisk: boolean;
}

/** An initramfs that mounts the host's root and runs `job` in it, or starts the system on its disk; returns its path. */
export function buildInitramfs({ version, modules }: Machine, { name, job, hasDisk }: Initramfs): string {
  const root = join(CACHE, `${name}.initramfs`);
  rmSync(root, { recursive: true, force: true });
  for (const folder of ['bin', 'modules', 'proc', 'sys', 'dev']) mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(run('sh', ['-c', 'command -v busybox']).trim(), join(root, 'bin/busybox'));
  copyFileSync(resolve('test/lab/init'), join(root, 'init'));
  chmodSync(join(root, 'init'), 0o755);
  const wanted = hasDisk ? [...BOOT_MODULES, ...DISK_MODULES] : BOOT_MODULES;
  const paths = wanted.flatMap((wantedName) =>
    run('modprobe', ['-d', resolve(modules, '../..'), '-S', version, '--show-depends', wantedName])
      .split('\n')
      .flatMap((line) => /^insmod (\S+)/.exec(line)?.[1] ?? []),
  );
  const order = [...new Set(paths)];
  for (const path of order) copyFileSync(path, join(root, 'modules', basename(path)));
  writeFileSync(join(root, 'modules/order'), order.map((path) => `${basename(path)}\n`).join(''));
  writeFileSync(join(root, 'job'), job);
  const archive = join(CACHE, `${name}.cpio`);
  run('sh', ['-c', 'find . | cpio -o -H newc -F "$0" 2>&1', archive], root);
  return archive;
}
