/** `npm run new`: what it writes works at once, and what it refuses changes nothing. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'tsup';
import { afterAll, describe, expect, it } from 'vitest';
import { imageOf, variants } from '../../build.config.ts';
import type { Variant } from '../../runtime/assembly/variant/variant.ts';
import { partsFrom } from '../../runtime/http/document.ts';
import { main } from '../../runtime/new/new-cli.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tillnode-new-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  rmSync('dist/new', { recursive: true, force: true });
});

async function run(args: readonly string[], root = '.') {
  const said = { out: '', err: '' };
  const code = await main(
    args,
    {
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
    },
    root,
  );
  return { code, ...said };
}

/** A tree with what `npm run new` reads and writes. */
function tree(): string {
  const root = mkdtempSync(join(scratch, 'tree-'));
  for (const part of ['runtime/new/template', 'recipes']) cpSync(part, join(root, part), { recursive: true });
  mkdirSync(join(root, 'plugins/scale'), { recursive: true });
  return root;
}
const files = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

describe('npm run new -- plugin', () => {
  const bin = (name: string, args: readonly string[], cwd: string) =>
    execFileSync(resolve('node_modules/.bin', name), args, { cwd, encoding: 'utf8', stdio: 'pipe' });

  // That it typechecks and passes its tests with the npm package alone: npm-programs.story.ts.
  it('writes a package that goes into an image, with its panel', async () => {
    const folder = join(scratch, 'coin-acceptor');
    expect(await run(['plugin', 'coin-acceptor', '--out', folder])).toMatchObject({ code: 0, err: '' });
    const twin = variants['twin'] as Variant;
    await build({ ...imageOf('new', { ...twin, plugins: [...twin.plugins, folder] }), config: false });
    const described = JSON.parse(readFileSync('dist/new/image.json', 'utf8'));
    expect(described.plugins).toContain('coin-acceptor');
    for (const method of ['GET', 'POST'])
      expect(described.routes).toContainEqual(expect.objectContaining({ method, path: '/coin-acceptor' }));
    expect(partsFrom('dist/new/pages.br', 'page', 'en').html).toContain('coin_acceptor_say');
  }, 180_000);

  it.each(['ab', 'a-b', 'abcdefghijklmnopqrst', 'abcdefghij-klmno-pqr'])(
    'writes what the linter has nothing to say of: %s',
    async (name) => {
      const folder = join(scratch, name);
      await run(['plugin', name, '--out', folder]);
      const rules = readFileSync('biome.json', 'utf8')
        .replace(/^ *"vcs":.*\n/m, '')
        .replace(/"files": \{[^}]*\}/, '"files": { "includes": ["**", "!**/*.md"] }');
      writeFileSync(join(folder, 'biome.json'), rules);
      expect(() => bin('biome', ['check', '--error-on-warnings', '.'], folder)).not.toThrow();
    },
  );

  it('writes the same room into plugins, without what makes it a package', async () => {
    const root = tree();
    expect(await run(['plugin', 'weigher'], root)).toMatchObject({ code: 0, err: '' });
    const inside = files(join(root, 'plugins/weigher'));
    expect(inside).toEqual(expect.arrayContaining(['README.md', 'index.ts', 'virtual.ts', 'weigher.test.ts']));
    expect(inside).not.toContain('package.json');
    expect(readFileSync(join(root, 'plugins/weigher/index.ts'), 'utf8')).not.toMatch(/sample/i);
  });

  it.each([
    ['Weigher', 'lower-case letters'],
    ['../weigher', 'lower-case letters'],
    ['x', 'lower-case letters'],
    ['coin--acceptor', 'single hyphens'],
    ['coin-', 'single hyphens'],
    ['scale', 'is there already'],
  ])('refuses %j in words and writes nothing', async (name, words) => {
    const root = tree();
    const before = files(root);
    expect(await run(['plugin', name], root)).toMatchObject({ code: 1, out: '', err: expect.stringContaining(words) });
    expect(files(root)).toEqual(before);
  });

  it('leaves a room that the same call wrote before as it is', async () => {
    const folder = join(scratch, 'twice');
    const first = await run(['plugin', 'weigher', '--out', folder]);
    writeFileSync(join(folder, 'codec.ts'), 'mine');
    const second = await run(['plugin', 'weigher', '--out', folder]);
    expect(second).toEqual({ code: 0, err: '', out: first.out.replace('wrote', 'is there already:') });
    expect(readFileSync(join(folder, 'codec.ts'), 'utf8')).toBe('mine');
  });

  it('never writes into a folder that holds something', async () => {
    const folder = join(scratch, 'full');
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.ts'), 'mine');
    expect(await run(['plugin', 'weigher', '--out', folder])).toMatchObject({
      code: 1,
      err: expect.stringContaining('not empty'),
    });
    expect(files(folder)).toEqual(['index.ts']);
  });

  it.each([[[]], [['toaster']], [['plugin']], [['plugin', 'a', 'b']], [['plugin', 'ab', '--colour']]])(
    '%j gets the usage and 2',
    async (args) => {
      expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('usage:') });
    },
  );
});

describe('npm run new -- recipe', () => {
  it('puts a row where it belongs in the file of its vendor, and leaves the rest as it was', async () => {
    const root = tree();
    const path = join(root, 'recipes/citizen.json');
    const before = readFileSync(path, 'utf8');
    expect(await run(['recipe', '1D90:2050', '--model', 'CT-X'], root)).toMatchObject({ code: 0, err: '' });
    const after = readFileSync(path, 'utf8');
    const { rows } = JSON.parse(after) as { rows: { id: string; productId: string }[] };
    const at = rows.findIndex(({ id }) => id === 'citizen-2050');
    expect([rows[at - 1]?.productId, rows[at + 1]?.productId]).toEqual(['2037', '2060']);
    const kept = after.split('\n');
    expect(before.split('\n').filter((line) => !kept.includes(line))).toEqual([]);
    expect(kept.length - before.split('\n').length).toBe(6);
  });

  it('puts a row that comes last at the end, and one of a new maker into a new file', async () => {
    const root = tree();
    expect((await run(['recipe', '2730:fffe'], root)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(root, 'recipes/citizen.json'), 'utf8')).rows.at(-1).productId).toBe('fffe');
    expect((await run(['recipe', 'abcd:0042', '--make', 'Acme & Sons', '--like', '04b8:0e28'], root)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(root, 'recipes/acme-sons.json'), 'utf8'))).toMatchObject({
      maker: 'Acme & Sons',
      rows: [{ id: 'acme-sons-0042', codec: 'escpos', options: { columns: 48, dots: 576 } }],
    });
  });

  it.each([
    [['--kind', 'printer'], 'escpos', 'printer'],
    [['--kind', 'scanner'], 'hid-keyboard', 'scanner/virtual-wedge'],
    [['--like', '1eab:1306'], 'serial-lines', 'scanner/virtual-serial'],
    [['--kind', 'scanner', '--like', '0c2e:0b87'], 'hid-pos', 'scanner'],
    [['--kind', 'scale'], 'hid-scale', 'scale'],
    [['--kind', 'hub'], 'usb-hub', 'hub'],
    [['--kind', 'camera'], 'mjpeg', 'camera'],
  ])(
    'with %j writes a row of codec %s, and names the device of the twin that it drives: %s',
    async (args, codec, device) => {
      const root = tree();
      const { code, out } = await run(['recipe', 'abcd:0042', '--make', 'Acme', ...args], root);
      expect(code).toBe(0);
      expect(JSON.parse(readFileSync(join(root, 'recipes/acme.json'), 'utf8')).rows).toMatchObject([{ codec }]);
      expect(out).toContain(`twin/attach -d '{"device":"${device}","vendorId":"abcd","productId":"0042"}'`);
    },
  );

  it.each(['04b8:fff0', '04b8:*'])('begins like a device that a row for its whole vendor drives: %s', async (like) => {
    const root = tree();
    expect(await run(['recipe', 'abcd:0042', '--make', 'Acme', '--like', like], root)).toMatchObject({ code: 0 });
    const vendor = JSON.parse(readFileSync('recipes/epson.json', 'utf8')).rows.find(
      ({ productId }: { productId: string }) => productId === '*',
    );
    const { rows } = JSON.parse(readFileSync(join(root, 'recipes/acme.json'), 'utf8'));
    expect(rows).toMatchObject([{ codec: vendor.codec, options: vendor.options }]);
    expect(rows[0].source).toContain(like);
  });

  it('leaves a row that the same call wrote before as it is, and says again what to do', async () => {
    const root = tree();
    const path = join(root, 'recipes/acme.json');
    const call = ['recipe', 'abcd:0042', '--make', 'Acme', '--model', 'Acme 58', '--like', '0483:5840'];
    const first = await run(call, root);
    const edited = readFileSync(path, 'utf8').replace('"medium"', '"high"');
    writeFileSync(path, edited);
    const second = await run(call, root);
    expect(second).toMatchObject({ code: 0, err: '', out: expect.stringContaining('acme.json:4') });
    expect(second.out.split('\n\n').at(-1)).toBe(first.out.split('\n\n').at(-1));
    expect(readFileSync(path, 'utf8')).toBe(edited);
    const other = ['recipe', 'abcd:0042', '--make', 'Acme', '--kind', 'scale'];
    expect(await run(other, root)).toMatchObject({ code: 1, err: expect.stringContaining('has a row') });
  });

  it.each([
    [['1d90:2060'], 'has a row'],
    [['abcd:0042'], 'say --make MAKE'],
    [['abcd:0042', '--make', '&'], 'no file can be named'],
    [['abcd:0042', '--make', 'Acme', '--like', 'abcd:0043'], 'has no row'],
    [['abcd:0042', '--make', 'Acme', '--kind', 'toaster'], 'a kind is one of camera, hub, printer, scale, scanner'],
    [['abcd:0042', '--make', 'Acme', '--kind', 'scale', '--like', '04b8:0e28'], 'is a printer'],
    [['12:3'], 'four hexadecimal digits'],
    [['abcd:0042', '--make', 'Acme', '--model', 'a\u0007'], 'model'],
  ])('refuses %j in words and writes nothing', async (args, words) => {
    const root = tree();
    const before = files(root);
    expect(await run(['recipe', ...args], root)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(words),
    });
    expect(files(root)).toEqual(before);
    expect(existsSync(join(root, 'recipes/acme.json'))).toBe(false);
  });
});
