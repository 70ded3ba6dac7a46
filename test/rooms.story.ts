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

interface Room {
  readonly name: string;
  readonly folder: string;
}

/**
 * Not optional: what another room needs, by its `requires` (settings, events, printer, status, custody and cloud), and
 * what something else than a room stands on, which is named here.
 */
const STOOD_ON: Readonly<Record<string, string>> = {
  twin: 'tillnode/testing',
  capture: 'the conformance suite: stories are recorded',
  peers: 'tillnode status, which says the name of the node',
  jobs: 'the printer, whose jobs are told in the words of that room',
  status: 'the page, tillnode status, and the conformance suite',
};
const required = new Set(twinPlugins.flatMap(({ requires = [] }) => requires));
const optional: readonly Room[] = ['plugins', 'runtime/services']
  .flatMap((parent) => readdirSync(parent).map((name) => ({ name, folder: `${parent}/${name}` })))
  .filter(({ name }) => !required.has(name) && !(name in STOOD_ON));

const PARTS = ['build.config.ts', 'codecs', 'package.json', 'plugins', 'recipes', 'runtime', 'test', 'tsconfig.json'];
const WHOLE = [...PARTS, 'package-lock.json', 'vitest.config.ts', 'README.md', 'LICENSE', '.github/HELP.md'];

const copy = mkdtempSync(join(tmpdir(), 'tillnode-rooms-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** What it says; where it fails, the error has that in its words. */
function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(resolve('node_modules/.bin', program), args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`.slice(0, 4000));
  return stdout;
}

const isTest = (path: string) => path.endsWith('.test.ts');

/** The tests and what they are written with, each with the files that it imports. */
const importsIn = (root: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((name) => {
        const path = join('test', name);
        const imports = readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g);
        return [path, [...imports].map(([, target = '']) => normalize(join(dirname(path), target)))];
      }),
  );

/** What imports one of these, by itself or through a helper. */
function thoseThatReach(imports: ReadonlyMap<string, readonly string[]>, is: (path: string) => boolean): string[] {
  const found = new Set<string>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [path, targets] of imports)
      if (is(path) || targets.some((target) => is(target) || found.has(target))) found.add(path);
  }
  return [...found];
}

/** A room's tests stand in its mirror; those that put it to work beside others import it. */
const goneWith = ({ folder }: Room): string[] => {
  const mirror = join('test', folder.replace('runtime/', ''));
  const own = (path: string) => path.startsWith(`${mirror}/`) || path === `${mirror}.test.ts`;
  return thoseThatReach(importsIn('.'), (path) => own(path) || path.startsWith(`${folder}/`));
};

function remove(room: Room): void {
  rmSync(join(copy, room.folder), { recursive: true });
  const rows = readFileSync(join(copy, 'build.config.ts'), 'utf8');
  writeFileSync(
    join(copy, 'build.config.ts'),
    rows.replaceAll(new RegExp(`'${room.name}(/[^']*)?',?\\s*`, 'g'), '').replace(/^ *atHand: \[\],\n/gm, ''),
  );
  for (const path of goneWith(room)) rmSync(join(copy, path));
}

/**
 * The unit tests that may see that a room is gone: those that start a node with all rooms, run what was built, or look
 * at the tree. The models of printers are fed what a printer's room writes, whatever stands beside it.
 */
function affected(): string[] {
  const imports = importsIn(copy);
  const inUnit = (path: string) =>
    isTest(path) && !/^test\/(image|build|page|docs|crash|lab|printers)\/|\.page\.test\.ts$/.test(path);
  const looks = (path: string) => /'dist\/|readdirSync\(/.test(readFileSync(join(copy, path), 'utf8'));
  const reach = new Set(thoseThatReach(imports, (path) => path === 'test/plugins.ts'));
  return [...imports.keys()].filter((path) => inUnit(path) && (reach.has(path) || looks(path)));
}

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The tests that are not green, each with its first failure, and how many are. */
function tested(files: readonly string[]): { readonly failed: string[]; readonly passed: number } {
  const out = join(copy, '.results.json');
  const args = ['run', '--project', 'unit', '--reporter=json', `--outputFile=${out}`, ...files];
  spawnSync(resolve('node_modules/.bin/vitest'), args, { cwd: copy, stdio: 'ignore' });
  const { testResults } = JSON.parse(readFileSync(out, 'utf8')) as Results;
  const each = testResults.flatMap(({ name, message, assertionResults }) =>
    assertionResults.length === 0
      ? [{ status: 'failed', name: `${name}: ${message}` }]
      : assertionResults.map(({ status, fullName, failureMessages: [why = ''] }) => ({
          status,
          name: `${name}: ${fullName}: ${why.slice(0, 500)}`,
        })),
  );
  const failed = each.filter(({ status }) => status !== 'passed').map(({ name }) => name);
  return { failed, passed: each.length - failed.length };
}

describe.each(optional)('without the room $name', (room) => {
  beforeAll(() => {
    rmSync(copy, { recursive: true, force: true });
    for (const part of WHOLE) cpSync(part, join(copy, part), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    remove(room);
  });

  it('go its own tests and those of rooms that it works with, and none of the kernel, the front or the contract', () => {
    const elsewhere = goneWith(room).filter((path) => isTest(path) && !/^test\/(plugins|services)\//.test(path));
    expect(elsewhere).toEqual([]);
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

  it('the tests of what remains are green', { timeout: 900_000 }, () => {
    const { failed, passed } = tested(affected());
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(0);
  });
});
