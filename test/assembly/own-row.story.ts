/** The README's "Add a device", word for word in a clone: its blocks of commands in order, each twice in a row. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { blocksOf } from '../docs/commands.ts';
import { needTools } from '../tools.ts';

const missing = needTools(['bash', 'curl']);

const clone = mkdtempSync(join(tmpdir(), 'tillnode-clone-'));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** The lines of each block; what curl would send to the twin goes to where this one listens. */
const blocks = (url: string): string[][] =>
  blocksOf('README.md', 'sh')
    .filter(({ section }) => section === 'Add a device')
    .map(({ text }) => text.split('\n').map((line) => line.replace('http://127.0.0.1:8080', url)));
const shell = (line: string) => execFileSync('bash', ['-c', line], { cwd: clone, encoding: 'utf8', stdio: 'pipe' });
/** What each line answers, where that is JSON. */
const answers = (lines: readonly string[]) =>
  lines.map((line) => {
    const answer = shell(line);
    return answer.startsWith('{') ? JSON.parse(answer) : answer;
  });
const bound = (endpoint: string, productId: string) =>
  expect.objectContaining({
    ...{ endpoint, condition: 'bound' },
    device: expect.objectContaining({ vendorId: 'abcd', productId }),
    recipe: expect.objectContaining({ id: `acme-${productId}`, tier: 'builtin' }),
  });

it.skipIf(missing)(
  'rows for ids that nobody has drive a printer, two scanners and a scale of the twin, by its commands alone',
  async () => {
    const code = ['codecs', 'plugins', 'recipes', 'runtime'];
    for (const part of ['build.config.ts', 'package.json', 'tsconfig.json', '.github/HELP.md', ...code]) {
      cpSync(part, join(clone, part), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
    const [write = []] = blocks('');
    const said = [...write, ...write].map(shell);
    const { rows } = JSON.parse(readFileSync(join(clone, 'recipes/acme.json'), 'utf8'));
    expect(rows).toMatchObject(['0042', '0043', '0044', '0045'].map((productId) => ({ productId })));

    shell('npm run -s build -- --variant twin');
    const ports = ['--port', '0', '--raw-port', '0', '--state', join(clone, 'state')];
    const child = spawn(process.execPath, ['dist/twin/main.js', ...ports], {
      cwd: clone,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [ready] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const url = ready.replace('ready ', '');
      const status = async () => (await (await fetch(`${url}/status`)).json()) as { peripherals: object[] };
      const [, printer = [], others = []] = blocks(url);
      for (const _ of ['first', 'again']) {
        const [attached, { peripherals }, config, printed, paper] = answers(printer);
        expect([attached, peripherals]).toEqual([
          { ok: true, attached: true },
          expect.arrayContaining([bound('receipt', '0042')]),
        ]);
        expect([config, printed]).toMatchObject([{ printWidthCols: 32 }, { ok: true, commandId: '4' }]);
        expect(paper).toMatch(/^ *[-─]{32}$/m);

        const found = answers(others);
        expect(found.filter(({ ok }) => ok === false)).toEqual([]);
        const { scans } = found.find((answer) => 'scans' in answer);
        expect(scans.slice(0, 2).map(({ value }: { value: string }) => value)).toEqual(['96385074', '4006381333931']);
        expect(found.at(-1)).toHaveProperty('status');
        // A scale says its weight when it has settled.
        const weight = async () => await (await fetch(`${url}/scale`)).json();
        await expect.poll(weight, { timeout: 20_000 }).toMatchObject({ status: 'reading', weight: 250 });
        expect((await status()).peripherals).toEqual(
          expect.arrayContaining([bound('scanner', '0044'), bound('scale', '0045')]),
        );
      }
      // What `npm run new` says of each is what the README does.
      for (const line of [...printer, ...others].filter((each) => each.includes('/twin/attach'))) {
        const { device, productId } = JSON.parse(/'(\{.*\})'/.exec(line)?.[1] ?? '{}');
        expect(said.join('')).toContain(JSON.stringify({ device, vendorId: 'abcd', productId }));
      }
    } finally {
      child.kill('SIGKILL');
    }
  },
  600_000,
);
