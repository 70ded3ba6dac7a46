/** What all Debian packages here have in common (Debian Policy 3 to 10): their files on the way in, and `dpkg-deb`. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import pkg from '../../../package.json' with { type: 'json' };

/** Modification time of every file in a package, in seconds since 1970: the same build makes the same package. */
export const EPOCH = Number(process.env['SOURCE_DATE_EPOCH'] ?? Date.UTC(2026, 0, 1) / 1000);
const MAINTAINER = 'tillnode maintainers <maintainers@tillnode.org>';
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** What every Debian reads; a package that is only tried may have another one, by dpkg-deb(1)'s own variable. */
const COMPRESSION = process.env['DPKG_DEB_COMPRESSOR_TYPE'] === undefined ? ['-Zxz', '-z0'] : [];

/** A package in the making. */
export interface Staged {
  /** Copies a file, or a folder with all that is in it, to a path of the package. */
  put(from: string, to: string, mode?: number): void;
  write(to: string, content: string | Uint8Array, mode?: number): void;
  writeGzip(to: string, content: string | Uint8Array): void;
}

/** Empties a folder for the files of a package. */
export function stagedIn(root: string): Staged {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o755);
  const place = (to: string): string => {
    const path = join(root, to);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  const write: Staged['write'] = (to, content, mode = 0o644) => writeFileSync(place(to), content, { mode });
  return {
    write,
    put: (from, to, mode = 0o644) => {
      cpSync(from, place(to), { recursive: true });
      if (statSync(from).isFile()) chmodSync(join(root, to), mode);
    },
    writeGzip: (to, content) => write(to, gzipSync(content, { level: 9 })),
  };
}

/** What a package says of itself. */
export interface About {
  readonly name: string;
  readonly arch: string;
  readonly depends: string;
  readonly recommends?: string;
  /** One line, without a full stop. */
  readonly synopsis: string;
  /** Lines of up to 80 characters; '.' is an empty one. */
  readonly description: readonly string[];
  /** What changed, for the one entry of its changelog. */
  readonly change: string;
  /** The folder with its maintainer scripts. */
  readonly scripts: string;
  /** Configuration files, as absolute paths. */
  readonly conffiles?: readonly string[];
}

/** Makes the package of what is staged in `root`; the user and group of every file is root. */
export function buildDeb(root: string, staged: Staged, about: About, target: string): void {
  const { name, arch, depends, recommends, synopsis, description, change, scripts, conffiles = [] } = about;
  const date = new Date(EPOCH * 1000).toUTCString().replace('GMT', '+0000');
  staged.writeGzip(
    `usr/share/doc/${name}/changelog.gz`,
    `${name} (${pkg.version}) stable; urgency=medium\n\n  * ${change}\n\n -- ${MAINTAINER}  ${date}\n`,
  );
  for (const script of SCRIPTS) staged.put(join(scripts, script), `DEBIAN/${script}`, 0o755);
  if (conffiles.length > 0) staged.write('DEBIAN/conffiles', conffiles.map((path) => `${path}\n`).join(''));
  const files = filesBelow(root).filter((path) => !path.startsWith('DEBIAN/'));
  const bytes = files.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  const md5 = (path: string) =>
    createHash('md5')
      .update(readFileSync(join(root, path)))
      .digest('hex');
  staged.write('DEBIAN/md5sums', files.map((path) => `${md5(path)}  ${path}\n`).join(''));
  const fields = [
    `Package: ${name}`,
    `Version: ${pkg.version}`,
    `Architecture: ${arch}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${depends}`,
    ...(recommends === undefined ? [] : [`Recommends: ${recommends}`]),
    // What it is to other packages, it is whatever their architecture.
    'Multi-Arch: foreign',
    `Homepage: ${pkg.homepage}`,
    'Section: net',
    'Priority: optional',
    `Description: ${synopsis}`,
    ...description.map((line) => ` ${line}`),
  ];
  staged.write('DEBIAN/control', `${fields.join('\n')}\n`);
  execFileSync('dpkg-deb', ['--root-owner-group', ...COMPRESSION, '--build', root, target], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH) },
  });
}

/** All files below a folder, by their paths from there, in order. */
export const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

/** The head of a `copyright` file in the machine-readable form (copyright-format 1.0), with the license of this project. */
export const copyrightHead = (licenses: string): string =>
  [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    '',
    'Files: *',
    'Copyright: the tillnode authors',
    'License: MIT',
    paragraphs(readFileSync('LICENSE', 'utf8')),
    ' .',
    ` ${licenses}`,
    '',
  ].join('\n');

/** A text as the continued lines of a field. */
export const paragraphs = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line.trim() === '' ? ' .' : ` ${line}`))
    .join('\n');
