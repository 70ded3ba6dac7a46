/** The Debian package: what is in it, and that it runs with nothing but itself. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ARCHITECTURES, addonOf } from '../../runtime/assembly/package/architectures.ts';
import { COMPILED } from '../../runtime/image/compiled.ts';
import { needTools } from '../tools.ts';

const HOST_ARCH = { x64: 'amd64', arm64: 'arm64' }[process.arch as string] ?? 'amd64';
const run = (...args: readonly string[]) =>
  execFileSync('npm', ['run', '-s', 'package', '--', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim();

const missing = needTools(['bash', 'dpkg-deb']);

describe.skipIf(missing)(`the Debian package${missing ? `: ${missing}` : ''}`, () => {
  const root = mkdtempSync(join(tmpdir(), 'package-'));
  let deb = '';
  let pull = '';

  beforeAll(() => {
    [deb = '', pull = ''] = run('--variant', 'wifi', '--arch', HOST_ARCH).split('\n');
    chmodSync(root, 0o755);
    for (const each of [deb, pull]) execFileSync('dpkg-deb', ['-x', each, root]);
  }, 240_000);
  afterAll(() => rmSync(root, { recursive: true }));

  it('is of its variant, version and architecture', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const field = (name: string) => execFileSync('dpkg-deb', ['-f', deb, name]).toString().trim();
    expect([field('Package'), field('Version'), field('Architecture')]).toEqual(['tillnode', version, HOST_ARCH]);
    expect(field('Description')).toContain('wifi variant');
  });

  it('is compressed as every Debian reads it', () => {
    for (const each of [deb, pull]) expect(readFileSync(each).includes('data.tar.xz ')).toBe(true);
  });

  it('starts the launcher as a user of its own, bound in by systemd', () => {
    const unit = readFileSync(join(root, 'usr/lib/systemd/system/tillnode.service'), 'utf8');
    expect(unit).toMatch(/^User=tillnode$/m);
    expect(unit).toMatch(/^ExecStart=\/usr\/lib\/tillnode\/bin\/node .*launcher\.js .*--appliance$/m);
    expect(unit).toMatch(/^NoNewPrivileges=yes$/m);
    // nmcli and ffmpeg try what is filtered, and do without.
    expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m);
    // ip(8), which tells of a change of the network, ends where it may not give up what it could do.
    expect(unit).toMatch(/^SystemCallFilter=capset$/m);
    const scripts = execFileSync('dpkg-deb', ['--ctrl-tarfile', deb]).toString('latin1');
    expect(scripts).toContain('adduser --quiet --system --group');
  });

  describe('beside it, of the program that asks hosted tills', () => {
    it('is for every architecture, and stands on the one of the node', () => {
      const field = (name: string) => execFileSync('dpkg-deb', ['-f', pull, name]).toString().trim();
      expect([field('Package'), field('Architecture')]).toEqual(['tillnode-pull', 'all']);
      expect(field('Depends')).toMatch(/\btillnode\b/);
      const licenses = readFileSync(join(root, 'usr/share/doc/tillnode-pull/licenses.txt'), 'utf8');
      expect(licenses.match(/^== [a-z@/-]+/gm)).toEqual(['== saxes', '== xmlchars']);
    });

    it('is off until there is a file, and then runs as a user of its own with less than the node may take', () => {
      const unit = readFileSync(join(root, 'usr/lib/systemd/system/tillnode-pull.service'), 'utf8');
      expect(unit).toMatch(/^ConditionPathExists=\/etc\/tillnode-pull\.json$/m);
      expect(unit).toMatch(/^User=tillnode-pull$/m);
      expect(unit).toMatch(/^CapabilityBoundingSet=$/m);
      expect(Number(/^MemoryMax=(\d+)M$/m.exec(unit)?.[1])).toBeLessThanOrEqual(128);
      const scripts = execFileSync('dpkg-deb', ['--ctrl-tarfile', pull]).toString('latin1');
      expect(scripts).toContain('--home /nonexistent tillnode-pull');
      expect(existsSync(join(root, 'etc/tillnode-pull.json'))).toBe(false);
    });

    it('runs by the command line of its unit, with its example as far as that goes', async () => {
      const unit = readFileSync(join(root, 'usr/lib/systemd/system/tillnode-pull.service'), 'utf8');
      const [program = '', ...args] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
      const examples = join(root, 'usr/share/doc/tillnode-pull/examples');
      const example = JSON.parse(readFileSync(join(examples, 'tillnode-pull.json'), 'utf8')) as Record<string, unknown>;
      const server = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const [first] = example['servers'] as object[];
      const till = { ...first, server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
      writeFileSync(
        join(root, 'tillnode-pull.json'),
        JSON.stringify({ ...example, state: join(root, 'pulled'), servers: [till] }),
      );
      const child = spawn(
        join(root, program),
        args.map((each) => each.replace(/^(?=\/)/, root).replace(`\${CREDENTIALS_DIRECTORY}`, root)),
        { stdio: ['ignore', 'pipe', 'inherit'], env: {} },
      );
      expect(await once(createInterface({ input: child.stdout }), 'line')).toEqual(['ready']);
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      server.close();
    });
  });

  it('runs with the Node and the addon it brings, and ends when told', async () => {
    const home = join(root, 'usr/lib/tillnode');
    const child = spawn(
      join(home, 'bin/node'),
      [
        ...['--disable-proto=delete', join(home, 'launcher.js'), '--factory', join(home, 'factory')],
        ...['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--state', join(root, 'state')],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: root, env: { PATH: process.env['PATH'] } },
    );
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const response = await fetch(`${line.replace('ready ', '')}/status`);
    expect(await response.json()).toMatchObject({ identity: { variant: 'wifi', slot: 'factory' } });
    // The drawing thread with its faces, too.
    const body = JSON.stringify({ lines: [{ type: 'text', value: 'شكرا ขอบคุณ' }] });
    const preview = await fetch(`${line.replace('ready ', '')}/preview`, { method: 'POST', body });
    expect(await preview.text()).toContain(' data-substituted="0"');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('was compiled ahead, for the Node it brings and as it is in the package', () => {
    const factory = join(root, 'usr/lib/tillnode/factory');
    expect(existsSync(join(factory, COMPILED))).toBe(true);
    const program = `import { compiledIn } from '${join(process.cwd(), 'runtime/image/compiled.ts')}'; process.exit(compiledIn('${factory}').isAhead ? 0 : 1);`;
    execFileSync(join(root, 'usr/lib/tillnode/bin/node'), ['--input-type=module', '--eval', program]);
  });

  it('has the command line with its manual and its completion, and says where it is from', () => {
    const home = join(root, 'usr/lib/tillnode');
    const cli = (...args: string[]) =>
      execFileSync(join(home, 'bin/node'), [join(home, 'cli.js'), ...args], { encoding: 'utf8' });
    const help = cli('help');
    expect(cli()).toBe(help);
    expect(help).toContain('default: TILLNODE_URL, else http://127.0.0.1\n');
    expect(help).not.toMatch(/twin|8080/);
    expect(readFileSync(join(root, 'usr/bin/tillnode'), 'utf8')).toContain('/usr/lib/tillnode/cli.js "$@"');
    const manual = gunzipSync(readFileSync(join(root, 'usr/share/man/man1/tillnode.1.gz'))).toString();
    const words = join(root, 'usr/share/bash-completion/completions/tillnode');
    const complete = (line: string, word: string, at: number) =>
      execFileSync(
        'bash',
        [
          '-c',
          `. "$0"; COMP_LINE="$1" COMP_CWORD=${at}; _tillnode tillnode "$2"; echo "\${COMPREPLY[*]}"`,
          words,
          line,
          word,
        ],
        { encoding: 'utf8' },
      );
    expect(complete('tillnode st', 'st', 1)).toBe('status\n');
    expect(complete('tillnode print --im', '--im', 2)).toBe('--image\n');
    for (const command of ['status', 'print', 'identity', 'watch']) {
      expect(manual).toContain(`\n  ${command} `);
      expect(complete('tillnode ', '', 1)).toContain(command);
    }
    const field = (name: string) => execFileSync('dpkg-deb', ['-f', deb, name]).toString().trim();
    expect(field('Homepage')).toMatch(/^https:/);
    expect(field('Multi-Arch')).toBe('foreign');
    for (const name of ['tillnode', 'tillnode-pull']) {
      const unit = readFileSync(join(root, `usr/lib/systemd/system/${name}.service`), 'utf8');
      const [[, path = '']] = [...unit.matchAll(/^Documentation=.*\bfile:\/\/(\S+)/gm)] as [RegExpMatchArray];
      expect(existsSync(join(root, path))).toBe(true);
    }
  });

  it('lists Node, the USB addon and libusb among its parts, and has nothing of them that only builds programs', () => {
    const { components } = JSON.parse(readFileSync(join(root, 'usr/share/doc/tillnode/sbom.cdx.json'), 'utf8'));
    const parts = components.map(({ purl }: { purl: string }) => purl);
    for (const part of [
      /^pkg:generic\/node@\d/,
      /^pkg:npm\/usb@\d/,
      /^pkg:generic\/libusb@1\.0\.\d+$/,
      /^pkg:npm\/koa@/,
    ])
      expect(parts).toContainEqual(expect.stringMatching(part));
    const files = readdirSync(join(root, 'usr/lib/tillnode'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /\.(map|ts)$/.test(path))).toEqual([]);
  });

  it('has the addon that the board would load, and is not made where there is none', () => {
    const addons = Object.values(ARCHITECTURES).map((architecture) => addonOf(architecture));
    expect(addons).toEqual([
      'prebuilds/linux-x64/node.napi.glibc.node',
      'prebuilds/linux-arm64/node.napi.armv8.node',
      'prebuilds/linux-arm/node.napi.armv7.node',
    ]);
    expect(() => addonOf({ arch: 'riscv64' })).toThrow(
      /^usb has no binary for linux riscv64 with glibc; it has .*linux-arm64\/node\.napi\.armv8\.node/,
    );
  });

  it('is not made for what there is not', () => {
    const refusal = (...args: readonly string[]) => {
      try {
        return run(...args);
      } catch (error) {
        const { status, stderr } = error as { status: number; stderr: Buffer };
        return `${status}: ${stderr.toString().split('\n')[0]}`;
      }
    };
    expect(refusal('--variant', 'wifi', '--arch', 'sparc')).toMatch(/^2: usage/);
    expect(refusal('--variant', 'toaster', '--arch', HOST_ARCH)).toMatch(/^1: dist\/toaster\/main.js is missing/);
    expect(refusal('--variety', 'wifi')).toMatch(/^2: Unknown option/);
  });
});
