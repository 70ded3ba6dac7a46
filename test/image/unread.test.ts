/** What an image says of itself as it starts, to nobody. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MAIN } from '../../runtime/image/compiled.ts';
import { until } from '../node.ts';
import { freePort } from '../ports.ts';

it('an image serves where nobody reads its standard output', async () => {
  const [state, port] = [mkdtempSync(join(tmpdir(), 'unread-')), await freePort()];
  const ports = ['--port', String(port), '--raw-port', '0', '--ipp-port', '0'];
  const node = spawn(process.execPath, [join('dist/twin', MAIN), '--host', '127.0.0.1', ...ports, '--state', state], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(node, 'exit');
  onTestFinished(async () => {
    node.kill();
    await ended;
    rmSync(state, { recursive: true });
  });
  node.stdout.destroy();
  const status = () =>
    fetch(`http://127.0.0.1:${port}/status`).then(
      ({ status }) => status,
      () => 0,
    );
  await until(async () => (await status()) === 200);
  await until(async () => (await fetch(`http://127.0.0.1:${port}/jobs`)).status === 200);
  expect(node.exitCode).toBeNull();
});
