/**
 * Debian's packages of a disk image, by the list that is recorded beside this file: every file of the archive by its
 * path and SHA-256. The list is made anew with `npm run disk -- --packages --arch ARCH`, and never while an image is made.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { COMPONENTS, INSTALLED, type Platform, RELEASE } from './platforms.ts';

/** Where everything that is fetched or can be used again stays. */
export const CACHE = resolve('.cache/disk');
const ARCHIVE = process.env['DEBIAN_MIRROR'] ?? 'http://deb.debian.org';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Files that are fetched in one go. */
const AT_ONCE = 25;

/** One file of Debian's archive. */
export interface Package {
  /** Path of the file below the mirror's root. */
  readonly path: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** Whether its files are taken and its scripts are not run. */
  readonly unpacked: boolean;
}

const listOf = (arch: string) => `runtime/disk/packages/${arch}.txt`;

/** The recorded packages of an architecture. Throws if a line is not `install|unpack SHA-256 path`. */
export function recorded(arch: string): Package[] {
  const lines = readFileSync(listOf(arch), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, how, sha256 = '', path = ''] = /^(install|unpack) ([0-9a-f]{64}) (\S+)$/.exec(line) ?? [];
    if (how === undefined) throw new Error(`${listOf(arch)}: not a package: ${line}`);
    return { path, sha256, unpacked: how === 'unpack' };
  });
}

/**
 * The paths of these packages in the cache; what is missing there, or has another digest than the recorded one, is fetched.
 * Throws if what was fetched has another digest, too. `tell` hears how far it is.
 */
export function fetched(packages: readonly Package[], tell: (step: string) => void = () => {}): string[] {
  const pool = join(CACHE, 'pool');
  mkdirSync(pool, { recursive: true });
  const placed = packages.map((one) => ({
    ...one,
    file: join(pool, `${one.sha256.slice(0, 16)}-${basename(one.path)}`),
  }));
  const wanted = placed.filter(({ file, sha256 }) => !existsSync(file) || sha256Of(file) !== sha256);
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    tell(`fetching packages, ${at} of ${wanted.length}`);
    const some = wanted.slice(at, at + AT_ONCE);
    const asked = some.flatMap(({ path, file, sha256 }) => [`${ARCHIVE}/${path}`, `${file}.new`, `SHA256:${sha256}`]);
    execFileSync('/usr/lib/apt/apt-helper', ['download-file', ...asked], { stdio: ['ignore', 'ignore', 'inherit'] });
    for (const { file, sha256, path } of some) {
      if (sha256Of(`${file}.new`) !== sha256) throw new Error(`${path} is not the recorded one`);
      renameSync(`${file}.new`, file);
    }
  }
  return placed.map(({ file }) => file);
}

/** Asks Debian's mirror which packages an image has today, and records them. */
export function recordPackages(arch: string, { unpacked }: Platform): void {
  const home = join(CACHE, `apt-${arch}`);
  rmSync(home, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'archives/partial', 'apt.conf.d', 'preferences.d'])
    mkdirSync(join(home, folder), { recursive: true });
  const sources = [
    [`${ARCHIVE}/debian`, RELEASE],
    [`${ARCHIVE}/debian`, `${RELEASE}-updates`],
    [`${ARCHIVE}/debian-security`, `${RELEASE}-security`],
  ].map(([mirror, suite]) => `deb [signed-by=${KEYRING}] ${mirror} ${suite} ${COMPONENTS.join(' ')}\n`);
  writeFileSync(join(home, 'sources.list'), sources.join(''));
  writeFileSync(join(home, 'status'), '');
  const settings = {
    'Dir::State': home,
    'Dir::State::lists': join(home, 'lists'),
    'Dir::State::status': join(home, 'status'),
    'Dir::Cache': home,
    'Dir::Etc': home,
    'APT::Architecture': arch,
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Debug::NoLocking': 'true',
  };
  const text = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  writeFileSync(join(home, 'apt.conf'), `${text.join('')}APT::Architectures { "${arch}"; };\n`);
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', '-y', ...args], {
      env: { ...process.env, APT_CONFIG: join(home, 'apt.conf') },
      encoding: 'utf8',
      cwd: join(home, 'archives'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  apt('update');
  const kernel = unpacked.map((name) => (name.startsWith('linux-image-') ? kernelOf(apt, name) : name));
  const urisOf = (output: string) =>
    output.split('\n').flatMap((line) => /^'([^']+)' (\S+)/.exec(line)?.slice(1) ?? []);
  const paths = new Map<string, string>();
  const learn = (output: string) => {
    const found = urisOf(output);
    for (let at = 0; at < found.length; at += 2) paths.set(found[at + 1]!, found[at]!.slice(ARCHIVE.length + 1));
  };
  const install = ['install', ...INSTALLED, '?essential'];
  learn(apt('--print-uris', ...install));
  apt('--download-only', ...install);
  const installs = readdirSync(join(home, 'archives')).filter((name) => name.endsWith('.deb'));
  learn(apt('--print-uris', 'download', ...kernel));
  apt('download', ...kernel);
  const all = readdirSync(join(home, 'archives')).filter((name) => name.endsWith('.deb'));
  const pool = join(CACHE, 'pool');
  mkdirSync(pool, { recursive: true });
  const lines = all.sort().map((name) => {
    const path = decodeURIComponent(paths.get(name) ?? '');
    if (path === '') throw new Error(`apt gave no address of ${name}`);
    const file = join(home, 'archives', name);
    const sha256 = sha256Of(file);
    const kept = join(pool, `${sha256.slice(0, 16)}-${basename(path)}`);
    if (!existsSync(kept)) linkSync(file, kept);
    return `${installs.includes(name) ? 'install' : 'unpack'} ${sha256} ${path}\n`;
  });
  mkdirSync('runtime/disk/packages', { recursive: true });
  const head = `# Debian's packages on a disk image for ${arch}, recorded by \`npm run disk -- --packages --arch ${arch}\`.\n`;
  writeFileSync(listOf(arch), head + lines.join(''));
}

/** The package of the kernel itself, which the named one depends on. */
function kernelOf(apt: (...args: string[]) => string, name: string): string {
  const [, kernel] = /'[^']*\/(linux-image-\d[^_/']*)_/.exec(apt('--print-uris', 'install', name)) ?? [];
  if (kernel === undefined) throw new Error(`${name} names no kernel`);
  return kernel;
}

/** SHA-256 of a file, in hexadecimal digits. */
export const sha256Of = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
