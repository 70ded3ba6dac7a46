/**
 * Computers unlike that of whoever wrote this: minimal Debian roots, the oldest Node of each line, three package managers;
 * without root, compiler, Python, a home that can be written to, IPv6, and, once installed, network.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needRoot, needTools } from '../tools.ts';
import { type MinimalRoot, minimalRoot, NODES, ROOT_TOOLS } from './minimal-root.ts';
import { pack } from './outside.ts';

const MINUTES = 900_000;
const missing = needRoot() ?? needTools(ROOT_TOOLS);
const TREE = 'Kasse Müller/tillnode';
const PROGRAM = 'Kasse Müller/program';
const TRY = 'node /srv/try.mjs';
const PORTS = '--port 0 --raw-port 0 --ipp-port 0';

/** How each installs this tree, starts it, and starts the twin of the package in a folder of its own. */
const MANAGERS = {
  npm: {
    install: 'npm ci',
    start: `npm start -- ${PORTS}`,
    fromPackage: `${TRY} npx --yes --offline ../tillnode.tgz ${PORTS}`,
  },
  pnpm: {
    install: 'pnpm install --ignore-scripts',
    start: `pnpm start ${PORTS}`,
    fromPackage: `pnpm add --offline ../tillnode.tgz && ${TRY} pnpm exec tillnode ${PORTS}`,
  },
  yarn: {
    install: 'yarn install',
    start: `yarn start ${PORTS}`,
    fromPackage: `yarn add --offline ../tillnode.tgz && ${TRY} node_modules/.bin/tillnode ${PORTS}`,
  },
} as const;

const asUser = (folder: string) => execFileSync('chown', ['-R', '1000:1000', folder]);

describe.skipIf(missing).each(['bookworm', 'trixie'])('a minimal Debian %s', (suite) => {
  let root: MinimalRoot;
  let tarball: string;
  beforeAll(() => {
    root = minimalRoot(suite);
    ({ tarball } = pack());
  }, MINUTES);
  afterAll(() => root?.remove());

  /** A checkout as computers with Windows' line ends make it, or what is unpacked where there is no git. */
  function place(manager: keyof typeof MANAGERS): void {
    const parent = join(root.home, 'Kasse Müller');
    rmSync(parent, { recursive: true, force: true });
    mkdirSync(join(root.home, PROGRAM), { recursive: true });
    const tree = join(root.home, TREE);
    if (manager === 'npm') execFileSync('git', ['clone', '-q', '-c', 'core.autocrlf=true', '.', tree]);
    else {
      mkdirSync(tree);
      execFileSync('sh', ['-c', 'git archive HEAD | tar -x -C "$0"', tree]);
    }
    cpSync(tarball, join(parent, 'tillnode.tgz'));
    asUser(parent);
  }

  it('is told before anything runs what npm test lacks there, in a line to paste, and in CI that is the end', {
    timeout: MINUTES,
  }, () => {
    place('npm');
    const [node] = NODES;
    root.run(TREE, MANAGERS.npm.install, { node, online: true });
    const said = root.run(TREE, 'npm run -s tools 2>&1', { node });
    const [lacks = '', line = ''] = said.split('\n');
    expect(lacks).toMatch(/^npm test lacks .*chromium.*, promtool, cups, root$/);
    expect(line).toMatch(/^ {2}sudo apt-get update && sudo apt-get install -y .*\bchromium\b.* && npm run tools$/);
    expect(said).toContain('\n  test/page/overview.test.ts\n');
    expect(() => root.run(TREE, 'CI=true npm -s test 2>&1', { node })).toThrow(/^ended with 1: npm test lacks /);
  });

  for (const node of NODES) {
    for (const [manager, { install, start, fromPackage }] of Object.entries(MANAGERS)) {
      it(`with Node ${node} and ${manager} prints a receipt from the sources and from the package`, {
        timeout: MINUTES,
      }, () => {
        place(manager as keyof typeof MANAGERS);
        root.run(TREE, install, { node, online: true });
        expect(root.run(TREE, `${TRY} ${start}`, { node })).toContain('Grüße aus Kathmandu');
        expect(root.run(PROGRAM, `echo '{"private":true}' > package.json\n${fromPackage}`, { node })).toContain(
          'Grüße',
        );
      });
    }
  }
});
