/**
 * `npm run package`: a Debian package of one variant for one architecture. It holds the launcher, the factory image,
 * the native USB addon, a pinned Node of that architecture (armhf depends on Debian's), a hardened systemd unit, udev
 * and polkit rules, and a user of its own. Beside it, that of `tillnode pull`. Prints their paths, a line each.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pkg from '../../../package.json' with { type: 'json' };
import { BUNDLE, MAIN } from '../../image/compiled.ts';
import { LICENSES } from '../licenses/licenses.ts';
import { genericComponent, npmComponent, npmComponents, sbomOf } from '../licenses/sbom.ts';
import { compileAhead } from '../variant/compile-ahead.ts';
import { contentOf } from '../variant/write-image.ts';
import { ARCHITECTURES, type Architecture, addonOf, DEBIAN_NODE, NODE_VERSION, nodeOf } from './architectures.ts';
import { type About, buildDeb, copyrightHead, EPOCH, filesBelow, stagedIn } from './deb.ts';
import { manPage } from './man-page.ts';
import { pullPackage } from './pull-package.ts';

const USAGE = `usage: npm run package -- --variant NAME --arch ${Object.keys(ARCHITECTURES).join('|')}\n`;
const CACHE = '.cache/package';
const SOURCES = 'runtime/assembly/package/debian';
const HOME = 'usr/lib/tillnode';
const DNSMASQ = '/etc/NetworkManager/dnsmasq-shared.d/tillnode.conf';

/** Makes the package in `target`; `root` is made anew for its files. */
function nodePackage(root: string, variant: string, arch: string, architecture: Architecture, target: string): void {
  const staged = stagedIn(root);
  const { put, write, writeGzip } = staged;
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
    writeGzip('usr/share/doc/tillnode/LICENSE.node.gz', readFileSync(join(node, 'LICENSE')));
  }
  // By the Node that runs it, where that runs here.
  if (architecture.node !== undefined && architecture.arch === process.arch)
    compileAhead(join(root, HOME, 'factory'), join(root, HOME, 'bin/node'));
  const usb = `${HOME}/node_modules/usb`;
  for (const name of ['package.json', 'dist']) put(join('node_modules/usb', name), `${usb}/${name}`);
  // For those who write programs with it.
  for (const path of filesBelow(join(root, usb))) if (/\.(map|d\.ts)$/.test(path)) rmSync(join(root, usb, path));
  const addon = addonOf(architecture);
  put(join('node_modules/usb', addon), `${usb}/${addon}`);
  for (const name of ['package.json', 'index.js', 'node-gyp-build.js']) {
    put(join('node_modules/node-gyp-build', name), `${HOME}/node_modules/node-gyp-build/${name}`);
  }

  // What starts it is usr/bin/tillnode.
  write(`${HOME}/cli.js`, readFileSync(join(built, 'cli.js'), 'utf8').replace(/^#!.*\n/, ''));
  put(join(SOURCES, 'tillnode'), 'usr/bin/tillnode', 0o755);
  const ask = (command: string) =>
    execFileSync(process.execPath, [join(built, 'cli.js'), command], { encoding: 'utf8' });
  const manual = manPage(ask('help'), pkg.version, new Date(EPOCH * 1000));
  writeGzip('usr/share/man/man1/tillnode.1.gz', manual);
  write('usr/share/bash-completion/completions/tillnode', ask('completion'));
  put(join(SOURCES, 'README.Debian'), 'usr/share/doc/tillnode/README.Debian');
  write('usr/share/doc/tillnode/sbom.cdx.json', bill(variant, architecture));

  put(join(SOURCES, 'tillnode.service'), 'usr/lib/systemd/system/tillnode.service');
  put(join(SOURCES, '60-tillnode.rules'), 'usr/lib/udev/rules.d/60-tillnode.rules');
  put(join(SOURCES, 'tillnode.rules'), 'usr/share/polkit-1/rules.d/60-tillnode.rules');
  put(join(SOURCES, 'tillnode.conf'), DNSMASQ.slice(1));
  put(join(SOURCES, 'lintian-overrides'), 'usr/share/lintian/overrides/tillnode');
  write('usr/share/doc/tillnode/copyright', copyright(architecture));
  buildDeb(root, staged, aboutNode(variant, arch, architecture), target);
}

const aboutNode = (variant: string, arch: string, { node }: Architecture): About => ({
  name: 'tillnode',
  arch,
  // Libraries that the prebuilt binaries of Node and of the addon are linked with.
  depends: `adduser, libc6 (>= 2.28), libstdc++6 (>= 9), libudev1, ${node === undefined ? `${DEBIAN_NODE.depends}, ` : ''}udev`,
  recommends: `network-manager (>= 1.36), wpasupplicant, dnsmasq-base, iproute2${variant === 'camera' ? ', ffmpeg' : ''}`,
  synopsis: 'receipt printer, drawer, scanner and scale on the local network',
  description: [
    'A small service that joins a USB receipt printer, its cash drawer, a barcode',
    'scanner and a scale to any software on the local network: a JSON API over HTTP,',
    'raw ESC/POS on port 9100, live events and mDNS discovery.',
    '.',
    `This package holds the ${variant} variant. It owns the network of the`,
    'machine it is installed on.',
  ],
  change: `Variant ${variant}.`,
  scripts: SOURCES,
  conffiles: [DNSMASQ],
});

/** What is in the package: that of the image, and what the image runs on. */
function bill(variant: string, { node }: Architecture): string {
  const about = (name: string) =>
    JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')) as {
      version: string;
      license: string;
    };
  const addon = ['usb', 'node-gyp-build'].map((name) => npmComponent(name, about(name).version, about(name).license));
  return sbomOf({ name: `tillnode-${variant}`, version: pkg.version }, [
    ...npmComponents(readFileSync(join('dist', variant, LICENSES), 'utf8')),
    ...addon,
    genericComponent('libusb', libusbVersion(), 'LGPL-2.1-or-later'),
    ...(node === undefined ? [] : [genericComponent('node', NODE_VERSION, 'MIT')]),
  ]);
}

/** The version in the sources that the addon is built of. */
function libusbVersion(): string {
  const text = readFileSync('node_modules/usb/libusb/libusb/version.h', 'utf8');
  return ['MAJOR', 'MINOR', 'MICRO'].map((part) => new RegExp(`LIBUSB_${part} (\\d+)`).exec(text)?.[1]).join('.');
}

const NODE_COPYRIGHT = [
  'Files: usr/lib/tillnode/bin/node',
  'Copyright: Node.js contributors',
  'License: node',
  ' MIT, with the licenses of what Node.js bundles: /usr/share/doc/tillnode/LICENSE.node.gz.',
  '',
];

const copyright = ({ node }: Architecture): string =>
  [
    copyrightHead(
      'The packages and fonts in the image have licenses of their own: /usr/lib/tillnode/factory/licenses.txt.',
    ),
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

async function main(args: readonly string[]): Promise<number> {
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
  for (const name of ['main.js', MAIN, BUNDLE, 'image.json', 'launcher.js', 'cli.js']) {
    if (existsSync(join('dist', variant, name))) continue;
    process.stderr.write(`dist/${variant}/${name} is missing: npm run build -- --variant ${variant}\n`);
    return 1;
  }
  const folder = join('dist', variant);
  const target = join(folder, `tillnode-${variant}_${pkg.version}_${arch}.deb`);
  nodePackage(join(CACHE, `${variant}-${arch}`), variant, arch, architecture, target);
  const pull = await pullPackage(join(CACHE, `${variant}-pull`), folder);
  process.stdout.write(`${target}\n${pull}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
