/** A Debian as debootstrap leaves it, with the kernel and the boot loader of our disks: what those are compared with. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CACHE, fetched, recorded } from '../../runtime/disk/packages.ts';
import { PARTITIONS, put, writeFat } from '../../runtime/disk/partitions.ts';
import { COMPONENTS, PLATFORMS, RELEASE } from '../../runtime/disk/platforms.ts';

const MIB = 1024 * 1024;
const ESP = { start: 1, mebibytes: PARTITIONS[0].mebibytes } as const;
const ROOT = { start: ESP.start + ESP.mebibytes, mebibytes: 1500 } as const;
const MIRROR = 'http://deb.debian.org';

/** What its serial line says when `multi-user.target` is reached; what was written until then is on the disk. */
export const REACHED = 'reached multi-user.target';
/** Boot entry of the bare Debian. */
export const BARE_ENTRY = 'loader/entries/bare.conf';
const UNIT = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'sync; echo ${REACHED} > /dev/ttyS0'
[Install]
WantedBy=multi-user.target
`;

/** Makes the disk, or takes the one that was made; returns its path. Needs root, and Debian's archive. */
export function bareDebian(arch: string): string {
  const platform = PLATFORMS[arch]!;
  const packages = recorded(arch).filter(({ unpacked }) => unpacked);
  const of = (name: string) => packages.find(({ path }) => basename(path).startsWith(`${name}_`))!;
  const kernel = packages.find(({ path }) => basename(path).startsWith('linux-image-'))!;
  const [kernelName, kernelVersion] = basename(kernel.path).split('_');
  const key = createHash('sha256').update(`${kernel.sha256}${UNIT}`).digest('hex').slice(0, 16);
  const disk = resolve(CACHE, `bare-${arch}-${key}.img`);
  if (existsSync(disk)) return disk;

  const work = join(CACHE, `bare-${arch}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const root = join(work, 'root');
  const unit = join(work, 'reached.service');
  writeFileSync(unit, UNIT);
  const suites = [
    [`${MIRROR}/debian`, RELEASE],
    [`${MIRROR}/debian`, `${RELEASE}-updates`],
    [`${MIRROR}/debian-security`, `${RELEASE}-security`],
  ].map(([mirror, suite]) => `deb ${mirror} ${suite} ${COMPONENTS.join(' ')}`);
  execFileSync(
    'mmdebstrap',
    [
      ...['--quiet', '--mode=root', '--variant=debootstrap', `--architectures=${arch}`],
      `--include=systemd-sysv,initramfs-tools,zstd,${kernelName}=${decodeURIComponent(kernelVersion!)}`,
      '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
      `--customize-hook=upload ${unit} /etc/systemd/system/reached.service`,
      '--customize-hook=chroot "$1" systemctl --quiet enable reached.service',
      '--customize-hook=echo "LABEL=bare / ext4 errors=remount-ro 0 1" > "$1/etc/fstab"',
      ...[RELEASE, root, ...suites],
    ],
    { stdio: ['ignore', 2, 2] },
  );

  const [loader] = fetched([of('systemd-boot-efi')]);
  execFileSync('dpkg-deb', ['-x', loader!, join(work, 'loader')]);
  const installed = readdirSync(join(root, 'boot'));
  const bootFile = (prefix: string) =>
    readFileSync(join(root, 'boot', installed.find((name) => name.startsWith(prefix))!));
  const image = `${disk}.new`;
  rmSync(image, { force: true });
  writeFileSync(image, '');
  truncateSync(image, (ROOT.start + ROOT.mebibytes + 1) * MIB);
  execFileSync('sfdisk', ['--quiet', image], {
    input: `label: gpt\n\nstart=${ESP.start}MiB, size=${ESP.mebibytes}MiB, type=uefi\nstart=${ROOT.start}MiB, size=${ROOT.mebibytes}MiB, type=linux\n`,
  });
  const options = `root=LABEL=bare ro console=tty0 console=${platform.serial} quiet`;
  const esp = join(work, 'boot.vfat');
  const boot = {
    ...Object.fromEntries(
      Object.entries(platform.firmware).map(([path, file]) => [path, readFileSync(join(work, 'loader', file))]),
    ),
    'loader/loader.conf': 'timeout 0\n',
    [BARE_ENTRY]: `title bare\nlinux /linux\ninitrd /initrd\noptions ${options}\n`,
    linux: bootFile('vmlinuz-'),
    initrd: bootFile('initrd.img-'),
  };
  writeFat(esp, boot, 'ba5eba11', 0, work);
  put(esp, image, ESP.start * MIB);
  execFileSync('mkfs.ext4', [
    ...['-q', '-F', '-L', 'bare', '-d', root, '-E', `offset=${ROOT.start * MIB}`],
    ...[image, `${ROOT.mebibytes}M`],
  ]);
  rmSync(work, { recursive: true, force: true });
  renameSync(image, disk);
  return disk;
}
