/** The npm package: what is in it, and that it needs nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

  it('has what is built and its notices, and nothing that builds it, in less than three and a half megabytes', () => {
    const others = packed.files.filter((path) => !/^dist\/client\/\w+\.(js|cjs|d\.ts|d\.cts)$/.test(path));
    expect(others.sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/twin/cli.js',
      'dist/twin/draw.js',
      'dist/twin/fonts.pack',
      'dist/twin/harfbuzz.wasm',
      'dist/twin/image.json',
      'dist/twin/launcher.js',
      'dist/twin/licenses.txt',
      'dist/twin/main.js',
      'dist/twin/openapi.json',
      'dist/twin/pages.br',
      'dist/twin/pull.js',
      'dist/twin/testing.cjs',
      'dist/twin/testing.js',
      'package.json',
    ]);
    expect(packed.bytes).toBeLessThan(3.5 * 1024 * 1024);
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

  it('has the command line, and the contract for generators', () => {
    const [program] = programs as [Outside];
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(program.run('npx', '--offline', 'tillnode', '--version')).toBe(`${version}\n`);
    program.write('contract.cjs', "console.log(require('tillnode/openapi.json').openapi)");
    expect(program.run('node', 'contract.cjs')).toBe('3.1.0\n');
  });
});
