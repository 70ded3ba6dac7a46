/** The npm package: what is in it, and that it needs nothing else. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutside, type Outside, pack } from './outside.ts';

const PRINT = `
  const twin = await startTwin();
  await twin.client.print({ type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Hello' }] });
  await twin.client.print({ type: 'print', id: '2', endpoint: 'receipt', lines: [{ type: 'text', value: 'ขอบคุณ' }] });
  console.log((await twin.paper()).trim(), new NodeError('cover_open', 409).retry, typeof printer.PrintCommand);
  await twin.stop();
`;

describe('the npm package', () => {
  let packed: ReturnType<typeof pack>;
  const programs: Outside[] = [];
  beforeAll(() => {
    packed = pack();
    programs.push(createOutside(packed.tarball, 'module'), createOutside(packed.tarball, 'commonjs'));
  });
  afterAll(() => {
    for (const program of programs) program.remove();
  });

  it('has what is built and its notices', () => {
    const others = packed.files.filter((path) => /^dist\/(?!client\/|plugin\/)/.test(path));
    expect(others.sort()).toEqual([
      'dist/twin/author.js',
      'dist/twin/cli.js',
      'dist/twin/draw.js',
      'dist/twin/fonts.pack',
      'dist/twin/harfbuzz.wasm',
      'dist/twin/image.json',
      'dist/twin/launcher.js',
      'dist/twin/licenses.txt',
      'dist/twin/main.cjs',
      'dist/twin/main.js',
      'dist/twin/node.cjs',
      'dist/twin/node.later',
      'dist/twin/openapi.json',
      'dist/twin/pages.br',
      'dist/twin/pull.js',
      'dist/twin/testing.cjs',
      'dist/twin/testing.js',
    ]);
    for (const path of packed.files.filter((each) => /^dist\/(client|plugin)\//.test(each)))
      expect(path).toMatch(/\.(js|cjs|d\.ts|d\.cts|d\.mts)$|\/licenses\.txt$/);
    expect(packed.files).toContain('LICENSE');
  });

  it('says in one line what the system refuses an author, as a cache that cannot be made', () => {
    const [program] = programs as [Outside];
    const refusal = (...args: readonly string[]) => {
      const { status, stderr } = spawnSync('npx', ['--no', 'tillnode', ...args], {
        cwd: program.folder,
        env: { ...process.env, XDG_CACHE_HOME: 'package.json' },
        encoding: 'utf8',
      });
      return `${status}: ${stderr}`;
    };
    expect(refusal('new', 'plugin', 'coin', '--out', 'package.json/coin')).toMatch(/^2: ENOTDIR: .*package.json.*\n$/);
    program.run('npx', '--no', 'tillnode', 'new', 'plugin', 'coin');
    expect(refusal('build', '--with', 'coin')).toMatch(/^2: ENOTDIR: .*; XDG_CACHE_HOME=DIR keeps .* elsewhere\n$/);
  });

  // So that it can be built with another room, wherever it came from: a third of it.
  it('has the sources of an image and the documents, in less than five and a half megabytes', () => {
    const tracked = new Set(execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n'));
    const sources = packed.files.filter((path) => !path.startsWith('dist/'));
    expect(sources.filter((path) => !tracked.has(path))).toEqual([]);
    for (const path of ['build.config.ts', 'runtime/main.ts', 'plugins/scale/index.ts', 'codecs/codec.ts'])
      expect(sources).toContain(path);
    expect(sources.filter((path) => /^(test\/(?!third-party)|runtime\/(disk|fleet)\/.*\.ts|\.ci)/.test(path))).toEqual(
      [],
    );
    expect(packed.bytes).toBeLessThan(5.5 * 1024 * 1024);
  });

  it('has no link in a document that leads nowhere', () => {
    const files = new Set(packed.files);
    const folders = new Set(
      packed.files.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))),
    );
    const dead = packed.files
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => {
        const prose = readFileSync(path, 'utf8').replaceAll(/```.*?```/gs, '');
        const targets = [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
        const own = targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => join(path, '..', target));
        return own.filter((target) => !files.has(target) && !folders.has(target)).map((target) => `${path}: ${target}`);
      });
    expect(dead).toEqual([]);
  });

  it('depends on no other package', () => {
    const about = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const field of ['private', 'dependencies', 'optionalDependencies', 'peerDependencies'])
      expect(about).not.toHaveProperty(field);
    const lock = JSON.parse(readFileSync(join(programs[0]!.folder, 'package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/tillnode']);
  });

  it('prints on a twin in a program of ES modules', () => {
    const [program] = programs as [Outside];
    program.write(
      'program.js',
      `import { NodeError } from 'tillnode/client'; import { printer } from 'tillnode/contract';
       import { startTwin } from 'tillnode/testing'; ${PRINT}`,
    );
    expect(program.run('node', 'program.js')).toBe('Hello\nขอบคุณ yes object\n');
  });

  it('prints on a twin in a program of CommonJS', () => {
    const [, program] = programs as [Outside, Outside];
    program.write(
      'program.js',
      `const { NodeError } = require('tillnode/client'); const { printer } = require('tillnode/contract');
       const { startTwin } = require('tillnode/testing'); (async () => { ${PRINT} })();`,
    );
    expect(program.run('node', 'program.js')).toBe('Hello\nขอบคุณ yes object\n');
  });

  it('is all that a plugin is written, typechecked and tested with, and its panel', () => {
    const [program] = programs as [Outside];
    // Also where it is tried again.
    rmSync(join(program.folder, 'label-printer'), { recursive: true, force: true });
    program.run('npx', '--offline', 'tillnode', 'new', 'plugin', 'label-printer');
    // As `npm install` of what its package.json names leaves it.
    for (const name of ['@types/node', 'undici-types', 'preact', 'typescript', 'vitest']) {
      mkdirSync(dirname(join(program.folder, 'label-printer/node_modules', name)), { recursive: true });
      symlinkSync(resolve('node_modules', name), join(program.folder, 'label-printer/node_modules', name));
    }
    const bin = (path: string) => resolve('node_modules', path);
    const inside = (...args: string[]) => program.run('env', '-C', 'label-printer', process.execPath, ...args);
    expect(inside(bin('typescript/bin/tsc'), '--skipLibCheck', 'false')).toBe('');
    expect(inside(bin('vitest/vitest.mjs'), 'run', '--reporter=json')).toContain('"numFailedTests":0');
    program.write(
      'label-printer/wrong.tsx',
      'import { Card } from \'tillnode/panel\';\nexport const x = <Card urgent="no" />;\n',
    );
    expect(() => inside(bin('typescript/bin/tsc'))).toThrow(/wrong\.tsx\(2,\d+\): error TS/);
  }, 300_000);

  it('has the command line, and the contract for generators', () => {
    const [program] = programs as [Outside];
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(program.run('npx', '--offline', 'tillnode', '--version')).toBe(`${version}\n`);
    program.write('contract.cjs', "console.log(require('tillnode/openapi.json').openapi)");
    expect(program.run('node', 'contract.cjs')).toBe('3.1.0\n');
  });
});
