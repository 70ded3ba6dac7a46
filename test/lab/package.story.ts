/**
 * The Debian package of the wifi variant, installed in a Debian with systemd that the lab's machine runs from a disk,
 * upgraded, removed and purged. Long: `npm run lab` has it, `npm test` has not.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtImage } from '../image/launched.ts';
import { needTools } from '../tools.ts';
import { plainDisk } from './disk.ts';
import { againInShopSuite, inShopSuite } from './guest/in-shop.ts';
import { installedSuite } from './guest/installed.ts';
import { installedCameraSuite } from './guest/installed-camera.ts';
import type { CaseReport, It } from './guest/suite.ts';
import { CACHE, prepareMachine } from './machine.ts';
import { bundlePrograms } from './on-machine.ts';
import { makeSystem } from './system.ts';
import { bootDisk } from './vm.ts';

const VARIANT = 'wifi';
/** Versions of a second package, and of an image that is sent to the first. */
const NEWER = '0.2.0';
const LATER = '0.3.0';
const BUILD_MS = 600_000;
const STORY_MS = 3_600_000;
/** The Node that the package brings, where its making leaves it. */
const PACKED_NODE = `.cache/package/${VARIANT}-amd64/usr/lib/tillnode/bin/node`;

const npm = (cwd: string, ...args: readonly string[]) =>
  execFileSync('npm', ['run', '-s', ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const packaged = (tree: string, variant = VARIANT) =>
  resolve(tree, npm(tree, 'package', '--', '--variant', variant, '--arch', 'amd64'));

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
  beforeAll(() => {
    packages = [packaged('.'), packaged(treeOf(NEWER))];
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
    const unit = 'runtime/build/debian/tillnode.service';
    const rate = (threshold: number) =>
      spawnSync('systemd-analyze', ['security', '--offline=true', `--threshold=${threshold}`, unit]).status;
    expect(rate(20)).toBe(0);
    // What it is measured with does measure.
    expect(rate(1)).not.toBe(0);
  });

  describe('in a system', () => {
    const { boots, reported } = system(() => ({
      program: 'installed-main.ts',
      env: { LAB_PACKAGES: packages.map((path) => `/host${path}`).join(',') },
    }));
    beforeAll(() => boots(1), STORY_MS + BUILD_MS);
    installedSuite(reported);
  });

  describe('on a counter', () => {
    const { boots, reported } = system(() => {
      const image = join(CACHE, 'next.img');
      writeFileSync(image, builtImage(VARIANT, LATER));
      const env = {
        LAB_PACKAGE: `/host${packages[0]}`,
        LAB_CAMERA_PACKAGE: `/host${packaged('.', 'camera')}`,
        LAB_IMAGE: `/host${resolve(image)}`,
        LAB_IMAGE_VERSION: LATER,
      };
      return { program: 'in-shop-main.ts', env, radios: 'radios-main.ts', asks: 'ask-mdns.ts' };
    });
    beforeAll(() => boots(2), STORY_MS + BUILD_MS);
    inShopSuite(reported);
    againInShopSuite(reported);
    installedCameraSuite(reported);
  });
});

interface Story {
  /** Programs of `guest/`. */
  readonly program: string;
  readonly radios?: string;
  readonly asks?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A system on a disk of its own. `boots` starts it so many times, one after the other has ended. */
function system(storyOf: () => Story) {
  const reports = new Map<string, CaseReport>();
  let trouble: Error | undefined;
  const reported: It = (promise) => {
    it(promise, () => {
      const report = reports.get(promise);
      if (!report) throw trouble ?? new Error('the machine powered off without a word of this');
      expect(report.error).toBeUndefined();
    });
  };
  const boots = async (times: number) => {
    if ('missing' in machine) return;
    const { program, radios, asks, env } = storyOf();
    const [path = '', ...others] = await bundlePrograms([
      program,
      ...[radios, asks].filter((name) => name !== undefined),
    ]);
    const [radiosPath, asksPath] = others;
    const job = {
      node: PACKED_NODE,
      program: path,
      env: { ...env, ...(asksPath && { LAB_ASK_MDNS: `/host${resolve(asksPath)}` }) },
      ...(radiosPath && { radios: radiosPath }),
    };
    const disk = plainDisk(makeSystem(machine, job));
    const onReport = (report: unknown) => reports.set((report as CaseReport).promise, report as CaseReport);
    for (let boot = 0; boot < times && trouble === undefined; boot += 1) {
      await bootDisk(machine, { timeoutMs: STORY_MS, disk, onReport }).catch((error: Error) => {
        trouble = error;
      });
    }
  };
  return { boots, reported };
}
