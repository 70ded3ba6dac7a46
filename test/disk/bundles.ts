/** System bundles for the story: the one that ships under another version, and such as are no good. */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addVerity } from '../../runtime/disk/verity.ts';
import { developmentKey, pack, unpack } from '../../runtime/image/pack.ts';
import { CACHE } from './machine.ts';

/** The key with which builds on this computer are signed. */
const own = () => developmentKey('.cache/keys/development.pem');
export const stranger = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

/** The bundle again, of another version, floor or signer, and with these files in place of its own. */
export function changed(
  bundle: Buffer,
  about: { readonly version?: string; readonly floor?: number; readonly key?: KeyObject },
  files: Readonly<Record<string, Uint8Array>> = {},
): Buffer {
  const { header, files: placed } = unpack(bundle);
  const contents = placed.map(({ name, offset, size }) => ({
    name,
    bytes: files[name] ?? bundle.subarray(offset, offset + size),
  }));
  return pack({ ...header, ...about }, contents, about.key ?? own());
}

/** A root that starts this script in place of systemd, and the description that goes with it. */
function rootWith(script: string, options: string): Record<string, Uint8Array> {
  const root = join(CACHE, 'bad-root');
  const file = `${root}.squashfs`;
  rmSync(root, { recursive: true, force: true });
  rmSync(file, { force: true });
  for (const folder of ['bin', 'dev', 'proc', 'sys', 'run']) mkdirSync(join(root, folder), { recursive: true });
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  for (const [path, text] of Object.entries({ 'sbin/init': script, 'usr/lib/tillnode/disk/mount-data': 'exit 0' })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `#!/bin/busybox sh\n${text}\n`, { mode: 0o755 });
  }
  // What the initramfs runs in it.
  execFileSync('mksquashfs', [root, file, '-quiet', '-no-progress', '-noappend', '-comp', 'zstd'], { stdio: 'ignore' });
  const { blocks, hash } = addVerity(file);
  return { filesystem: readFileSync(file), 'system.json': Buffer.from(JSON.stringify({ blocks, hash, options })) };
}

/** A kernel that has panicked counts the seconds by loops, which an emulator works through one by one. */
const OPTIONS = 'console=ttyS0,115200 quiet panic=1';
const NOTHING = Buffer.from('nothing');
/** As long as a bundle can be short, for what is never started. */
export const tiny = (bundle: Buffer): Buffer =>
  changed(bundle, { version: '0.5.0' }, { filesystem: Buffer.alloc(100_000, 7), initrd: NOTHING, linux: NOTHING });
/** A bundle whose kernel finds no first program, and panics. */
export const panicking = (bundle: Buffer): Buffer =>
  changed(
    bundle,
    { version: '0.3.0' },
    { ...rootWith('exit 0', `${OPTIONS} rdinit=/nothing root=/dev/nothing`), initrd: NOTHING },
  );
/** A bundle whose root starts, and does nothing any more. */
export const hanging = (bundle: Buffer): Buffer =>
  changed(bundle, { version: '0.4.0' }, rootWith('while :; do /bin/busybox sleep 60; done', OPTIONS));

/**
 * A bundle whose node ends as soon as it is started. Of the ten minutes that a trial has for each start it waits two: that is
 * longer than its launcher takes to give all images up, and to begin again.
 */
export function crashing(bundle: Buffer): Buffer {
  const root = join(CACHE, 'crashing-root');
  const file = `${root}.squashfs`;
  for (const path of [root, file]) rmSync(path, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const { files } = unpack(bundle);
  const contentOf = (wanted: string) => {
    const { offset, size } = files.find(({ name }) => name === wanted)!;
    return bundle.subarray(offset, offset + size);
  };
  writeFileSync(file, contentOf('filesystem'));
  execFileSync('unsquashfs', ['-quiet', '-no-progress', '-d', root, file], { stdio: 'ignore' });
  rmSync(file);
  writeFileSync(join(root, 'usr/lib/tillnode/factory/main.cjs'), 'process.exit(1);\n');
  const waits = join(root, 'usr/lib/systemd/system/tillnode-good.service.d');
  mkdirSync(waits);
  writeFileSync(join(waits, 'soon.conf'), '[Service]\nTimeoutStartSec=120\n');
  const options = ['-quiet', '-no-progress', '-noappend', '-comp', 'zstd', '-Xcompression-level', '3'];
  execFileSync('mksquashfs', [root, file, ...options], { stdio: 'ignore' });
  rmSync(root, { recursive: true });
  const about = JSON.parse(contentOf('system.json').toString()) as object;
  const system = Buffer.from(JSON.stringify({ ...about, ...addVerity(file) }));
  return changed(bundle, { version: '0.6.0' }, { filesystem: readFileSync(file), 'system.json': system });
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
