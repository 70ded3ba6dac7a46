/** `tillnode build`: an image with rooms from outside, built of the sources that the npm package carries. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lock } from '../base/folder-lock.ts';
import { makeFolder } from '../base/make-folder.ts';
import { Refused } from '../base/refused.ts';
import { isOfTheSystem, messageOf } from '../base/thrown.ts';

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
/** Where the client of the image goes, in its folder. */
const CLIENT = 'client';
/** Hexadecimal digits of the digest that tells the sources of one release from others that have its version. */
const DIGITS = 12;
/** How often a build looks whether the one before it is over, and how long it waits: longer than any takes. */
const LOOK_MS = 1000;
const LOOKS = 900;
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
 * the user's cache, where the packages that the build needs are installed at first. One build at a time uses a folder; others wait.
 * Resolves with what to do next. Rejects with `Refused`; `tell` gets what takes long.
 */
export async function buildWith(
  root: string,
  { rooms, variant, out, key }: BuildRequest,
  tell: (text: string) => void,
): Promise<string> {
  for (const room of rooms)
    if (!existsSync(join(room, 'index.ts'))) throw new Refused(`${room}: no room, as it has no index.ts`);
  if (existsSync(out) && !existsSync(join(out, 'image.json')) && readdirSync(out).length > 0)
    throw new Refused(`${out}: is there already, and no image`);
  const tree = existsSync(join(root, 'node_modules/tsup')) ? root : await installed(root, tell);
  const giveBack = await taken(tree, tell);
  try {
    build(tree, { rooms, variant, out, key });
  } finally {
    giveBack();
  }
  return `wrote ${out}

start it:  node ${join(out, 'launcher.js')}
its client, with the calls of ${rooms.map((room) => basename(resolve(room))).join(', ')}:  ${join(out, CLIENT, 'client.js')}
`;
}

/** Builds with the sources and packages in `tree`, and copies what came of it to its place. */
function build(tree: string, { rooms, variant, out, key }: BuildRequest): void {
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
  cpSync(`${built}-client`, join(out, CLIENT), { recursive: true });
}

/** Takes a folder of sources for one build; waits for another one that has it. Resolves with what gives it back. */
async function taken(tree: string, tell: (text: string) => void): Promise<() => void> {
  for (let looks = 1; ; looks++) {
    if (!existsSync(join(tree, 'node_modules'))) throw new MayPass(`${tree}: was removed meanwhile`);
    try {
      return await lockOf(tree);
    } catch (error) {
      if (looks === LOOKS) throw new MayPass(messageOf(error));
      if (looks === 1) tell(`waiting: ${messageOf(error)}\n`);
      await delay(LOOK_MS);
    }
  }
}

const lockOf = (tree: string) => lock(tree, join(tree, 'node_modules/.build'));

/** The sources of this package with the packages that a build needs, in the user's cache. */
async function installed(root: string, tell: (text: string) => void): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tillnode');
  const tree = join(cache, `${version}-${digestOf(root)}`);
  if (existsSync(tree)) return tree;
  const own = `${tree}.${process.pid}`;
  try {
    makeFolder(own);
  } catch (error) {
    if (!isOfTheSystem(error) || error.code === 'ENOSPC') throw error;
    throw new Refused(`${messageOf(error)}; XDG_CACHE_HOME=DIR keeps what a build needs elsewhere`);
  }
  tell(`installing what the build of ${version} needs, once, in ${tree}: some minutes\n`);
  try {
    for (const name of SOURCES)
      cpSync(join(root, name), join(own, name), { recursive: true, filter: (path) => isSource(root, path) });
    writeFileSync(join(own, 'package.json'), JSON.stringify(leanManifest(own), null, 2));
    run(
      'npm',
      ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      own,
      MayPass,
    );
    // Another build may have been faster.
    if (!existsSync(tree)) renameSync(own, tree);
    // Those that the same version was built of before.
    for (const name of readdirSync(cache))
      if (name.startsWith(`${version}-`) && name !== basename(tree) && !name.includes('.', version.length))
        await removeUnused(join(cache, name));
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return tree;
}

/** Removes what earlier builds were made of, but for one that a build uses now. */
async function removeUnused(tree: string): Promise<void> {
  const giveBack = await lockOf(tree).catch(() => undefined);
  if (giveBack === undefined) return;
  rmSync(tree, { recursive: true, force: true });
  giveBack();
}

const isSource = (root: string, path: string) => !OTHERS.test(path.slice(root.length));

/** A version may be packed anew with other sources in it. */
function digestOf(root: string): string {
  const digest = createHash('sha256');
  for (const name of SOURCES) {
    const at = join(root, name);
    const files = statSync(at).isFile()
      ? [at]
      : readdirSync(at, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .toSorted();
    for (const path of files.filter((each) => isSource(root, each)))
      digest
        .update(`${path.slice(root.length)}\0`)
        .update(readFileSync(path))
        .update('\0');
  }
  return digest.digest('hex').slice(0, DIGITS);
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

/** Refused for what may pass: the network, a full disk. */
export class MayPass extends Refused {}

function run(command: string, args: readonly string[], cwd: string, Kind = Refused): void {
  const { status, stderr, error } = spawnSync(command, [...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error !== undefined) throw new Refused(`${command}: ${error.message}`);
  if (status !== 0) throw new Kind(stderr.trim() || `${command} ended with ${status}`);
}
