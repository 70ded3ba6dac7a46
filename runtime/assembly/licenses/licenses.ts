/**
 * The licenses of the packages in a bundle, for the file beside it: MIT, ISC, BSD and Apache 2.0 require their notice
 * in every copy, and minifying removes it from the code. They are collected during the build, as only esbuild knows
 * which packages are in the bundle; a tool that reads package.json would also list what is not shipped.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';

/** Name of the file with the notices. */
export const LICENSES = 'licenses.txt';
const PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

/** A collection of notices. */
export interface Licenses {
  /**
   * An esbuild plugin, for every build that becomes part of the bundle: notes the packages of the files that it loads.
   */
  readonly collect: EsbuildPlugin;
  /** Adds the package in a folder, of which a file that is not code is shipped. */
  addPackage(root: string): void;
  /** Adds what a package contains of others: a name, the SPDX identifier of its license, and the notice. */
  addNotice(name: string, license: string, notice: string): void;
  /** The notices of all packages noted so far. Throws if a package contains no license text. */
  text(): string;
}

/** Starts a collection without packages. */
export function createLicenses(): Licenses {
  const packages = new Set<string>();
  const notices: string[] = [];
  return {
    collect: {
      name: 'tillnode-licenses',
      setup(bundle) {
        bundle.onLoad({ filter: PACKAGE }, ({ path }) => {
          packages.add(PACKAGE.exec(path)?.[0] ?? '');
          return undefined;
        });
      },
    },
    addPackage: (root) => {
      packages.add(root);
    },
    addNotice: (name, license, notice) => {
      notices.push(section(name, license, notice));
    },
    text: () => [...notices, ...[...packages].map(licenseOf)].sort().join('\n'),
  };
}

function licenseOf(root: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license: string;
  };
  return section(`${name} ${version}`, license, noticeOf(root));
}

const section = (name: string, license: string, notice: string): string =>
  `== ${name}: ${license}\n\n${notice.trim()}\n`;

/** The file that has the license text here, of packages that leave it in their repository. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([['saxes', 'runtime/assembly/licenses/saxes-license.txt']]);

/** The license text of a package: its license files, or the section at the end of its README. */
function noticeOf(root: string): string {
  const leftOut = LEFT_OUT.get(basename(root));
  if (leftOut !== undefined) return readFileSync(leftOut, 'utf8');
  const names = readdirSync(root).sort();
  const files = names.filter((name) => /^(licen[cs]e|copying)(?![a-z])/i.test(name));
  if (files.length > 0) return files.map((name) => readFileSync(join(root, name), 'utf8').trim()).join('\n\n');
  const readme = names.find((name) => /^readme\b/i.test(name));
  const found = readme && /^.{0,3}licen[cs]e\b.*/ims.exec(readFileSync(join(root, readme), 'utf8'));
  if (!found) throw new Error(`${root} contains no license text`);
  return found[0];
}
