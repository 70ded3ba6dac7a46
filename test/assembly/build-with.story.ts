/** An image with a room from outside, made of the npm package alone, in a package of CommonJS. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutside, type Outside, pack } from './outside.ts';

const MINUTES = 900_000;
let program: Outside;
beforeAll(() => {
  program = createOutside(pack().tarball, 'commonjs');
}, MINUTES);
afterAll(() => program?.remove());

it(
  'an image with a room from outside is built with no file but those of the package and the room, and has the route and the panel of the room',
  async () => {
    const cache = join(program.folder, 'cache');
    mkdirSync(cache);
    // Without --offline, which npx would hand on to the installation of what the build needs.
    program.run('npx', '--no', 'tillnode', 'new', 'plugin', 'coin');
    const build = ['tillnode', 'build', '--with', 'coin', '--variant', 'twin', '--out', 'out'];
    program.run('env', `XDG_CACHE_HOME=${cache}`, 'npx', '--no', ...build);
    const ports = ['--port', '0', '--raw-port', '0', '--ipp-port', '0', '--state', join(program.folder, 'state')];
    const node = spawn(process.execPath, ['out/launcher.js', ...ports], {
      cwd: program.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const url = await new Promise<string>((resolve, reject) => {
        node.once('exit', (code) => reject(new Error(`the launcher ended with ${code}`)));
        createInterface({ input: node.stdout }).on('line', (line) => {
          if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
        });
      });
      expect((await fetch(`${url}/coin`)).status).toBe(200);
      expect(await (await fetch(`${url}/`)).text()).toContain('/coin');
      const { NodeClient } = await import(join(program.folder, 'out/client/client.js'));
      expect(await new NodeClient({ url }).coin()).toMatchObject({ endpoint: 'coin' });
      // Every type that it names is its own.
      const types = readFileSync(join(program.folder, 'out/client/registry.d.cts'), 'utf8');
      expect(types).toContain('coinSay: (command: CoinSay, options?: CallOptions) => Promise<CommandResult>');
    } finally {
      const exit = once(node, 'exit');
      if (node.kill('SIGTERM')) await exit;
    }
  },
  MINUTES,
);
