/**
 * The licenses of the packages in a bundle, for the file beside it: MIT, ISC, BSD and Apache 2.0 all want their notice in
 * every copy, and minifying takes it out of the code. Collected here, because what is in the bundle only esbuild knows:
 * it is built in two steps, the page inside the program, and a tool that reads package.json lists what is not shipped.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';

export const LICENSES = 'licenses.txt';
const PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

interface Licenses {
  /** For every build that goes into the bundle: notes whose files it takes. */
  readonly collect: EsbuildPlugin;
  text(): string;
}

export function createLicenses(): Licenses {
  const packages = new Set<string>();
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
    text: () => [...packages].map(licenseOf).sort().join('\n'),
  };
}

function licenseOf(root: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license: string;
  };
  return `== ${name} ${version}: ${license}\n\n${noticeOf(root).trim()}\n`;
}

/** The text as the package has it: a file of its own, or the end of its README. */
function noticeOf(root: string): string {
  const names = readdirSync(root).sort();
  const [file, readme] = [/^(licen[cs]e|copying)\b/i, /^readme\b/i].map((name) =>
    names.find((each) => name.test(each)),
  );
  if (file !== undefined) return readFileSync(join(root, file), 'utf8');
  const found = readme && /^.{0,3}licen[cs]e\b.*/ims.exec(readFileSync(join(root, readme), 'utf8'));
  if (!found) throw new Error(`${root} brings no license text`);
  return found[0];
}
