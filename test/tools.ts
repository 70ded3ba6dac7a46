/** System programs that some suites need: installed where this process may, named where it may not. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../runtime/base/thrown.ts';

/** What every suite takes for granted: Node, git, and a shell with its utilities (POSIX). */
export const EVERYWHERE = 'cat cd command cp dd echo env find git id mkfifo node npm npx printf rm sh sleep tr'.split(
  ' ',
);

/** Chromium without windows: with them each visitor has a window of its own, which half of the time goes into. */
export const BROWSER = 'chromium-headless-shell';

/** Programs, and files by their whole path, that `npm test` calls or reads, each with its Debian package. */
export const OF_TESTS: Readonly<Record<string, string>> = {
  'avahi-browse': 'avahi-utils',
  'avahi-daemon': 'avahi-daemon',
  'avahi-publish': 'avahi-utils',
  'avahi-resolve': 'avahi-utils',
  bash: 'bash',
  base64: 'coreutils',
  basenc: 'coreutils',
  busybox: 'busybox-static',
  cancel: 'cups-client',
  [BROWSER]: BROWSER,
  cjpeg: 'libjpeg-turbo-progs',
  cpio: 'cpio',
  cupsd: 'cups-daemon',
  curl: 'curl',
  cut: 'coreutils',
  'dbus-daemon': 'dbus',
  'dbus-send': 'dbus-bin',
  depmod: 'kmod',
  djpeg: 'libjpeg-turbo-progs',
  dpkg: 'dpkg',
  'dpkg-deb': 'dpkg',
  e2fsck: 'e2fsprogs',
  ffmpeg: 'ffmpeg',
  grep: 'grep',
  'hb-shape': 'libharfbuzz-bin',
  head: 'coreutils',
  ip: 'iproute2',
  jsonschema: 'python3-jsonschema',
  ipptool: 'cups-ipp-utils',
  lp: 'cups-client',
  lpadmin: 'cups-client',
  lpstat: 'cups-client',
  'mkfs.ext4': 'e2fsprogs',
  modprobe: 'kmod',
  openssl: 'openssl',
  perl: 'perl-base',
  pg_ctlcluster: 'postgresql',
  pg_dump: 'postgresql-client',
  python3: 'python3',
  'qemu-system-x86_64': 'qemu-system-x86',
  sed: 'sed',
  sha256sum: 'coreutils',
  strace: 'strace',
  'systemd-analyze': 'systemd',
  tar: 'tar',
  timeout: 'coreutils',
  udevadm: 'udev',
  unshare: 'util-linux',
  zbarimg: 'zbar-tools',
  ZXingReader: 'zxing-cpp-tools',
  '/usr/share/unicode/BidiCharacterTest.txt': 'unicode-data',
  '/usr/share/unicode/auxiliary/LineBreakTest.txt': 'unicode-data',
};

const LANGUAGES =
  `amh ara ben chi_sim chi_tra fas guj heb hin hye jpn kan kat kaz khm kor lao mal mar mya pan sin srp tam
  tel tha tur urd vie`.split(/\s+/);
/** The file with which tesseract(1) reads a language, by its own name for it. */
export const tesseractData = (language: string) => `/usr/share/tesseract-ocr/5/tessdata/${language}.traineddata`;

/** What stories and benches need besides. */
const OF_STORIES: Readonly<Record<string, string>> = {
  'apt-cache': 'apt',
  'apt-get': 'apt',
  caddy: 'caddy',
  chown: 'coreutils',
  debootstrap: 'debootstrap',
  debugfs: 'e2fsprogs',
  fallocate: 'util-linux',
  getconf: 'libc-bin',
  go: 'golang-go',
  gs: 'ghostscript',
  'hb-view': 'libharfbuzz-bin',
  java: 'default-jdk-headless',
  javac: 'default-jdk-headless',
  lintian: 'lintian',
  mcopy: 'mtools',
  mcs: 'mono-mcs',
  mdir: 'mtools',
  'mkfs.vfat': 'dosfstools',
  mksquashfs: 'squashfs-tools',
  mmdebstrap: 'mmdebstrap',
  mono: 'mono-runtime',
  mtype: 'mtools',
  nginx: 'nginx-light',
  nsenter: 'util-linux',
  p910nd: 'p910nd',
  'pango-view': 'pango1.0-tools',
  pgrep: 'procps',
  pgbouncer: 'pgbouncer',
  php: 'php-cli',
  psql: 'postgresql-client',
  'qemu-aarch64-static': 'qemu-user-static',
  'qemu-system-aarch64': 'qemu-system-arm',
  ruby: 'ruby',
  setpriv: 'util-linux',
  sfdisk: 'fdisk',
  tesseract: 'tesseract-ocr',
  unsquashfs: 'squashfs-tools',
  zstd: 'zstd',
  '/etc/ssl/certs/ca-certificates.crt': 'ca-certificates',
  '/usr/lib/mono/4.5/System.Net.Http.dll': 'libmono-system-net-http4.0-cil',
  '/usr/sbin/iw': 'iw',
  '/usr/share/AAVMF/AAVMF_CODE.fd': 'qemu-efi-aarch64',
  '/usr/share/OVMF/OVMF_CODE_4M.fd': 'ovmf',
  '/usr/share/keyrings/debian-archive-keyring.gpg': 'debian-archive-keyring',
  '/usr/lib/u-boot/qemu_arm64/u-boot.bin': 'u-boot-qemu',
  ...Object.fromEntries(LANGUAGES.map((each) => [tesseractData(each), `tesseract-ocr-${each.replace('_', '-')}`])),
};

/** The one list of what this tree calls besides `EVERYWHERE`, and the Debian package of each. */
export const TOOLS: Readonly<Record<string, string>> = { ...OF_TESTS, ...OF_STORIES };

// Not every user has the programs of the system in it.
process.env['PATH'] = `${process.env['PATH']}:/usr/sbin:/sbin`;
const has = (tool: string) =>
  tool.startsWith('/') ? existsSync(tool) : spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
const isDebian = () => existsSync('/etc/debian_version');
export const isRoot = () => process.getuid?.() === 0;

/** The line that installs these programs and files, to be pasted; where there is no apt-get(8), their packages by Debian's names. */
export function installing(tools: readonly string[]): string {
  const packages = [...new Set(tools.map((tool) => TOOLS[tool] ?? tool))].join(' ');
  if (!isDebian()) return `packages, by Debian's names: ${packages}`;
  const apt = `${isRoot() ? '' : 'sudo '}apt-get`;
  return `${apt} update${packages === '' ? '' : ` && ${apt} install -y --no-install-recommends ${packages}`}`;
}

/**
 * Installs programs and files of the list where this process may. Returns those that are missing nevertheless, and why they
 * could not be installed. Throws for what is not in the list.
 */
export function getTools(wanted: readonly string[]): { readonly lacking: string[]; readonly failure?: string } {
  const unlisted = wanted.filter((tool) => !Object.hasOwn(TOOLS, tool));
  if (unlisted.length > 0) throw new Error(`not in the list of test/tools.ts: ${unlisted.join(', ')}`);
  const missing = () => wanted.filter((tool) => !has(tool));
  const lacking = missing();
  if (lacking.length === 0 || !isRoot() || !isDebian()) return { lacking };
  const packages = [...new Set(lacking.map((tool) => TOOLS[tool] ?? tool))];
  try {
    aptGet(['update', '-qq']);
    aptGet(['install', '-y', '-qq', '--no-install-recommends', ...packages]);
    return { lacking: missing() };
  } catch (error) {
    return { lacking: missing(), failure: messageOf(error) };
  }
}

/**
 * Makes sure of programs and files of the list. Returns what is missing and how to get it, or undefined. With CI=true
 * something that is missing is an error, never a skip. Throws for what is not in the list.
 */
export function needTools(wanted: readonly string[]): string | undefined {
  const { lacking, failure } = getTools(wanted);
  if (lacking.length === 0) return undefined;
  const failed = failure === undefined ? '' : `, which failed: ${failure}`;
  return without(`${lacking.join(', ')} (${installing(lacking)}${failed})`);
}

/** Why something is left out; in CI that is an error. */
function without(what: string): string {
  const reason = `needs ${what}`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  return reason;
}

/** Why this process cannot make network namespaces, or undefined. With CI=true that is an error, never a skip. */
export const needRoot = (): string | undefined => (isRoot() ? undefined : without('root'));

type Unpacked = { readonly folder: string } | { readonly missing: string };

/** As `getUnpacked`; with CI=true a lack is an error. */
export function needUnpacked(name: string, ...earlier: readonly string[]): Unpacked {
  const unpacked = getUnpacked(name, ...earlier);
  return 'missing' in unpacked ? { missing: without(unpacked.missing) } : unpacked;
}

/**
 * A Debian package that is unpacked and not installed, because that would start a server: the folder that it is in, kept
 * between runs, or what cannot be had and why. `earlier`: what had its files in earlier releases of Debian.
 */
export function getUnpacked(name: string, ...earlier: readonly string[]): Unpacked {
  const folder = join('.cache/packages', name);
  if (existsSync(folder)) return { folder };
  if (!isDebian()) return { missing: `the package ${name} of Debian` };
  mkdirSync(dirname(folder), { recursive: true });
  const making = mkdtempSync(`${folder}-`);
  try {
    const download = (first: string, ...rest: readonly string[]): void => {
      try {
        aptGet(['download', '-qq', first], making);
      } catch (error) {
        const [next, ...others] = rest;
        if (next === undefined) throw error;
        download(next, ...others);
      }
    };
    try {
      download(name, ...earlier);
    } catch {
      if (isRoot()) aptGet(['update', '-qq']);
      download(name, ...earlier);
    }
    const deb = readdirSync(making).find((file) => file.endsWith('.deb')) ?? '';
    execFileSync('dpkg', ['-x', join(making, deb), making]);
    rmSync(join(making, deb));
    renameSync(making, folder);
    return { folder };
  } catch (error) {
    rmSync(making, { recursive: true });
    return { missing: `the package ${name} (${installing([])} && npm run tools: ${messageOf(error)})` };
  }
}

const LOCK_MS = 300_000;

/**
 * Runs apt-get(8), after another one that runs now. Servers of what it installs are not started (systemctl(1) is told that systemd is not
 * there). Throws with what it said when it fails.
 */
export function aptGet(args: readonly string[], cwd = '.'): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C', SYSTEMD_OFFLINE: '1' };
  for (const until = performance.now() + LOCK_MS; ; spawnSync('sleep', ['1'])) {
    const { status, stderr, error } = spawnSync('apt-get', [...args], { cwd, env, encoding: 'utf8' });
    if (status === 0) return;
    if (error !== undefined) throw new Error(`apt-get: ${error.message}`);
    const locked = /could not get lock|unable to lock|is another process using it/i.test(stderr);
    if (!locked || performance.now() > until) throw new Error(`apt-get ${args.join(' ')}: ${stderr.trim()}`);
  }
}
