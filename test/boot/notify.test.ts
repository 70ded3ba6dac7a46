/** What systemd is told (sd_notify(3)): readiness, progress, and that falling back takes its time. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemdNotifier } from '../../runtime/boot/notify.ts';
import { until } from '../node.ts';
import { CRASHES, GOOD, makeBox } from './box.ts';

it('every start of an image is told, and only the one that comes up is ready', async () => {
  const told: string[] = [];
  const note = (what: string) => () => void told.push(what);
  const box = await makeBox(GOOD);
  await box.install('a', '2.0.0', CRASHES);
  box.powerOn({ notifier: { starting: note('starting'), ready: note('ready'), alive: note('alive') } });
  await until(() => told.includes('alive'));
  expect(told.slice(0, 6)).toEqual(['starting', 'starting', 'starting', 'starting', 'ready', 'alive']);
});

it('the unit is started again however often it ends', () => {
  const unit = readFileSync('runtime/assembly/package/debian/tillnode.service', 'utf8');
  expect(unit).toMatch(/^Restart=always$/m);
  expect(unit.split('[Service]')[0]).toMatch(/^StartLimitIntervalSec=0$/m);
});

it('the unit leaves it to the launcher to start an image again that the kernel killed for want of memory', () => {
  const unit = readFileSync('runtime/assembly/package/debian/tillnode.service', 'utf8');
  // Otherwise systemd ends them all (systemd.service(5)), and what the launcher counted is gone with it.
  expect(unit).toMatch(/^OOMPolicy=continue$/m);
});

it('a start gets as long as the watchdog of the unit waits, and that is longer than an image may take', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'notify-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true });
  });
  const said = join(directory, 'said');
  writeFileSync(said, '');
  writeFileSync(join(directory, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${said}\n`);
  chmodSync(join(directory, 'systemd-notify'), 0o755);
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`);
  systemdNotifier({ NOTIFY_SOCKET: '/run/systemd/notify' }).starting();
  await until(() => readFileSync(said, 'utf8').includes('\n'));
  const unit = readFileSync('runtime/assembly/package/debian/tillnode.service', 'utf8');
  const seconds = Number(/^WatchdogSec=(\d+)$/m.exec(unit)?.[1]);
  expect(readFileSync(said, 'utf8')).toBe(`WATCHDOG=1 EXTEND_TIMEOUT_USEC=${seconds * 1_000_000}\n`);
  // One start, and the longest pause before it.
  expect(seconds).toBeGreaterThan(60 + 30);
});
