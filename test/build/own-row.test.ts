/** The README's "Add a device", word for word in a clone: the commands of its fences, one after the other. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';

const clone = mkdtempSync(join(tmpdir(), 'tillnode-clone-'));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** The shell lines of each step; a line that curl would send to the twin goes to where this one listens. */
function steps(url: string): string[][] {
  const [, part = ''] = readFileSync('README.md', 'utf8').split('\n## Add a device\n');
  const [own = ''] = part.split('\n## ');
  return [...own.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.trim().replace('http://127.0.0.1:8080', url)),
  );
}
const shell = (line: string) => execFileSync('bash', ['-c', line], { cwd: clone, encoding: 'utf8', stdio: 'pipe' });

it('a row for ids that nobody has drives a device of the twin, by its commands alone', async () => {
  for (const part of ['build.config.ts', 'package.json', 'tsconfig.json', 'codecs', 'plugins', 'recipes', 'runtime'])
    cpSync(part, join(clone, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  const [write = [], look = []] = steps('');
  for (const line of [...write, ...look]) shell(line);
  expect(JSON.parse(readFileSync(join(clone, 'recipes/acme.json'), 'utf8')).rows).toMatchObject([{ id: 'acme-0042' }]);

  shell('npm run -s build -- --variant twin');
  const ports = ['--port', '0', '--raw-port', '0', '--state', join(clone, 'state')];
  const child = spawn(process.execPath, ['dist/twin/main.js', ...ports], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [ready] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const [attach = '', status = '', width = '', print = '', paper = ''] = steps(ready.replace('ready ', ''))[2] ?? [];
    expect(JSON.parse(shell(attach))).toEqual({ ok: true, attached: true });
    const { peripherals } = JSON.parse(shell(status));
    expect(peripherals).toContainEqual(
      expect.objectContaining({
        endpoint: 'receipt',
        condition: 'bound',
        device: expect.objectContaining({ vendorId: 'abcd', productId: '0042', make: 'Acme' }),
        recipe: expect.objectContaining({ id: 'acme-0042', tier: 'builtin' }),
      }),
    );
    expect(JSON.parse(shell(width))).toMatchObject({ printWidthCols: 32 });
    expect(JSON.parse(shell(print))).toMatchObject({ ok: true, commandId: '4' });
    expect(shell(paper)).toMatch(/^ *[-─]{32}$/m);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);
