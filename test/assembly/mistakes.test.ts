/** A mistake of whoever builds is told in one line that says where it is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { variants } from '../../build.config.ts';
import { evaluateVariant } from '../../runtime/assembly/variant/evaluate-variant.ts';
import type { Variant } from '../../runtime/assembly/variant/variant.ts';
import { LANGUAGES } from '../../runtime/base/language.ts';

const twin = variants['twin'] as Variant;

/** A folder with a room of this source. */
function roomOf(source: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-mistake-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (source !== undefined) writeFileSync(join(folder, 'index.ts'), source);
  return folder;
}

const saidOf = (variant: Partial<Variant>): Promise<string> =>
  evaluateVariant({ ...twin, plugins: ['printer'], services: ['status', 'settings'], ...variant }).then(
    () => expect.fail('was evaluated'),
    (error: Error) => error.message,
  );

describe('npm run build', () => {
  it.each([
    [['--variant', 'nosuch'], 'no variant "nosuch"; there are wifi, station-hub, camera, twin\n'],
    [['--variant', 'wifi', '--release'], '--release needs --key FILE, or --unsigned\n'],
  ])('%j is refused in one line', (args, line) => {
    const build = ['node_modules/tsup/dist/cli-default.js', '--config', 'build.config.ts', '--', ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, build, { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([1, '', line]);
  });
});

const INDEX = "export default { name: 'typo', api: 2, requires: [], room() {} };";

describe('a mistake of a room from outside is told in one line:', () => {
  const row = { id: 'acme-1', vendorId: '1209', productId: '0001', make: 'Acme', model: 'One', source: 'its manual' };
  it.each([
    ['codec', { kind: 'scanner', codec: 'hid-poss' }, 'nobody has the codec "hid-poss"'],
    ['kind', { kind: 'prniter', refuse: 'ZPL' }, 'nobody has the kind "prniter"'],
  ])('that a recipe row names a %s that nobody has, and which', async (_, how, words) => {
    const room = roomOf(INDEX);
    mkdirSync(join(room, 'recipes'));
    writeFileSync(join(room, 'recipes/acme.json'), JSON.stringify({ maker: 'Acme', rows: [{ ...row, ...how }] }));
    const said = await saidOf({ plugins: ['printer', room] });
    expect(said.endsWith(`recipes/acme.json: row acme-1: ${words}`)).toBe(true);
  });

  it('nothing of a row for a codec of another variant', async () => {
    const room = roomOf(INDEX);
    mkdirSync(join(room, 'recipes'));
    const other = { ...row, kind: 'scanner', codec: 'hid-pos' };
    writeFileSync(join(room, 'recipes/acme.json'), JSON.stringify({ maker: 'Acme', rows: [other] }));
    const variant = { ...twin, plugins: ['printer', room], services: ['status', 'settings'] };
    const { recipes } = await evaluateVariant(variant);
    expect(recipes.some(({ id }) => id === 'acme-1')).toBe(false);
  });

  it.each([
    ['export default () => {};', 'exports no `commands`'],
    ['export const commands = { label() {} };', 'the command label of its cli.ts needs usage and summary'],
    ["export const commands = { label: { usage: '', summary: 'prints' } };", 'and run, a function'],
  ])('that its cli.ts has no commands: %s', async (source, words) => {
    const room = roomOf(INDEX);
    writeFileSync(join(room, 'cli.ts'), source);
    const said = await saidOf({ plugins: ['printer', room] });
    expect([said.startsWith(`${room}: `), said.includes(words), said.includes('\n')]).toEqual([true, true, false]);
  });
});

describe('a mistake of a variant is told in one line:', () => {
  it('that a plugin does not exist', async () => {
    expect(await saidOf({ plugins: ['printre'] })).toBe(
      'printre: neither a folder of plugins nor an installed package',
    );
    const empty = roomOf(undefined);
    expect(await saidOf({ plugins: [empty] })).toBe(`${empty}: index.ts is missing`);
  });

  it.each([
    ['throws', "throw new Error('my own fault');", 'my own fault'],
    ['is no program', "export default { name: 'typo'", 'index.ts:1:'],
    ['imports what is not there', "import './gone.ts'; export default {};", 'Could not resolve "./gone.ts"'],
    ['is no plugin', 'export const x = 1;', 'default'],
  ])('that a plugin %s, and which', async (_, source, words) => {
    const room = roomOf(source);
    const said = await saidOf({ plugins: ['printer', room] });
    expect([said.startsWith(`${room}: `), said.includes(words), said.includes('\n')]).toEqual([true, true, false]);
  });

  it('that a plugin taps a hook of another release, and which', async () => {
    const room = roomOf(
      "export default { name: 'coins', api: 2, room: ({ hooks }) => hooks.coffee.tap('coins', () => {}) };",
    );
    expect(await saidOf({ plugins: ['printer', room] })).toBe(
      'coins: its room throws: this node has no hook coffee: the plugin is made for another release',
    );
  });

  it('that a plugin is of another api, and what to change', async () => {
    const room = roomOf("export default { name: 'coins', api: 1 };");
    expect(await saidOf({ plugins: ['printer', room] })).toMatch(
      /^plugin coins has api: 1, this image has 2\. Rename apply/,
    );
  });

  it('that no face has one of its scripts', async () => {
    expect(await saidOf({ scripts: ['Arab', 'arab'] })).toContain(
      'scripts: there is no face for "arab"; there are Arab,',
    );
  });

  it('that there are no words in its language', async () => {
    expect(await saidOf({ language: 'xx' as 'en' })).toBe(
      `language: there is no "xx"; there are ${Object.keys(LANGUAGES).join(', ')}`,
    );
  });

  it('that nobody drives a kind of endpoint, and which entry is missing', async () => {
    expect(await saidOf({ endpoints: { kettle: ['k'] } })).toContain('endpoint k of kind kettle, which no plugin');
    const { defaults: _, ...rest } = twin;
    await expect(evaluateVariant(rest as Variant)).rejects.toThrow('defaults is missing in its row of build.config.ts');
  });
});
