/** The built twin whose launcher is killed as it starts: nothing of it is left, however early that was. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../node.ts';

/** Every process that was told of this folder. */
const processesOf = (state: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(state);
      } catch {
        return false;
      }
    });

it('an image ends when its launcher is killed in its first milliseconds', async () => {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-orphan-'));
  onTestFinished(() => {
    for (const pid of processesOf(state)) process.kill(pid, 'SIGKILL');
    rmSync(state, { recursive: true, force: true });
  });
  for (let ms = 0; ms <= 300; ms += 50) {
    const args = ['--port', '0', '--raw-port', '0', '--state', state];
    const launcher = spawn(process.execPath, ['dist/twin/launcher.js', ...args], { stdio: 'ignore' });
    await until(() => processesOf(state).length > 1);
    await delay(ms);
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    // In order, where it came that far; at once, where it did not.
    await until(() => processesOf(state).length === 0);
  }
  expect(processesOf(state)).toEqual([]);
});
