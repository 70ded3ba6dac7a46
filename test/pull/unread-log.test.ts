/** The program as a process whose log nobody reads on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../../runtime/assembly/client/client-module.ts';
import { startPrintingNode, until } from '../node.ts';
import { stateFolder } from './pulling.ts';
import { starServer } from './star.ts';

const ROOMS = ['runtime/services', 'plugins'].flatMap((parent) =>
  readdirSync(parent).map((name) => resolve(parent, name)),
);
const PROGRAM = '.cache/unread-log/pull.mjs';

it('the program prints on when whoever read its log is gone', async () => {
  await build({
    ...{ entryPoints: ['runtime/pull/main.ts'], outfile: PROGRAM, bundle: true, platform: 'node', format: 'esm' },
    ...{ mainFields: ['module', 'main'], logLevel: 'error', plugins: [clientOf(ROOMS)] },
  });
  const [node, star] = [await startPrintingNode(), await starServer()];
  onTestFinished(async () => {
    await star.close();
    await node.stop();
  });
  const asked = { server: star.url, node: node.url, protocol: 'cloudprnt', state: stateFolder(), every: '1' };
  const flags = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [PROGRAM, ...flags]);
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  await once(child.stderr, 'data');
  child.stderr.destroy();
  child.stdout.destroy();
  // The first one is told in the log.
  star.queue.push({ token: '1', types: ['text/html'], body: '' }, { token: '2', types: ['text/plain'], body: '<2>' });
  await until(() => star.codes.length === 2);
  expect(star.codes).toEqual([expect.stringMatching(/^510 /), '200 OK']);
  expect(child.exitCode).toBeNull();
});
