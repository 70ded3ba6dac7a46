/** What is stored on a disk: prepared before its first start, and lost. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PARTITIONS } from '../../runtime/disk/partitions.ts';
import { needRoot, needTools } from '../tools.ts';
import { CACHE, IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from './machine.ts';

const VARIANT = 'wifi';
const MIB = 1024 * 1024;
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 1_200_000;

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS]);

interface Status {
  readonly identity: { readonly name?: string };
}
interface Network {
  readonly custodyHold: boolean;
}

/** Where a partition begins, in bytes. */
const offsetOf = (name: string) =>
  PARTITIONS.slice(
    0,
    PARTITIONS.findIndex((partition) => partition.name === name),
  ).reduce((bytes, { mebibytes }) => bytes + mebibytes * MIB, MIB);

describe.skipIf(missing !== undefined)(missing ?? 'the data of a disk', () => {
  let medium: Medium;
  let running: Running;
  const mtools = (command: string, ...args: string[]) =>
    execFileSync(command, ['-i', `${medium.path}@@${offsetOf('esp')}`, ...args], {
      env: { ...process.env, MTOOLS_SKIP_CHECK: '1' },
      encoding: 'utf8',
    });
  const json = async <T>(path: string) => (await (await running.answered(path, BOOT_MS)).json()) as T;

  beforeAll(async () => {
    medium = new Medium('data', madeImage(VARIANT));
    const prepared = join(CACHE, 'tillnode.txt');
    writeFileSync(prepared, 'name = Counter 2\n');
    mtools('mcopy', prepared, '::tillnode.txt');
    running = await Running.powerOn(medium);
  }, BOOT_MS + BUILD_MS);
  afterAll(() => running?.cut());

  it(
    'are those of tillnode.txt from the first start on, and that file is gone from the medium',
    async () => {
      await running.statusUntil<Status>(({ identity }) => identity.name === 'Counter 2', BOOT_MS);
      await running.cut();
      expect(mtools('mdir', '-b', '::')).not.toMatch(/tillnode\.txt/i);
    },
    BOOT_MS,
  );

  it(
    'that cannot be read any more are made anew, and the box is held until its owner attests custody of it',
    async () => {
      const file = openSync(medium.path, 'r+');
      for (let at = 0; at < 64; at += 1) writeSync(file, Buffer.alloc(MIB, 0x5a), 0, MIB, offsetOf('data') + at * MIB);
      closeSync(file);
      running = await Running.powerOn(medium);
      expect((await json<Network>('/network')).custodyHold).toBe(true);
    },
    BOOT_MS,
  );
});
