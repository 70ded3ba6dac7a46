/** `tillnode build`: an image with rooms from outside, built of the sources that the npm package carries. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';
import { Refused } from '../base/refused.ts';

/** What an image is built of: all of the tree but what builds other things. */
const SOURCES = [
  'build.config.ts',
  'tsconfig.json',
  'package.json',
  'LICENSE',
  '.github/HELP.md',
  'runtime',
  'codecs',
  'plugins',
  'recipes',
];
const OTHERS = /[\\/]runtime[\\/](fleet|disk|new[\\/]template)[\\/]|(?<!HELP)\.md$|\.png$/;

export interface BuildRequest {
  /** Folders of the rooms. */
  readonly rooms: readonly string[];
  /** A row of the variants table. */
  readonly variant: string;
  /** Where the image goes: a folder that is not there yet, or one of an earlier build. */
  readonly out: string;
  /** The key that it is signed with for the field; without one, a key of this computer. */
  readonly key?: string | undefined;
}

/**
 * Builds it with the sources at `root`: in place where they are a clone that is installed, else in a folder for this version in
 * the user's cache, where the packages that the build needs are installed at first. Returns what to do next. Throws
 * `Refused`; `tell` gets what takes long.
 */
export function buildWith(
  root: string,
  { rooms, variant, out, key }: BuildRequest,
  tell: (text: string) => void,
): string {
  for (const room of rooms)
    if (!existsSync(join(room, 'index.ts'))) throw new Refused(`${room}: no room, as it has no index.ts`);
  if (existsSync(out) && !existsSync(join(out, 'image.json')) && readdirSync(out).length > 0)
    throw new Refused(`${out}: is there already, and no image`);
  const tree = existsSync(join(root, 'node_modules/tsup')) ? root : installed(root, tell);
  const options = ['--variant', variant, ...rooms.flatMap((room) => ['--with', resolve(room)])];
  if (key !== undefined) options.push('--release', '--key', resolve(key));
  run(
    process.execPath,
    [join(tree, 'node_modules/tsup/dist/cli-default.js'), '--config', 'build.config.ts', '--', ...options],
    tree,
  );
  const built = join(tree, 'dist', variant);
  if (resolve(out) !== resolve(built)) {
    rmSync(out, { recursive: true, force: true });
    cpSync(built, out, { recursive: true });
    // The package in which it stands may be one of CommonJS.
    writeFileSync(join(out, 'package.json'), '{ "private": true, "type": "module" }\n');
  }
  return `wrote ${out}\n\nstart it:  node ${join(out, 'launcher.js')}\n`;
}

/** The sources of this version with the packages that a build needs, in the user's cache. */
function installed(root: string, tell: (text: string) => void): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tillnode');
  const tree = join(cache, version);
  if (existsSync(tree)) return tree;
  const own = `${tree}.${process.pid}`;
  tell(`installing what the build of ${version} needs, once, in ${tree}: some minutes\n`);
  try {
    makeFolder(own);
    for (const name of SOURCES)
      cpSync(join(root, name), join(own, name), {
        recursive: true,
        filter: (path) => !OTHERS.test(path.slice(root.length)),
      });
    writeFileSync(join(own, 'package.json'), JSON.stringify(leanManifest(own), null, 2));
    run(
      'npm',
      ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      own,
    );
    renameSync(own, tree);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return tree;
}

/** The manifest with those packages alone that a source names: most of the others test. */
function leanManifest(tree: string): object {
  const manifest = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const texts = readdirSync(tree, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(tree, path), 'utf8'));
  const isNamed = (name: string) => texts.some((text) => text.includes(`'${name}`));
  const needed = Object.entries(manifest.devDependencies).filter(
    ([name]) => name === 'typescript' || isNamed(name) || name.startsWith('@expo-google-fonts/'),
  );
  return { ...manifest, devDependencies: Object.fromEntries(needed) };
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, [...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error !== undefined) throw new Refused(`${command}: ${error.message}`);
  if (status !== 0) throw new Refused(stderr.trim() || `${command} ended with ${status}`);
}
