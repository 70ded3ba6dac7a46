/** The programs of the tree that make images and packages, asked what they take, and read by a program that ends early. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const OUT = '.cache/help';
const PROGRAMS = {
  disk: 'runtime/disk/disk-cli.ts',
  package: 'runtime/assembly/package/package-cli.ts',
  fleet: 'runtime/fleet/main.ts',
};

async function bundled(name: string, entry: string): Promise<string> {
  const outfile = join(OUT, `${name}.mjs`);
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' },
    ...{ packages: 'external', logLevel: 'error' },
  });
  return outfile;
}

it.each(Object.entries(PROGRAMS))(
  'npm run %s -- --help says how it is used, on standard output',
  async (name, entry) => {
    const child = spawn(process.execPath, [await bundled(name, entry), '--help']);
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`^usage: npm run ${name} -- `));
  },
);

it('npm run image -- inspect FILE | head ends without a word when nobody reads on', async () => {
  const image = readdirSync('dist/twin').find((name) => name.endsWith('.img')) ?? '';
  const program = await bundled('image', 'runtime/assembly/variant/image-cli.ts');
  const child = spawn(process.execPath, [program, 'inspect', join('dist/twin', image)]);
  child.stdout.destroy();
  const [err] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(err).toBe('');
});
