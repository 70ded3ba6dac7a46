/** The npm package as `npm pack` makes it of what is built, looked over by the tools for that, and the README's test under every runner. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../docs/commands.ts';
import { createOutside, type Outside, pack } from './outside.ts';

const MINUTES = 600_000;
/** As it stands in the README: ES modules under `node --test`. */
const [TEST = ''] = blocksOf('README.md', 'js').flatMap(({ text }) => (text.includes('node:test') ? [text] : []));
const RUNNER = /^import .* 'node:test'.*\n/m;
/** How long a test may take in a runner: what a busy machine needs, and not the runners' 5 seconds. */
const PATIENCE = '--testTimeout=60000';
const inCommonJs = (text: string) => text.replaceAll(/^import (.*) from ('[^']*')/gm, 'const $1 = require($2)');

describe('the npm package, packed of what is built', () => {
  let tarball = '';
  let modules: Outside;
  let commonJs: Outside;
  beforeAll(() => {
    ({ tarball } = pack());
    modules = createOutside(tarball, 'module', { withTools: true });
    commonJs = createOutside(tarball, 'commonjs', { withTools: true });
  }, MINUTES);
  afterAll(() => {
    for (const program of [modules, commonJs]) program?.remove();
  });

  it('is in order for publint', () => {
    expect(modules.run('publint', 'run', tarball, '--strict')).toContain('All good!');
  });

  it('has types that are right for ES modules, CommonJS and bundlers; what plugins import is of ES modules alone', () => {
    const forPlugins = ['plugin', 'registry', 'codec', 'virtual', 'panel', 'conformance'];
    const ask = (...options: string[]) => modules.run('attw', tarball, '--format', 'ascii', '--no-emoji', ...options);
    const said = ask('--profile', 'node16', '--exclude-entrypoints', ...forPlugins);
    expect(said).toMatch(/^"tillnode\/testing"$/m);
    expect(ask('--profile', 'esm-only', '--entrypoints', ...forPlugins)).toMatch(/^"tillnode\/conformance"$/m);
  });

  it("runs the README's test under node --test", () => {
    modules.write('node.test.js', TEST);
    commonJs.write('node.test.js', inCommonJs(TEST));
    for (const program of [modules, commonJs]) expect(program.run('node', '--test')).toMatch(/^# pass 1$/m);
  });

  it("runs the README's test under vitest", () => {
    modules.write('vitest.test.js', TEST.replace("'node:test'", "'vitest'"));
    expect(modules.run('vitest', 'run', 'vitest.test.js', '--reporter=json', PATIENCE)).toContain('"numPassedTests":1');
  });

  it("runs the README's test under jest, in ES modules and in CommonJS", () => {
    modules.write('jest.test.js', TEST.replace(RUNNER, ''));
    commonJs.write('jest.test.js', inCommonJs(TEST.replace(RUNNER, '')));
    const jest = ['jest', 'jest.test.js', '--json', PATIENCE];
    expect(modules.run('env', 'NODE_OPTIONS=--experimental-vm-modules', ...jest)).toContain('"numPassedTests":1');
    expect(commonJs.run('env', ...jest)).toContain('"numPassedTests":1');
  });
});
