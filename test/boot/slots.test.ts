/** Slots as folders: who may read them, what an image in one finds, and what keeps it from being run. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MANIFEST } from '../../runtime/bindings/boot-messages.ts';
import { Slots } from '../../runtime/boot/slots.ts';
import type { BootState } from '../../runtime/boot/state.ts';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const modeOf = (path: string) => statSync(path).mode & 0o777;

let root: string;
let factory: string;
let slots: Slots;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'slots-'));
  root = join(folder, 'slots');
  factory = join(folder, 'factory');
  mkdirSync(factory);
  slots = new Slots(root, factory);
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe('the folders', () => {
  it('are where their slot says, and only the user of the node reads them', async () => {
    await slots.prepare();
    expect(slots.root).toBe(root);
    expect(['a', 'b', 'factory'].map((slot) => slots.directory(slot as 'a'))).toEqual([
      join(root, 'a'),
      join(root, 'b'),
      factory,
    ]);
    expect(['a', 'b'].map((slot) => modeOf(join(root, slot)))).toEqual([0o700, 0o700]);
    expect(modeOf(join(root, 'package.json'))).toBe(0o600);
  });

  it('are of ES modules, whatever was said there before; what says so already is left alone', async () => {
    mkdirSync(root);
    const about = join(root, 'package.json');
    writeFileSync(about, '{"type":"commonjs"}');
    await slots.prepare();
    expect(JSON.parse(readFileSync(about, 'utf8'))).toEqual({ type: 'module' });
    const { ino } = statSync(about);
    await slots.prepare();
    expect(statSync(about).ino).toBe(ino);
    expect(existsSync(`${about}.new`)).toBe(false);
  });

  it('let an image find the USB addon that is beside the launcher', async () => {
    await slots.prepare();
    const own = createRequire(import.meta.url).resolve('usb/package.json');
    expect(readlinkSync(join(root, 'node_modules'))).toBe(dirname(dirname(own)));
    expect(createRequire(join(root, 'a', 'main.js')).resolve('usb/package.json')).toBe(own);
    // What leads there already is left alone.
    const { ino } = lstatSync(join(root, 'node_modules'));
    await slots.prepare();
    expect(lstatSync(join(root, 'node_modules')).ino).toBe(ino);
  });

  it('let it find those of the launcher that is there now, and not of the one before', async () => {
    mkdirSync(root);
    symlinkSync('/nowhere/node_modules', join(root, 'node_modules'));
    await slots.prepare();
    await slots.prepare();
    expect(existsSync(join(root, 'node_modules/usb/package.json'))).toBe(true);
    expect(existsSync(join(root, 'node_modules.new'))).toBe(false);
  });

  it('let it find them also where a power cut left a link that leads elsewhere', async () => {
    mkdirSync(root);
    symlinkSync('/nowhere/node_modules', join(root, 'node_modules.new'));
    await slots.prepare();
    expect(existsSync(join(root, 'node_modules/usb/package.json'))).toBe(true);
  });
});

describe('the factory image', () => {
  it('is known by its version and the digest of its bundle', async () => {
    writeFileSync(join(factory, 'image.json'), '{"version":"1.2.3"}');
    writeFileSync(join(factory, 'main.js'), 'bundle');
    expect(await slots.factory()).toEqual({ version: '1.2.3', digest: sha256('bundle') });
  });

  it.each(['{"version":7}', '{}', 'null', '{'])('is unknown where its image.json is %s', async (about) => {
    writeFileSync(join(factory, 'image.json'), about);
    writeFileSync(join(factory, 'main.js'), 'bundle');
    expect(await slots.factory()).toBeUndefined();
  });

  it('is unknown where it has no bundle, and can be run all the same: there is nothing to compare it with', async () => {
    writeFileSync(join(factory, 'image.json'), '{"version":"1.2.3"}');
    expect(await slots.factory()).toBeUndefined();
    expect(await slots.fault('factory', stateOf('0'))).toBeUndefined();
  });

  it('is started by main.js where it has no main.cjs', async () => {
    writeFileSync(join(factory, 'main.js'), '');
    expect(await slots.main('factory')).toBe(join(factory, 'main.js'));
    writeFileSync(join(factory, 'main.cjs'), '');
    expect(await slots.main('factory')).toBe(join(factory, 'main.cjs'));
  });
});

const stateOf = (manifest: string): BootState => ({
  ...{ primary: 'a', fallback: 'factory', trial: null, failed: [] },
  slots: { a: { version: '2.0.0', manifest } },
});

describe('an image in a slot', () => {
  const FILES = { 'main.js': 'main', 'page.html': 'page' };
  const manifestOf = (files: Record<string, string>) =>
    JSON.stringify({ files: Object.entries(files).map(([name, content]) => ({ name, sha256: sha256(content) })) });
  const path = (name: string) => join(slots.directory('a'), name);
  const write = (name: string, content: string) => writeFileSync(path(name), content);
  const fault = (manifest = sha256(manifestOf(FILES))) => slots.fault('a', stateOf(manifest));
  beforeEach(async () => {
    await slots.prepare();
    for (const [name, content] of Object.entries(FILES)) write(name, content);
    write(MANIFEST, manifestOf(FILES));
  });

  it('can be run when every byte is as it was installed', async () => {
    expect(await fault()).toBeUndefined();
  });

  it.each(Object.keys(FILES))('cannot be run when %s was changed', async (name) => {
    write(name, 'another');
    expect(await fault()).toBe(`${name} was changed`);
  });

  it('cannot be run when its manifest was changed with it', async () => {
    const changed = { ...FILES, 'main.js': 'another' };
    write('main.js', changed['main.js']);
    write(MANIFEST, manifestOf(changed));
    expect(await fault()).toBe('the manifest was changed');
    expect(await fault(sha256(manifestOf(changed)))).toBeUndefined();
  });

  it.each(['main.js', MANIFEST])('cannot be run when %s is gone', async (name) => {
    rmSync(path(name));
    expect(await fault()).toContain(`ENOENT: no such file or directory, open '${path(name)}'`);
  });

  it('cannot be run when its manifest lists nothing', async () => {
    write(MANIFEST, '{}');
    expect(await fault(sha256('{}'))).toContain('not iterable');
  });

  it('is started by main.cjs where its manifest has one, and never by a file that it does not list', async () => {
    write('main.cjs', 'of nobody');
    expect(await slots.main('a')).toBe(path('main.js'));
    write(MANIFEST, manifestOf({ ...FILES, 'main.cjs': 'main' }));
    expect(await slots.main('a')).toBe(path('main.cjs'));
  });

  it('is not there where nothing was installed', async () => {
    expect(await slots.fault('b', stateOf(sha256(manifestOf(FILES))))).toBe('nothing is installed');
  });
});
