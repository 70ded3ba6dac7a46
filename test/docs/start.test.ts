/** "npm ci && npm start": what it starts ends with it, as a supervisor or a closed terminal ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../node.ts';
import { freePort, listensOn } from '../ports.ts';
import { cloneIn } from './clone.ts';

const parent = mkdtempSync(join(tmpdir(), 'tillnode-start-'));
let clone = '';
const running: ChildProcess[] = [];
beforeAll(() => {
  clone = cloneIn(parent);
});
afterAll(() => {
  for (const { pid = 0, exitCode } of running) if (exitCode === null) process.kill(-pid, 'SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

async function npmStart() {
  const [port, raw] = [await freePort(), await freePort()];
  const ports = ['--port', `${port}`, '--raw-port', `${raw}`];
  const npm = spawn('npm', ['start', '--', ...ports, '--state', join(parent, 'state')], {
    ...{ cwd: clone, detached: true },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(npm);
  const said: string[] = [];
  createInterface({ input: npm.stdout }).on('line', (line) => said.push(line));
  return { npm, said, ports: [port, raw] };
}

/** A process and all that it has started (proc(5)). */
const family = (pid: number): number[] => [
  pid,
  ...(procOf(pid, `task/${pid}/children`).match(/\d+/g) ?? []).flatMap((child) => family(Number(child))),
];
const commandOf = (pid: number) => procOf(pid, 'cmdline').replaceAll('\0', ' ');
function procOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

async function terminate(npm: ChildProcess): Promise<void> {
  const all = family(npm.pid ?? expect.fail());
  const exited = once(npm, 'exit');
  npm.kill('SIGTERM');
  await exited;
  await until(() => all.map(commandOf).join('') === '');
}

it('SIGTERM ends the launcher and the node, and the ports are free again', async () => {
  const { npm, said, ports } = await npmStart();
  await until(() => said.some((line) => line.startsWith('raw ')));
  expect(
    family(npm.pid ?? 0)
      .map(commandOf)
      .join('\n'),
  ).toContain('dist/twin/main.cjs');
  await terminate(npm);
  expect(await Promise.all(ports.map(listensOn))).toEqual(ports.map(() => true));
});

it('SIGTERM ends the build, and nothing is started after it', async () => {
  const { npm, said } = await npmStart();
  await until(() => family(npm.pid ?? 0).some((pid) => commandOf(pid).includes('tsup')));
  await terminate(npm);
  expect(said.some((line) => line.startsWith('ready'))).toBe(false);
});
