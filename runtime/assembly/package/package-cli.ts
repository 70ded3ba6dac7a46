/**
 * `npm run package`: a Debian package of one variant for one architecture. It holds the launcher, the factory image,
 * the native USB addon, a pinned Node of that architecture (armhf depends on Debian's), a hardened systemd unit, udev
 * and polkit rules, and a user of its own (Debian Policy 3 to 10).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import pkg from '../../../package.json' with { type: 'json' };
import { contentOf } from '../variant/write-image.ts';
import { ARCHITECTURES, type Architecture, addonOf, DEBIAN_NODE, nodeOf } from './architectures.ts';

const USAGE = `usage: npm run package -- --variant NAME --arch ${Object.keys(ARCHITECTURES).join('|')}\n`;
const CACHE = '.cache/package';
const SOURCES = 'runtime/assembly/package/debian';
const HOME = 'usr/lib/tillnode';
/** Modification time of every file in the package, in seconds since 1970: the same build makes the same package. */
const EPOCH = Number(process.env['SOURCE_DATE_EPOCH'] ?? Date.UTC(2026, 0, 1) / 1000);

/** Copies all files of the package to their place below `root`. */
function stage(root: string, variant: string, arch: string, architecture: Architecture): void {
  const put = (from: string, to: string, mode = 0o644) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(from, join(root, to), { recursive: true });
    if (statSync(from).isFile()) chmodSync(join(root, to), mode);
  };
  const write = (to: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    writeFileSync(join(root, to), content, { mode });
  };
  const built = join('dist', variant);
  put(join(built, 'launcher.js'), `${HOME}/launcher.js`);
  write(`${HOME}/package.json`, '{"type":"module"}\n');
  for (const name of contentOf(built)) put(join(built, name), `${HOME}/factory/${name}`);

  if (architecture.node === undefined) {
    mkdirSync(join(root, HOME, 'bin'), { recursive: true });
    symlinkSync(DEBIAN_NODE.path, join(root, HOME, 'bin/node'));
  } else {
    const node = nodeOf(architecture.node);
    put(join(node, 'bin/node'), `${HOME}/bin/node`, 0o755);
    write('usr/share/doc/tillnode/LICENSE.node.gz', gzipSync(readFileSync(join(node, 'LICENSE')), { level: 9 }));
  }
  const usb = `${HOME}/node_modules/usb`;
  for (const name of ['package.json', 'dist']) put(join('node_modules/usb', name), `${usb}/${name}`);
  const addon = addonOf(architecture);
  put(join('node_modules/usb', addon), `${usb}/${addon}`);
  for (const name of ['package.json', 'index.js', 'node-gyp-build.js']) {
    put(join('node_modules/node-gyp-build', name), `${HOME}/node_modules/node-gyp-build/${name}`);
  }

  put(join(SOURCES, 'tillnode.service'), 'lib/systemd/system/tillnode.service');
  put(join(SOURCES, '60-tillnode.rules'), 'lib/udev/rules.d/60-tillnode.rules');
  put(join(SOURCES, 'tillnode.rules'), 'usr/share/polkit-1/rules.d/60-tillnode.rules');
  put(join(SOURCES, 'tillnode.conf'), 'etc/NetworkManager/dnsmasq-shared.d/tillnode.conf');
  put(join(SOURCES, 'lintian-overrides'), 'usr/share/lintian/overrides/tillnode');
  write('usr/share/doc/tillnode/copyright', copyright(architecture));
  const entry = `tillnode (${pkg.version}) stable; urgency=medium\n\n  * Variant ${variant}.\n\n -- ${MAINTAINER}  ${new Date(EPOCH * 1000).toUTCString().replace('GMT', '+0000')}\n`;
  write('usr/share/doc/tillnode/changelog.gz', gzipSync(entry, { level: 9 }));

  for (const script of ['postinst', 'prerm', 'postrm']) put(join(SOURCES, script), `DEBIAN/${script}`, 0o755);
  write('DEBIAN/conffiles', '/etc/NetworkManager/dnsmasq-shared.d/tillnode.conf\n');
  const files = filesBelow(root).filter((path) => !path.startsWith('DEBIAN/'));
  const bytes = files.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  const md5 = (path: string) =>
    createHash('md5')
      .update(readFileSync(join(root, path)))
      .digest('hex');
  write('DEBIAN/md5sums', files.map((path) => `${md5(path)}  ${path}\n`).join(''));
  write('DEBIAN/control', control(variant, arch, architecture, Math.ceil(bytes / 1024)));
}

const MAINTAINER = 'tillnode maintainers <maintainers@tillnode.org>';

const control = (variant: string, arch: string, { node }: Architecture, kilobytes: number) =>
  [
    'Package: tillnode',
    `Version: ${pkg.version}`,
    `Architecture: ${arch}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${kilobytes}`,
    // Libraries that the prebuilt binaries of Node and of the addon are linked with.
    `Depends: adduser, libc6 (>= 2.28), libstdc++6 (>= 9), libudev1, ${node === undefined ? `${DEBIAN_NODE.depends}, ` : ''}udev`,
    `Recommends: network-manager (>= 1.36), wpasupplicant, dnsmasq-base, iproute2${variant === 'camera' ? ', ffmpeg' : ''}`,
    'Section: net',
    'Priority: optional',
    'Description: receipt printer, drawer, scanner and scale on the local network',
    ' A small service that joins a USB receipt printer, its cash drawer, a barcode',
    ' scanner and a scale to any software on the local network: a JSON API over HTTP,',
    ' raw ESC/POS on port 9100, live events and mDNS discovery.',
    ' .',
    ` This package holds the ${variant} variant. It owns the network of the machine it`,
    ' is installed on.',
    '',
  ].join('\n');

const NODE_COPYRIGHT = [
  'Files: usr/lib/tillnode/bin/node',
  'Copyright: Node.js contributors',
  'License: node',
  ' MIT, with the licenses of what Node.js bundles: /usr/share/doc/tillnode/LICENSE.node.gz.',
  '',
];

/** In the machine-readable form (copyright-format 1.0). */
function copyright({ node }: Architecture): string {
  const text = (path: string) =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (line.trim() === '' ? ' .' : ` ${line}`))
      .join('\n');
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    '',
    'Files: *',
    'Copyright: the tillnode authors',
    'License: MIT',
    text('LICENSE'),
    ' .',
    ' The packages and fonts in the image have licenses of their own: /usr/lib/tillnode/factory/licenses.txt.',
    '',
    'Files: usr/lib/tillnode/node_modules/*',
    'Copyright: the authors of node-usb and node-gyp-build',
    'License: MIT',
    '',
    'Files: usr/lib/tillnode/node_modules/usb/prebuilds/*',
    'Copyright: the authors of node-usb and of libusb, which is linked in',
    'License: MIT and LGPL-2.1+',
    ` The source of libusb stands beside that of the addon, in the npm package usb ${pkg.devDependencies.usb}.`,
    ' On Debian, the text of the GNU Lesser General Public License, version 2.1, is',
    ' /usr/share/common-licenses/LGPL-2.1.',
    '',
    ...(node === undefined ? [] : NODE_COPYRIGHT),
  ].join('\n');
}

const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

function main(args: readonly string[]): number {
  let variant: string | undefined;
  let arch: string | undefined;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { variant: { type: 'string' }, arch: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) {
      process.stdout.write(USAGE);
      return 0;
    }
    ({ variant, arch } = values);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
  }
  const architecture = ARCHITECTURES[arch ?? ''];
  if (variant === undefined || arch === undefined || architecture === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  for (const name of ['main.js', 'image.json', 'launcher.js']) {
    if (existsSync(join('dist', variant, name))) continue;
    process.stderr.write(`dist/${variant}/${name} is missing: npm run build -- --variant ${variant}\n`);
    return 1;
  }
  const root = join(CACHE, `${variant}-${arch}`);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o755);
  stage(root, variant, arch, architecture);
  const target = join('dist', variant, `tillnode-${variant}_${pkg.version}_${arch}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z0', '--build', root, target], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH) },
  });
  process.stdout.write(`${target}\n`);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
