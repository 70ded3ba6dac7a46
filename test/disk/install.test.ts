/** A system bundle, received in a partition: what is installed, and what is refused with the other system untouched. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entryOf, install, type Target } from '../../runtime/disk/system/install.ts';
import { rawPublicKey } from '../../runtime/image/format.ts';
import { pack } from '../../runtime/image/pack.ts';
import { sent } from './sent.ts';

const ROOT = Buffer.alloc(8192, 'root');
const HASH = 'ab'.repeat(32);
const { privateKey: key } = generateKeyPairSync('ed25519');
let home = '';
let target: Target;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tillnode-disk-'));
  mkdirSync(join(home, 'loader/entries'), { recursive: true });
  writeFileSync(entry('tillnode-a.conf'), entryOf('a', '0.1.0', 4, 'quiet'));
  writeFileSync(entry('tillnode-b+0-3.conf'), entryOf('b', '0.0.9', 3, 'quiet'));
  writeFileSync(join(home, 'root_b'), Buffer.alloc(65_536));
  target = {
    ...{ slot: 'b', device: join(home, 'root_b'), boot: home },
    ...{ variant: 'wifi', trustedKeys: [rawPublicKey(key)], securityFloor: 2 },
  };
});
afterEach(() => rmSync(home, { recursive: true }));

const entry = (name: string) => join(home, 'loader/entries', name);
const entries = () => readdirSync(join(home, 'loader/entries')).sort();
const bundle = (about: Partial<Parameters<typeof pack>[0]> = {}, by: KeyObject = key, options = 'quiet') =>
  pack(
    { type: 'system', variant: 'wifi', version: '0.2.0', floor: 2, ...about },
    [
      { name: 'filesystem', bytes: ROOT },
      { name: 'initrd', bytes: Buffer.from('the initrd') },
      { name: 'linux', bytes: Buffer.from('the kernel') },
      { name: 'system.json', bytes: Buffer.from(JSON.stringify({ blocks: 2, hash: HASH, options })) },
    ],
    by,
  );

const take = (bytes: Buffer, anyVariant = false, after = 'commit\n', note = (_: string): void => {}) =>
  install(sent(Buffer.concat([bytes, Buffer.from(after)])), { anyVariant }, target, note);

describe('a system bundle', () => {
  it('is in the partition from its beginning, and the firmware tries it three times before every other', async () => {
    expect(await take(bundle())).toBe('0.2.0');
    expect(readFileSync(target.device).subarray(0, ROOT.length)).toEqual(ROOT);
    expect(readFileSync(join(home, 'b/linux'), 'utf8')).toBe('the kernel');
    expect(readFileSync(join(home, 'b/initrd'), 'utf8')).toBe('the initrd');
    expect(entries()).toEqual(['tillnode-a.conf', 'tillnode-b+3.conf']);
    const text = readFileSync(entry('tillnode-b+3.conf'), 'utf8');
    expect(text).toBe(entryOf('b', '0.2.0', 5, `tillnode.root=b:2:${HASH} quiet`));
  });

  it('of another variant is taken where that is allowed', async () => {
    expect(await take(bundle({ variant: 'camera' }), true)).toBe('0.2.0');
  });

  const flipped = bundle();
  flipped[5000]! ^= 1;
  it.each([
    ['that ends early', bundle().subarray(0, 9000), 'the connection ended', ''],
    ['of which one bit is another', flipped, 'it is not signed with a trusted key', 'commit\n'],
    ['signed by somebody else', bundle({}, generateKeyPairSync('ed25519').privateKey), 'not signed', 'commit\n'],
    ['whose security floor is lower', bundle({ floor: 1 }), 'its security floor is 1', 'commit\n'],
    ['of another variant', bundle({ variant: 'camera' }), 'it is for camera', 'commit\n'],
    ['that is an image of the node', bundle({ type: 'node' }), 'not a system bundle', 'commit\n'],
    ['with options that are more than one line', bundle({}, key, 'quiet\nlinux /evil'), 'system.json', 'commit\n'],
    ['that is taken back', bundle(), 'it was not committed', 'never mind\n'],
  ])('%s is refused, and only the system that runs can be started', async (_, bytes, why, after) => {
    await expect(take(Buffer.from(bytes), false, after)).rejects.toThrow(why);
    expect(entries().filter((name) => !name.includes('+0-'))).toEqual(['tillnode-a.conf']);
    expect(existsSync(join(home, 'b/linux'))).toBe(false);
  });

  it('is refused while the system that runs is on trial itself: the other one is the way back', async () => {
    renameSync(entry('tillnode-a.conf'), entry('tillnode-a+2-1.conf'));
    renameSync(entry('tillnode-b+0-3.conf'), entry('tillnode-b.conf'));
    await expect(take(bundle())).rejects.toThrow('on trial');
    expect(entries()).toEqual(['tillnode-a+2-1.conf', 'tillnode-b.conf']);
    expect(readFileSync(target.device)).toEqual(Buffer.alloc(65_536));
  });

  it('is noted before anything can start it; where that fails, nothing can', async () => {
    const noted: unknown[] = [];
    await take(bundle(), false, 'commit\n', (version) => void noted.push([version, entries()]));
    expect(noted).toEqual([['0.2.0', ['tillnode-a.conf']]]);
    const full = () => {
      throw new Error('ENOSPC');
    };
    await expect(take(bundle(), false, 'commit\n', full)).rejects.toThrow('ENOSPC');
    expect(entries()).toEqual(['tillnode-a.conf']);
  });

  it('that cannot be written is refused', async () => {
    rmSync(target.device);
    await expect(take(bundle())).rejects.toThrow('ENOENT');
    expect(entries()).toEqual(['tillnode-a.conf']);
  });
});
