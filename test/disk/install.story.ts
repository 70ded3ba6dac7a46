/**
 * The boot partition while systems are installed, as power cuts at random moments would have left it: FAT, written by the
 * kernel's own driver in the lab's machine. DISK_SEED says where.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { entryOf } from '../../runtime/disk/system/install.ts';
import { rawPublicKey } from '../../runtime/image/format.ts';
import { pack } from '../../runtime/image/pack.ts';
import { CACHE, prepareMachine } from '../lab/machine.ts';
import { bundlePrograms } from '../lab/on-machine.ts';
import { startMachine } from '../lab/vm.ts';
import { randomFrom } from '../random.ts';
import { needTools } from '../tools.ts';
import { sha256 } from './bundles.ts';
import { Recording } from './recording.ts';

const CUTS = 150;
const SEED = Number(process.env['DISK_SEED'] ?? 1);
const LIFE_MS = 1_200_000;
const ESP_BYTES = 128 * 1024 * 1024;
/** What a kernel and an initramfs have, about. */
const [LINUX_BYTES, INITRD_BYTES] = [8_000_000, 6_000_000];
const VERSIONS = ['0.1.0', '0.2.0', '0.3.0'];
/** Options with which a disk mounts its boot partition. */
const OPTIONS = /Type=vfat\\nOptions=(\S+?)\\n/.exec(
  readFileSync('runtime/disk/root/usr/lib/tillnode/disk/mount-data', 'utf8'),
)?.[1];

const machine = prepareMachine();
const missing = 'missing' in machine ? machine.missing : needTools(['mkfs.vfat', 'mcopy']);

describe.skipIf(missing !== undefined)(missing ?? 'the boot partition', () => {
  const path = join(CACHE, 'esp.img');
  const home = join(CACHE, 'install');
  const recording = new Recording(join(CACHE, 'esp.log'));
  /** Digests of the kernel and initramfs that belong together, the running system's first. */
  const pairs: string[] = [];
  const content = (name: string, bytes: number) => Buffer.alloc(bytes, `${name} `);
  const mtools = (command: string, ...args: string[]) =>
    spawnSync(command, ['-i', path, ...args], {
      env: { ...process.env, MTOOLS_SKIP_CHECK: '1' },
      maxBuffer: ESP_BYTES,
    }).stdout;

  /** A new one, of a disk of which the system `a` runs. */
  function makeNew(): void {
    copyFileSync(join(home, 'new.img'), path);
  }

  beforeAll(async () => {
    if ('missing' in machine) return;
    rmSync(home, { recursive: true, force: true });
    for (const folder of ['a', 'loader/entries']) mkdirSync(join(home, 'files', folder), { recursive: true });
    writeFileSync(join(home, 'files/loader/entries/tillnode-a.conf'), entryOf('a', '0.0.1', 1, 'quiet'));
    const { privateKey: key } = generateKeyPairSync('ed25519');
    for (const version of ['a', ...VERSIONS]) {
      const linux = content(`linux of ${version}`, LINUX_BYTES);
      const initrd = content(`initrd of ${version}`, INITRD_BYTES);
      pairs.push(`${sha256(linux)} ${sha256(initrd)}`);
      if (version === 'a') {
        writeFileSync(join(home, 'files/a/linux'), linux);
        writeFileSync(join(home, 'files/a/initrd'), initrd);
        continue;
      }
      const files = [
        { name: 'filesystem', bytes: Buffer.alloc(8192) },
        { name: 'initrd', bytes: initrd },
        { name: 'linux', bytes: linux },
        {
          name: 'system.json',
          bytes: Buffer.from(JSON.stringify({ blocks: 1, hash: 'ab'.repeat(32), options: 'quiet' })),
        },
      ];
      writeFileSync(join(home, version), pack({ type: 'system', variant: 'wifi', version, floor: 1 }, files, key));
    }
    writeFileSync(path, '');
    truncateSync(path, ESP_BYTES);
    execFileSync('mkfs.vfat', ['-F', '32', '-s', '1', path], { stdio: 'ignore' });
    mtools('mcopy', '-s', join(home, 'files/a'), join(home, 'files/loader'), '::');
    copyFileSync(path, join(home, 'new.img'));
    const [program = ''] = await bundlePrograms(['install-main.ts']);
    const installed: unknown[] = [];
    await startMachine(machine, {
      name: 'install',
      program,
      timeoutMs: LIFE_MS,
      disk: recording.start({ path }),
      env: {
        LAB_BUNDLES: VERSIONS.map((version) => join(home, version)).join(' '),
        LAB_KEY: rawPublicKey(key),
        LAB_OPTIONS: OPTIONS ?? '',
      },
      onReport: (report) => installed.push(report),
    }).ended;
    expect(installed).toEqual(VERSIONS.map((version) => ({ version })));
  }, LIFE_MS);

  it(
    `has a whole kernel and initramfs for each entry that can be started, after each of ${CUTS} cuts (seed ${SEED})`,
    () => {
      const random = randomFrom(SEED);
      const faults: string[] = [];
      const length = recording.now;
      for (let cut = 0; cut < CUTS; cut += 1) {
        makeNew();
        const moment = Math.floor(random() * (length + 1));
        recording.cut({ path }, moment, random);
        const names: readonly string[] =
          String(mtools('mdir', '-b', '::loader/entries')).match(/[^/\n]+\.conf$/gm) ?? [];
        if (!names.includes('tillnode-a.conf')) faults.push(`${moment}: what runs cannot be started`);
        for (const name of names) {
          const slot = /^linux \/(.)\/linux$/m.exec(String(mtools('mtype', `::loader/entries/${name}`)))?.[1];
          // One without content is none for the firmware.
          if (slot === undefined) continue;
          const found = ['linux', 'initrd'].map((file) => sha256(mtools('mtype', `::${slot}/${file}`))).join(' ');
          if (!(slot === 'a' ? pairs.slice(0, 1) : pairs.slice(1)).includes(found)) faults.push(`${moment}: ${name}`);
        }
      }
      expect(faults).toEqual([]);
    },
    LIFE_MS,
  );

  it('is not written once for each of its clusters, which would use up a card', () => {
    expect(recording.now).toBeLessThan(VERSIONS.length * 1000);
  });
});
