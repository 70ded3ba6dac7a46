/** The Debian package in a system with systemd: installed, started, watched, upgraded, removed and purged. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call } from '../../image/launched.ts';
import { epsonGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { until } from './gadget.ts';
import { load, loadUsb } from './kernel.ts';
import { type It, story } from './suite.ts';

const URL = 'http://127.0.0.1';
const UNIT = 'tillnode.service';
const STATE = '/var/lib/tillnode';
const UP_MS = 400_000;
const CASE_MS = 900_000;
const SETTINGS = { printWidthCols: 42 };
const PULL = 'tillnode-pull.service';
/** Paths of the packages, the older one first; of the program beside the node. */
const { LAB_PACKAGES = '' } = process.env;
const [older = '', newer = '', pull = ''] = LAB_PACKAGES.split(',');

const run = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const dpkg = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync('dpkg', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  assert.equal(status, 0, `dpkg ${args.join(' ')}: ${stdout}${stderr}`);
};
const systemctl = (...args: readonly string[]) => spawnSync('systemctl', args, { encoding: 'utf8' }).stdout.trim();
const property = (name: string, unit = UNIT) => systemctl('show', '--value', '-p', name, unit);
const isKnown = (user: string) => spawnSync('getent', ['passwd', user]).status === 0;
/** Owner and group of a process or file, by name. */
const ownerOf = (path: string) => run('stat', '-c', '%U:%G', path).trim();

interface Status {
  readonly identity: { readonly variant: string; readonly slot: string; readonly firmwareVersion: string };
  readonly peripherals: readonly { readonly endpoint: string; readonly condition: string }[];
}
const status = () => call<Status>(URL, 'GET', '/status');
const answers = (wanted: (status: Status) => boolean, what: string) =>
  until(
    async () => {
      const now = await status().catch(() => undefined);
      return now !== undefined && wanted(now) ? now : undefined;
    },
    what,
    UP_MS,
    1000,
  );

/** What systemd says of the unit, and what the node itself logs as an error (level 50 or more). */
const errorsOfTheUnit = () =>
  run('journalctl', '-q', '-b', '-u', UNIT, '-p', 'err', '--no-pager') +
  run('journalctl', '-q', '-b', '-u', UNIT, '-o', 'cat', '--no-pager')
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line))
    .join('\n');
/** A maintainer script, run as dpkg runs it (dpkg(1), environment). */
const runScript = (name: string, ...args: readonly string[]) =>
  execFileSync(`/var/lib/dpkg/info/tillnode.${name}`, args, {
    env: { ...process.env, DPKG_MAINTSCRIPT_PACKAGE: 'tillnode', DPKG_MAINTSCRIPT_NAME: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const versionOf = (deb: string) => run('dpkg-deb', '-f', deb, 'Version').trim();

export function installedSuite(declare: It): void {
  const inOrder = story(declare);
  const it = (promise: string, check: () => Promise<void>) => inOrder(promise, check, CASE_MS);

  it('is installed, and runs as a user of its own before the installation is over', async () => {
    dpkg('-i', older);
    assert.equal(systemctl('is-active', UNIT), 'active', run('journalctl', '-b', '-u', UNIT, '--no-pager'));
    assert.equal(systemctl('is-enabled', UNIT), 'enabled');
    const { identity } = await status();
    assert.deepEqual([identity.variant, identity.slot], ['wifi', 'factory']);
    assert.equal(ownerOf(`/proc/${property('MainPID')}`), 'tillnode:tillnode');
    assert.equal(ownerOf(STATE), 'tillnode:tillnode');
    assert.equal((statSync(STATE).mode & 0o777).toString(8), '700');
  });

  // A kernel that knew of no USB when the node was started.
  declare(
    'may use the USB devices that it drives, by its udev rules',
    async () => {
      load('configfs');
      run('systemctl', 'start', 'sys-kernel-config.mount');
      loadUsb();
      const epson = new EpsonPrinter(await epsonGadget());
      await epson.gadget.plug();
      await answers(
        ({ peripherals }) => peripherals.some((each) => each.endpoint === 'receipt' && each.condition === 'bound'),
        'the printer to be bound',
      );
      await epson.gadget.unplug();
    },
    CASE_MS,
  );

  it('feeds the watchdog of systemd while it works, and says nothing of errors', async () => {
    const fed = () => Number(property('WatchdogTimestampMonotonic'));
    const before = fed();
    assert.ok(before > 0);
    await until(async () => (fed() > before ? true : undefined), 'the watchdog to be fed', UP_MS, 1000);
    assert.equal(errorsOfTheUnit(), '');
    assert.equal(property('NRestarts'), '0');
  });

  it('is started anew by systemd when its launcher hangs', async () => {
    const pid = Number(property('MainPID'));
    process.kill(pid, 'SIGSTOP');
    await until(
      async () => (property('NRestarts') === '1' && systemctl('is-active', UNIT) === 'active' ? true : undefined),
      'systemd to start it anew',
      UP_MS,
      1000,
    );
    assert.notEqual(Number(property('MainPID')), pid);
    await answers(() => true, 'it to answer');
  });

  it('is upgraded: the new version runs, and the settings are as they were', async () => {
    await call(URL, 'PUT', '/config', SETTINGS);
    const { deviceId } = (await call<{ identity: { deviceId: string } }>(URL, 'GET', '/status')).identity;
    dpkg('-i', newer);
    const { identity } = await answers(({ identity }) => identity.firmwareVersion === versionOf(newer), 'the new one');
    assert.equal(identity.slot, 'factory');
    assert.equal((identity as unknown as { deviceId: string }).deviceId, deviceId);
    assert.equal((await call<typeof SETTINGS>(URL, 'GET', '/config')).printWidthCols, SETTINGS.printWidthCols);
  });

  it('takes the same installation, and every maintainer script, twice', async () => {
    dpkg('-i', newer);
    for (const [script, ...args] of [
      ['postinst', 'configure', versionOf(newer)],
      ['prerm', 'upgrade', versionOf(newer)],
      ['postrm', 'upgrade', versionOf(newer)],
    ] as const) {
      for (let time = 0; time < 2; time += 1) runScript(script, ...args);
    }
    await answers(({ identity }) => identity.firmwareVersion === versionOf(newer), 'it to answer');
  });

  it('goes on where its removal is given up, and where its update is, without a restart', async () => {
    runScript('prerm', 'remove');
    assert.equal(systemctl('is-active', UNIT), 'inactive');
    runScript('postinst', 'abort-remove');
    await answers(({ identity }) => identity.firmwareVersion === versionOf(newer), 'it to answer again');
    const pid = property('MainPID');
    runScript('prerm', 'upgrade', versionOf(newer));
    runScript('postinst', 'abort-upgrade', versionOf(newer));
    assert.equal(property('MainPID'), pid);
  });

  it('has a program beside it that asks a hosted till once a file names one, as a user of its own', async () => {
    dpkg('-i', pull);
    assert.equal(systemctl('is-enabled', PULL), 'enabled');
    // Off, it costs no process.
    assert.deepEqual([systemctl('is-active', PULL), property('MainPID', PULL)], ['inactive', '0']);
    const asked: string[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (form: string) => asked.push(form));
      request.on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const till = { name: 'shop', server: `http://127.0.0.1:${port}/`, protocol: 'sdp', every: 1 };
    const whole = { node: URL, state: '/var/lib/tillnode-pull', servers: [till] };
    writeFileSync('/etc/tillnode-pull.json', JSON.stringify(whole), { mode: 0o600 });
    systemctl('restart', PULL);
    const log = () => run('journalctl', '-q', '-b', '-u', PULL, '--no-pager');
    await until(async () => (asked.length > 2 ? true : undefined), 'the till to be asked', UP_MS, 200).catch(
      (error) => {
        throw new Error(`${error}: ${log()}`);
      },
    );
    assert.ok(asked.every((form) => form.startsWith('ConnectionType=GetRequest')));
    assert.equal(ownerOf(`/proc/${property('MainPID', PULL)}`), 'tillnode-pull:tillnode-pull');
    const journal = readdirSync('/var/lib/tillnode-pull')
      .map((name) => `/var/lib/tillnode-pull/${name}/journal.ndjson`)
      .find((path) => existsSync(path));
    assert.equal(ownerOf(journal ?? ''), 'tillnode-pull:tillnode-pull');
    assert.equal(property('NRestarts', PULL), '0');
    // What is wrong stays wrong.
    writeFileSync('/etc/tillnode-pull.json', '{}');
    systemctl('restart', PULL);
    await until(async () => (systemctl('is-failed', PULL) === 'failed' ? true : undefined), 'it to end', UP_MS, 200);
    assert.match(log(), /servers is to be a list/);
    server.close();
    dpkg('-P', 'tillnode-pull');
    assert.deepEqual(
      ['/etc/tillnode-pull.json', '/var/lib/tillnode-pull', '/usr/lib/tillnode-pull'].filter(existsSync),
      [],
    );
    assert.equal(isKnown('tillnode-pull'), false);
  });

  it('is removed: nothing of it runs, and what it keeps stays', async () => {
    dpkg('-r', 'tillnode');
    assert.equal(systemctl('is-active', UNIT), 'inactive');
    assert.equal(property('LoadState'), 'masked');
    assert.ok(!existsSync('/usr/lib/tillnode'));
    const { uid } = statSync(STATE);
    const running = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid,
    );
    assert.deepEqual(running, []);
    assert.ok(readdirSync(STATE).includes('settings.a'));
    await assert.rejects(status());
  });

  it('finds its settings when it is installed again', async () => {
    dpkg('-i', newer);
    assert.equal((await call<typeof SETTINGS>(URL, 'GET', '/config')).printWidthCols, SETTINGS.printWidthCols);
  });

  it('leaves nothing of itself when it is purged, and can be purged twice', async () => {
    dpkg('-P', 'tillnode');
    assert.equal(existsSync(STATE), false);
    assert.equal(isKnown('tillnode'), false);
    assert.equal(property('LoadState'), 'not-found');
    assert.equal(existsSync('/etc/systemd/system/multi-user.target.wants/tillnode.service'), false);
    const left = [
      '/usr/lib',
      '/usr/lib/systemd/system',
      '/usr/lib/udev/rules.d',
      '/etc/NetworkManager/dnsmasq-shared.d',
      '/usr/share/doc',
    ]
      .filter(existsSync)
      .flatMap((directory) => readdirSync(directory).map((name) => `${directory}/${name}`))
      .filter((path) => path.includes('tillnode'));
    assert.deepEqual(left, []);
    dpkg('-P', 'tillnode');
  });
}
