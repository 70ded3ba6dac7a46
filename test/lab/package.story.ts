/**
 * The Debian package of the wifi variant, installed in a Debian with systemd that the lab's machine runs from a disk,
 * upgraded, removed and purged. Long: `npm run lab` has it, `npm test` has not.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { needTools } from '../tools.ts';
import { plainDisk } from './disk.ts';
import { installedSuite } from './guest/installed.ts';
import type { CaseReport } from './guest/suite.ts';
import { CACHE, prepareMachine } from './machine.ts';
import { bundlePrograms } from './on-machine.ts';
import { makeSystem } from './system.ts';
import { bootDisk } from './vm.ts';

const VARIANT = 'wifi';
const BUILD_MS = 600_000;
const STORY_MS = 3_600_000;
/** The Node that the package brings, where its making leaves it. */
const PACKED_NODE = `.cache/package/${VARIANT}-amd64/usr/lib/tillnode/bin/node`;

const npm = (cwd: string, ...args: readonly string[]) =>
  execFileSync('npm', ['run', '-s', ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const packaged = (tree: string) => resolve(tree, npm(tree, 'package', '--', '--variant', VARIANT, '--arch', 'amd64'));

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
const missing =
  'missing' in machine ? machine.missing : needTools(['debootstrap', 'lintian', 'systemd:systemd-analyze']);

describe.skipIf(missing !== undefined)(missing ? `the lab ${missing}` : 'the Debian package', () => {
  let packages: readonly string[] = [];
  const reports = new Map<string, CaseReport>();
  let trouble: Error | undefined;

  beforeAll(() => {
    packages = [packaged('.'), packaged(treeOf('0.2.0'))];
  }, BUILD_MS);

  it(
    'has no error that lintian finds',
    () => {
      const { status, stdout } = spawnSync('lintian', ['--allow-root', '--fail-on', 'error', packages[0] ?? ''], {
        encoding: 'utf8',
      });
      expect(stdout).not.toMatch(/^E: /m);
      expect(status).toBe(0);
    },
    BUILD_MS,
  );

  it('has a unit that systemd-analyze rates at 2.0 or less', () => {
    const unit = 'runtime/image/debian/tillnode.service';
    const rate = (threshold: number) =>
      spawnSync('systemd-analyze', ['security', '--offline=true', `--threshold=${threshold}`, unit]).status;
    expect(rate(20)).toBe(0);
    // What it is measured with does measure.
    expect(rate(1)).not.toBe(0);
  });

  describe('in a system', () => {
    beforeAll(async () => {
      if ('missing' in machine) return;
      const [program = ''] = await bundlePrograms(['installed-main.ts']);
      const env = { LAB_PACKAGES: packages.map((path) => `/host${path}`).join(',') };
      const disk = plainDisk(makeSystem(machine, PACKED_NODE, program, env));
      const onReport = (report: unknown) => reports.set((report as CaseReport).promise, report as CaseReport);
      await bootDisk(machine, { timeoutMs: STORY_MS, disk, onReport }).catch((error: Error) => {
        trouble = error;
      });
    }, STORY_MS + BUILD_MS);

    installedSuite((promise) => {
      it(promise, () => {
        const report = reports.get(promise);
        if (!report) throw trouble ?? new Error('the machine powered off without a word of this');
        expect(report.error).toBeUndefined();
      });
    });
  });
});
