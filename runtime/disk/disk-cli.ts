/**
 * `npm run disk`: a disk image of one variant for one architecture, which is written to a medium and starts as a node.
 * The same sources and the same recorded packages make the same image, byte for byte.
 */
import { execFileSync } from 'node:child_process';
import { createHash, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import pkg from '../../package.json' with { type: 'json' };
import { LICENSES } from '../assembly/licenses/licenses.ts';
import { debianComponent, npmComponent, npmComponents, sbomOf } from '../assembly/licenses/sbom.ts';
import { ARCHITECTURES, NODE_VERSION } from '../assembly/package/architectures.ts';
import { signingOf } from '../assembly/variant/write-image.ts';
import { messageOf } from '../base/thrown.ts';
import { pack } from '../image/pack.ts';
import { inNamespaces } from './namespace.ts';
import { CACHE, fetched, type Package, recorded, recordPackages, sha256Of } from './packages.ts';
import { blockMap, writeDisk } from './partitions.ts';
import { BOARDS, PLATFORMS, type Platform, RELEASE } from './platforms.ts';
import { entryOf } from './system/install.ts';
import { optionsFile } from './system/u-boot.ts';
import { environmentFile, scriptImage } from './u-boot-script.ts';
import { addVerity } from './verity.ts';

const NAMES = Object.keys(PLATFORMS).join('|');
const USAGE = `usage: npm run disk -- --variant NAME --arch ${NAMES} [--key FILE]
       npm run disk -- --variant NAME --board ${Object.keys(BOARDS).join('|')} [--key FILE]
       npm run disk -- --packages --arch ${NAMES}     records Debian's packages of today\n`;
const SOURCES = resolve('runtime/disk');
/** Modification time of every file on the disk, in seconds since 1970, as in the package. */
const EPOCH = Number(process.env['SOURCE_DATE_EPOCH'] ?? Date.UTC(2026, 0, 1) / 1000);
/** Packages that are on no disk: `make-root.sh` removes their files. The list has paths of files, too, and remarks. */
const BUILD_ONLY = readFileSync(join(SOURCES, 'removed.txt'), 'utf8')
  .replace(/^#.*$/gm, '')
  .split(/\s+/)
  .filter((word) => word !== '' && !word.includes('/'));
const TOOLS = ['mmdebstrap', 'mksquashfs', 'depmod', 'cpio', 'zstd', 'sfdisk', 'mkfs.vfat', 'mcopy', 'unshare'];
/** How hard it is compressed, as zstd(1) takes it from there: what ships is a sixth smaller than at 3, for three minutes more. */
const { ZSTD_CLEVEL = '19' } = process.env;
const DEBIAN = 'apt-get install mmdebstrap squashfs-tools kmod cpio zstd fdisk dosfstools mtools';

/** Beside the path of the image, which alone is on the standard output: making one takes minutes. */
const tell = (step: string) => void process.stderr.write(`disk: ${step}\n`);

/** The base system of these packages, as a tar file in the cache. */
async function baseOf(arch: string, packages: readonly Package[]): Promise<string> {
  const installed = packages.filter(({ unpacked }) => !unpacked);
  const files = fetched(installed, tell);
  const recipe = [readFileSync(join(SOURCES, 'make-base.sh')), EPOCH, ...installed.map(({ sha256 }) => sha256)];
  const key = createHash('sha256').update(recipe.join('\n')).digest('hex').slice(0, 16);
  const base = join(CACHE, `base-${arch}-${key}.tar`);
  if (existsSync(base)) return base;
  tell(`installing the base system from ${files.length} packages`);
  const repository = join(CACHE, `repository-${arch}`);
  rmSync(repository, { recursive: true, force: true });
  mkdirSync(repository, { recursive: true });
  const index = files.map((file, at) => {
    const name = basename(installed[at]!.path);
    linkSync(file, join(repository, name));
    const control = execFileSync('dpkg-deb', ['--field', file], { encoding: 'utf8' }).trimEnd();
    return {
      control,
      text: `${control}\nFilename: ./${name}\nSize: ${statSync(file).size}\nSHA256: ${installed[at]!.sha256}\n`,
    };
  });
  writeFileSync(join(repository, 'Packages'), index.map(({ text }) => text).join('\n'));
  const names = index.map(({ control }) => /^Package: (\S+)$/m.exec(control)?.[1]);
  writeFileSync(join(repository, 'names'), names.join(','));
  await inNamespaces(
    ['sh', join(SOURCES, 'make-base.sh'), arch, RELEASE, repository, `${base}.new`],
    {
      SOURCE_DATE_EPOCH: String(EPOCH),
      TMPDIR: CACHE,
    },
    arch,
  );
  renameSync(`${base}.new`, base);
  return base;
}

async function makeDisk(variant: string, arch: string, platform: Platform, key: KeyObject): Promise<string> {
  const packages = recorded(arch);
  tell(`packing the node ${variant} for ${arch}`);
  const debs = execFileSync('npm', ['run', '-s', 'package', '--', '--variant', variant, '--arch', arch], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [node = '', pull = ''] = debs.split('\n');
  const base = await baseOf(arch, packages);
  const unpacked = fetched(
    packages.filter((one) => one.unpacked),
    tell,
  );
  const work = join(CACHE, `${variant}-${arch}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  await build({
    entryPoints: [join(SOURCES, 'system/main.ts')],
    outfile: join(work, 'system.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  tell('making the root file system');
  await inNamespaces(
    ['sh', join(SOURCES, 'make-root.sh'), work, base, resolve(node), resolve(pull), SOURCES, ...unpacked],
    {
      SOURCE_DATE_EPOCH: String(EPOCH),
      ZSTD_CLEVEL,
      FIRMWARE: Object.values(platform.firmware).join(' '),
      MODULES: platform.modules,
      REMOVED: platform.removed,
    },
    arch,
  );
  const root = join(work, 'root.squashfs');
  tell('hashing its blocks, writing the disk');
  const { blocks, hash } = addVerity(root);
  // `gpt`: the kernel uses the second copy of the partition table when the first one is half-written. Nobody debugs this
  // kernel: locked down (kernel_lockdown(7)) it loads only modules that Debian signed, and makes no files of tracefs.
  // Of 1 GiB, a kernel that may make huge pages keeps 126 MB from everybody (khugepaged raises vm.min_free_kbytes to 45,056).
  // What the kernel has for a group of processes is not counted as theirs: the tables for that alone are 4 MB. Nor does it try
  // each algorithm of its own at each start, which takes it as long as all else until the first program.
  const lean = 'debugfs=off transparent_hugepage=never cgroup.memory=nokmem cryptomgr.notests=1';
  const options = `console=tty0 console=${platform.serial} quiet panic=10 gpt lockdown=confidentiality ${lean}`;
  const rootA = `tillnode.root=a:${blocks}:${hash}`;
  const name = `tillnode-${variant}-${pkg.version}-${arch}.img`;
  const disk = join(work, name);
  const file = (path: string) => readFileSync(join(work, path));
  writeDisk(
    disk,
    {
      name: `tillnode/${variant}/${arch}`,
      root,
      epoch: EPOCH,
      boot: {
        ...firmwareOf(platform, work),
        'loader/loader.conf': 'timeout 0\neditor no\nauto-entries no\nauto-firmware no\n',
        'loader/entries/tillnode-a.conf': entryOf('a', pkg.version, 1, `${rootA} ${options}`),
        'a/linux': file('linux'),
        'a/initrd': file('initrd'),
        ...(platform.dosTable && { 'a/options': optionsFile(`${rootA} ${options}`) }),
      },
      dosTable: platform.dosTable,
    },
    work,
  );
  const about = JSON.stringify({ blocks, hash, options });
  const { securityFloor } = JSON.parse(readFileSync(join('dist', variant, 'image.json'), 'utf8')) as {
    securityFloor: number;
  };
  const bundle = pack(
    { type: 'system', variant, version: pkg.version, floor: securityFloor },
    [
      { name: 'filesystem', bytes: file('root.squashfs') },
      { name: 'initrd', bytes: file('initrd') },
      { name: 'linux', bytes: file('linux') },
      { name: 'system.json', bytes: Buffer.from(about) },
    ],
    key,
  );
  writeFileSync(join('dist', variant, `tillnode-${variant}-${pkg.version}-${arch}.system`), bundle);
  writeFileSync(
    join('dist', variant, `tillnode-${variant}-${pkg.version}-${arch}.cdx.json`),
    sbomOf({ name: `tillnode-${variant}-${arch}`, version: pkg.version }, [
      ...componentsOf(file('packages').toString()),
      ...npmComponents(readFileSync(join('dist', variant, LICENSES), 'utf8')),
      npmComponent('usb', pkg.devDependencies.usb, 'MIT AND LGPL-2.1-or-later'),
      ...runtimeOf(arch),
    ]),
  );
  const out = join('dist', variant, `${name}.zst`);
  writeFileSync(join('dist', variant, `${name}.bmap`), blockMap(disk));
  tell('compressing the disk');
  execFileSync('zstd', ['-q', '-f', `-${ZSTD_CLEVEL}`, '-T1', disk, '-o', out]);
  writeFileSync(`${out}.sha256`, `${sha256Of(out)}  ${basename(out)}\n`);
  return out;
}

/** What firmware reads on the boot partition; on a Raspberry Pi also the script and the settings that are ours. */
function firmwareOf({ firmware, dosTable }: Platform, work: string): Record<string, Uint8Array> {
  const files = Object.entries(firmware).map(([to, from]) => [to, readFileSync(join(work, 'loader', basename(from)))]);
  const own = (name: string) => readFileSync(join(SOURCES, 'raspberry-pi', name));
  return {
    ...Object.fromEntries(files),
    ...(dosTable && {
      'config.txt': own('config.txt'),
      'boot.scr': scriptImage(own('boot.txt').toString(), EPOCH),
      'uboot.env': environmentFile(own('environment.txt').toString()),
    }),
  };
}

/** The packages that `make-root.sh` listed: name, version, source, architecture. */
const componentsOf = (list: string) =>
  list
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([name = '']) => !/^tillnode(-pull)?$/.test(name) && !BUILD_ONLY.includes(name))
    .map(([name = '', version = '', , arch = '']) => debianComponent(name, version, arch, RELEASE));

/** The Node of the package, from npm. */
function runtimeOf(arch: string) {
  const name = ARCHITECTURES[arch]?.node?.name;
  return name === undefined ? [] : [npmComponent(name, NODE_VERSION, 'MIT')];
}

async function main(args: readonly string[]): Promise<number> {
  let values: {
    variant?: string | undefined;
    arch?: string | undefined;
    board?: string | undefined;
    key?: string | undefined;
    packages?: boolean | undefined;
    help?: boolean | undefined;
  } = {};
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        variant: { type: 'string' },
        arch: { type: 'string' },
        board: { type: 'string' },
        key: { type: 'string' },
        packages: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }));
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
  }
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { variant, packages = false } = values;
  const arch = values.arch ?? archOf(values.board ?? '');
  const platform = PLATFORMS[arch];
  if (platform === undefined || packages === (variant !== undefined)) {
    process.stderr.write(USAGE);
    return 2;
  }
  if (packages) {
    recordPackages(arch, platform);
    return 0;
  }
  if (variant === 'camera') throw new Error('camera needs ffmpeg, which is not on a disk yet: use the package');
  const lacking = TOOLS.filter((tool) => !has(tool));
  if (lacking.length > 0) throw new Error(`${lacking.join(', ')} missing: ${DEBIAN}`);
  if (process.getuid?.() !== 0) throw new Error('only root can make the files of a system');
  const { key } = signingOf({ release: false, keyFile: values.key });
  process.stdout.write(`${await makeDisk(variant!, arch, platform, key)}\n`);
  return 0;
}

/** The architecture of a board's disk, or nothing if there is no such board. Throws with the reason if it can have none. */
function archOf(name: string): string {
  const board = Object.hasOwn(BOARDS, name) ? BOARDS[name] : undefined;
  if (board === undefined) return '';
  if ('why' in board) throw new Error(board.why);
  return board.arch;
}

const has = (command: string): boolean =>
  ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((folder) =>
    existsSync(join(folder, command)),
  );

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  },
);
