/** The choice of the system where U-Boot starts it, as on a Raspberry Pi; and what its firmware finds on the disk. */
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOARDS, PLATFORMS } from '../../runtime/disk/platforms.ts';
import { install, type Target } from '../../runtime/disk/system/install.ts';
import { choose, chosen } from '../../runtime/disk/system/u-boot.ts';
import { environmentFile, scriptImage } from '../../runtime/disk/u-boot-script.ts';
import { rawPublicKey } from '../../runtime/image/format.ts';
import { pack } from '../../runtime/image/pack.ts';
import { sent } from './sent.ts';

const { privateKey: key } = generateKeyPairSync('ed25519');
const HASH = 'ab'.repeat(32);
let home = '';
let made = '';
let target: Target;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tillnode-u-boot-'));
  made = join(home, 'made');
  mkdirSync(join(home, 'loader/entries'), { recursive: true });
  writeFileSync(made, 'tillnode data 1'.padEnd(4096));
  writeFileSync(join(home, 'root_b'), Buffer.alloc(65_536));
  choose(made, { good: 'a', tries: 0 });
  target = {
    ...{ slot: 'b', device: join(home, 'root_b'), boot: home, choice: made },
    ...{ variant: 'wifi', trustedKeys: [rawPublicKey(key)], securityFloor: 1 },
  };
});
afterEach(() => rmSync(home, { recursive: true }));

const bundle = (by = key) =>
  pack(
    { type: 'system', variant: 'wifi', version: '0.2.0', floor: 1 },
    [
      { name: 'filesystem', bytes: Buffer.alloc(8192, 'root') },
      { name: 'initrd', bytes: Buffer.from('the initrd') },
      { name: 'linux', bytes: Buffer.from('the kernel') },
      { name: 'system.json', bytes: Buffer.from(JSON.stringify({ blocks: 2, hash: HASH, options: 'quiet' })) },
    ],
    by,
  );
const take = (bytes: Buffer) =>
  install(sent(Buffer.concat([bytes, Buffer.from('commit\n')])), { anyVariant: false }, target, () => {});

describe('where U-Boot starts it, a system', () => {
  it('that was received is tried three times, and the one that runs stays the good one', async () => {
    await take(bundle());
    expect(chosen(made)).toEqual({ good: 'a', tries: 3 });
    expect(readFileSync(join(home, 'b/options'), 'utf8')).toBe(`bootargs=tillnode.root=b:2:${HASH} quiet\n`);
    expect(readFileSync(join(home, 'b/linux'), 'utf8')).toBe('the kernel');
  });

  it('that is not whole is never tried', async () => {
    choose(made, { good: 'a', tries: 2 });
    const flipped = bundle();
    flipped[5000]! ^= 1;
    await expect(take(flipped)).rejects.toThrow('not signed');
    expect(chosen(made)).toEqual({ good: 'a', tries: 0 });
  });

  it('that is tried itself does not overwrite the good one', async () => {
    choose(made, { good: 'b', tries: 2 });
    await expect(take(bundle())).rejects.toThrow('on trial');
    expect(chosen(made)).toEqual({ good: 'b', tries: 2 });
  });

  it('is chosen beside the sector that says whether there is data', () => {
    choose(made, { good: 'b', tries: 3 });
    expect(readFileSync(made, 'latin1')).toMatch(/^tillnode data 1 {497}b3/);
  });

  it.each(['', 'zz', '\0\0', 'a:'])('is the first one, and on no trial, where the sector says "%s"', (text) => {
    writeFileSync(made, `${' '.repeat(512)}${text}`);
    expect(chosen(made)).toEqual({ good: 'a', tries: 0 });
  });
});

describe('what a Raspberry Pi finds on the disk', () => {
  const { firmware } = PLATFORMS['arm64']!;
  const config = readFileSync('runtime/disk/raspberry-pi/config.txt', 'utf8');

  it('is the firmware, the kernel that config.txt names, and the device trees that upstream_kernel asks for', () => {
    for (const name of ['bootcode.bin', 'start.elf', 'fixup.dat', 'start4.elf', 'fixup4.dat'])
      expect(firmware).toHaveProperty([name]);
    expect(config).toMatch(/^upstream_kernel=1$/m);
    expect(firmware).toHaveProperty([/^kernel=(.*)$/m.exec(config)![1]!]);
    const trees = Object.keys(firmware).filter((name) => name.endsWith('.dtb'));
    for (const board of ['bcm2837-rpi-3-b', 'bcm2837-rpi-3-b-plus', 'bcm2711-rpi-4-b', 'bcm2837-rpi-zero-2-w'])
      expect(trees).toContain(`${board}.dtb`);
  });

  it('is nothing for a Raspberry Pi 5, whose firmware then says that the disk is not for it', () => {
    expect(Object.keys(firmware).filter((name) => name.includes('2712'))).toEqual([]);
    expect(config).not.toMatch(/os_check/);
  });

  it('is a script that U-Boot takes', () => {
    const script = 'echo hello\n';
    const image = scriptImage(script, 1000);
    const header = Buffer.from(image.subarray(0, 64));
    expect(header.readUInt32BE(4)).toBe(
      crc32(Buffer.concat([header.subarray(0, 4), Buffer.alloc(4), header.subarray(8)])),
    );
    expect([header.readUInt32BE(0), header.readUInt32BE(24)]).toEqual([0x27051956, crc32(image.subarray(64))]);
    expect(image.subarray(72).toString()).toBe(script);
  });
});

describe('U-Boot on an SD card', () => {
  it('waits for no key, and starts the script of the disk', () => {
    const file = environmentFile(readFileSync('runtime/disk/raspberry-pi/environment.txt', 'utf8'));
    expect([file.length, file.readUInt32LE(0)]).toEqual([0x4000, crc32(file.subarray(4))]);
    const variables = file.toString('latin1', 4).split('\0');
    expect(variables).toContain('bootdelay=-2');
    expect(variables.find((one) => one.startsWith('bootcmd='))).toContain('boot.scr');
    // What the script takes for granted.
    const script = readFileSync('runtime/disk/raspberry-pi/boot.txt', 'utf8');
    for (const name of ['devtype', 'devnum', 'kernel_addr_r', 'ramdisk_addr_r']) {
      expect(script).toContain(['$', '{', name, '}'].join(''));
      expect(variables.some((one) => one.startsWith(`${name}=`))).toBe(true);
    }
  });
});

describe('npm run disk', () => {
  it('says why there is no disk for a Raspberry Pi 5, and for which boards there are', () => {
    execFileSync('npx', [
      ...['esbuild', 'runtime/disk/disk-cli.ts', '--bundle', '--platform=node', '--format=esm', '--packages=external'],
      ...['--log-level=error', `--outfile=.cache/disk-test.mjs`],
    ]);
    const run = (board: string) =>
      spawnSync('node', ['.cache/disk-test.mjs', '--variant', 'wifi', '--board', board], { encoding: 'utf8' });
    expect(run('pi5')).toMatchObject({ status: 1, stderr: expect.stringContaining('Debian 12 has no kernel for it') });
    const unknown = run('toaster');
    expect(unknown.status).toBe(2);
    for (const board of Object.keys(BOARDS)) expect(unknown.stderr).toContain(board);
  });
});
