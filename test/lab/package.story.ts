/**
 * The Debian packages of the wifi variant and of the program beside it: what lintian and systemd-analyze say of them, and in a
 * Debian with systemd installed, upgraded, removed and purged.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { needTools } from '../tools.ts';
import { installedSuite } from './guest/installed.ts';
import { CACHE, prepareMachine } from './machine.ts';
import { bootSystem, STORY_MS } from './on-system.ts';
import { BUILD_MS, npm, PACKED_NODE, packaged, VARIANT } from './package.ts';
import { Reports } from './reports.ts';

/** Version of a second package. */
const NEWER = '0.2.0';

/** The sources as they are, of another version. */
function treeOf(version: string): string {
  const tree = join(CACHE, 'next');
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  for (const name of readdirSync('.')) {
    if (['.git', '.cache', 'dist', 'node_modules', 'test'].includes(name)) continue;
    cpSync(name, join(tree, name), { recursive: true });
  }
  for (const name of ['.cache', 'node_modules']) symlinkSync(resolve(name), join(tree, name));
  const about = JSON.parse(readFileSync('package.json', 'utf8')) as object;
  writeFileSync(join(tree, 'package.json'), JSON.stringify({ ...about, version }));
  npm(tree, 'build', '--', '--variant', VARIANT);
  return tree;
}

const machine = prepareMachine();
const missing = 'missing' in machine ? machine.missing : needTools(['debootstrap', 'lintian', 'systemd-analyze']);

describe.skipIf(missing !== undefined)(missing ? `the lab ${missing}` : 'the Debian packages', () => {
  let older: ReturnType<typeof packaged> = ['', ''];
  let newer = older;
  beforeAll(() => {
    older = packaged();
    newer = packaged(treeOf(NEWER));
  }, BUILD_MS);

  it(
    'have no error and no warning that lintian finds',
    () => {
      const { status, stdout } = spawnSync('lintian', ['--allow-root', '--fail-on', 'error,warning', ...older], {
        encoding: 'utf8',
      });
      expect(stdout).not.toMatch(/^[EW]: /m);
      expect(status).toBe(0);
    },
    BUILD_MS,
  );

  it.each(['debian/tillnode.service', 'debian-pull/tillnode-pull.service'])(
    'have a unit that systemd-analyze rates at 2.0 or less: %s',
    (path) => {
      const unit = `runtime/assembly/package/${path}`;
      const rate = (threshold: number) =>
        spawnSync('systemd-analyze', ['security', '--offline=true', `--threshold=${threshold}`, unit]).status;
      expect(rate(20)).toBe(0);
      // What it is measured with does measure.
      expect(rate(1)).not.toBe(0);
    },
  );

  describe('in a system', () => {
    const reports = new Reports();
    beforeAll(async () => {
      if ('missing' in machine) return;
      const env = { LAB_PACKAGES: [older[0], newer[0], newer[1]].map((path) => `/host${path}`).join(',') };
      await bootSystem(machine, { program: 'installed-main.ts', node: PACKED_NODE, env }, reports, 1);
    }, STORY_MS + BUILD_MS);
    installedSuite(reports.it);
  });
});
