/**
 * A room is deleted by deleting its folder, its name in build.config.ts and its tests, and nothing else changes: types,
 * build and the tests of what remains are green. Each room that no other needs, in turn, in a copy of the tree.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { twinPlugins } from './plugins.ts';

/**
 * Not optional: what another room needs, by its `requires` (settings, events, printer, status, custody and cloud), and
 * what something else than a room stands on, which is named here.
 */
const STOOD_ON: Readonly<Record<string, string>> = {
  twin: 'tillnode/testing',
  capture: 'the conformance suite: stories are recorded',
  peers: 'tillnode find',
  jobs: 'tillnode jobs',
  status: 'the page, tillnode status, and the conformance suite',
};
const required = new Set(twinPlugins.flatMap(({ requires = [] }) => requires));
const optional = ['plugins', 'runtime/services']
  .flatMap((parent) => readdirSync(parent).map((name) => ({ name, folder: `${parent}/${name}` })))
  .filter(({ name }) => !required.has(name) && !(name in STOOD_ON));

const PARTS = ['build.config.ts', 'codecs', 'package.json', 'plugins', 'recipes', 'runtime', 'test', 'tsconfig.json'];
const WHOLE = [...PARTS, 'vitest.config.ts', 'README.md', 'LICENSE'];
/**
 * Tests of what remains, whichever room is gone. Not those of the contract: they ask for every route of the
 * specification, so an image without one of its rooms has to fail them.
 */
const TESTS = ['test/house.test.ts', 'test/client/', 'test/plugins/.*/conformance.test.ts', 'test/third-party'];

const copy = mkdtempSync(join(tmpdir(), 'tillnode-rooms-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** What it says; where it fails, the error has that in its words. */
function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(resolve('node_modules/.bin', program), args, {
    cwd: copy,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`.slice(0, 4000));
  return stdout;
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(copy, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path));

/** The files that a file imports, as paths from the root of the tree. */
const importsOf = (path: string): string[] =>
  [...readFileSync(join(copy, path), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, target = '']) =>
    normalize(join(dirname(path), target)),
  );

const LIST = 'test/plugins.ts';

function remove({ name, folder }: { readonly name: string; readonly folder: string }): void {
  rmSync(join(copy, folder), { recursive: true });
  const rows = readFileSync(join(copy, 'build.config.ts'), 'utf8');
  writeFileSync(
    join(copy, 'build.config.ts'),
    rows.replaceAll(new RegExp(`'${name}(/[^']*)?',?\\s*`, 'g'), '').replace(/^ *atHand: \[\],\n/gm, ''),
  );
  const list = readFileSync(join(copy, LIST), 'utf8');
  writeFileSync(
    join(copy, LIST),
    list.replace(new RegExp(`^import ${name} .*\\n`, 'm'), '').replaceAll(new RegExp(`\\b${name}\\b,? ?`, 'g'), ''),
  );
  // Its tests stand in its mirror; those that put several rooms to work import it, by themselves or through a helper.
  const mirror = join('test', folder.replace('runtime/', ''));
  const gone = new Set<string>();
  const isGone = (path: string) => path.startsWith(`${folder}/`) || gone.has(path);
  const isItsOwn = (path: string) => path.startsWith(`${mirror}/`) || path === `${mirror}.test.ts`;
  for (let before = -1; before < gone.size; ) {
    before = gone.size;
    for (const path of sourcesIn('test')) {
      if (path !== LIST && !gone.has(path) && (isItsOwn(path) || importsOf(path).some(isGone))) gone.add(path);
    }
  }
  for (const path of gone) rmSync(join(copy, path));
}

describe.each(optional)('without the room $name', (room) => {
  beforeAll(() => {
    rmSync(copy, { recursive: true, force: true });
    for (const part of WHOLE) cpSync(part, join(copy, part), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    remove(room);
  });

  it('the types are green', () => {
    expect(run('tsc', '--noEmit')).toBe('');
    expect(run('tsc', '--noEmit', '-p', 'runtime/page')).toBe('');
  });

  it('every variant and the client are built', () => {
    run('tsup', '--config', 'build.config.ts');
    for (const variant of readdirSync(join(copy, 'dist')).filter((name) => name !== 'client')) {
      const { plugins } = JSON.parse(readFileSync(join(copy, 'dist', variant, 'image.json'), 'utf8'));
      expect(plugins).not.toContain(room.name);
    }
  });

  it('the tests of what remains are green', () => {
    const tests = TESTS.map((pattern) => new RegExp(`^${pattern}`));
    const files = sourcesIn('test').filter(
      (path) => path.endsWith('.test.ts') && tests.some((each) => each.test(path)),
    );
    expect(run('vitest', 'run', '--project', 'unit', '--reporter=json', ...files)).toContain('"numFailedTests":0');
  });
});
