/** What is stored on a disk: prepared before its first start, and lost. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { offsetOf } from '../../runtime/disk/partitions.ts';
import { needRoot, needTools } from '../tools.ts';
import { CACHE, IMAGE_TOOLS, MACHINE_TOOLS, MEDIUM_BYTES, Medium, madeImage, Running, TILL } from './machine.ts';
import { type HostedTill, hostedTill } from './till.ts';
import { wornDisk } from './worn.ts';

const VARIANT = 'wifi';
const MIB = 1024 * 1024;
/** A block of the file system, in bytes. */
const BLOCK = 4096;
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 1_200_000;

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, 'debugfs', 'busybox']);

interface Status {
  readonly identity: { readonly name?: string };
}
interface Config {
  readonly printWidthCols: number;
}
interface Network {
  readonly custodyHold: boolean;
}

describe.skipIf(missing !== undefined)(missing ?? 'the data of a disk', () => {
  let medium: Medium;
  let running: Running;
  let till: HostedTill;
  const mtools = (command: string, ...args: string[]) =>
    execFileSync(command, ['-i', `${medium.path}@@${offsetOf('esp')}`, ...args], {
      env: { ...process.env, MTOOLS_SKIP_CHECK: '1' },
      encoding: 'utf8',
    });
  const json = async <T>(path: string) => (await (await running.answered(path, BOOT_MS)).json()) as T;
  const nameOf = async () => (await json<Status>('/status')).identity.name;
  const put = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(BOOT_MS);
    const response = await fetch(`${running.url}${path}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(body),
      signal,
    });
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  const rename = (name: string) => put('/name', { name });
  const setWidth = (columns: number) => put('/config', { printWidthCols: columns });
  /** Writes over the beginning of the data. */
  const spoil = (bytes: number, value: number) => {
    const file = openSync(medium.path, 'r+');
    for (let at = 0; at < bytes; at += BLOCK)
      writeSync(file, Buffer.alloc(BLOCK, value), 0, BLOCK, offsetOf('data') + at);
    closeSync(file);
  };
  /** Changes the file system of the data, as a file of its own; returns what the command wrote. */
  const change = (command: (file: string) => string) => {
    const file = join(CACHE, 'data.ext4');
    rmSync(file, { force: true });
    const skip = offsetOf('data') / MIB;
    execFileSync('dd', [`if=${medium.path}`, `of=${file}`, 'bs=1M', `skip=${skip}`, 'conv=sparse', 'status=none']);
    truncateSync(file, MEDIUM_BYTES - offsetOf('data'));
    const order = `e2fsck -p ${file} >&2 || [ $? -le 2 ]; ${command(file)}`;
    const said = execFileSync('sh', ['-c', order], { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
    const length = MEDIUM_BYTES - offsetOf('data') - MIB;
    execFileSync('fallocate', ['--punch-hole', '-o', `${offsetOf('data')}`, '-l', `${length}`, medium.path]);
    execFileSync('dd', [
      ...[`if=${file}`, `of=${medium.path}`, 'bs=1M', `seek=${skip}`, `count=${length / MIB}`],
      ...['conv=notrunc,sparse', 'status=none'],
    ]);
    return said;
  };

  beforeAll(async () => {
    medium = new Medium('data', madeImage(VARIANT));
    till = await hostedTill();
    const prepared = join(CACHE, 'tillnode.txt');
    writeFileSync(prepared, `name = Counter 2\npull.server = http://${TILL}/jobs\npull.protocol = sdp\n`);
    mtools('mcopy', prepared, '::tillnode.txt');
    running = await Running.powerOn(medium, { till: till.port });
    await running.statusUntil<Status>(({ identity }) => identity.name === 'Counter 2', BOOT_MS);
    await till.isAsked(BOOT_MS);
    await running.cut();
    medium.save();
  }, BOOT_MS + BUILD_MS);
  beforeEach(() => medium.restore());
  afterEach(() => running.cut());
  afterAll(async () => {
    await running?.cut();
    till?.close();
  });

  it('are those of tillnode.txt from the first start on, and that file is gone from the medium', () => {
    expect(mtools('mdir', '-b', '::')).not.toMatch(/tillnode\.txt/i);
  });

  it(
    'have the hosted till of tillnode.txt, which is asked at each start',
    async () => {
      const before = till.forms.length;
      running = await Running.powerOn(medium, { till: till.port });
      await till.isAsked(BOOT_MS);
      expect(new Set(till.forms.slice(before))).toEqual(
        new Set(['ConnectionType=GetRequest&ID=local_printer&Name=local_printer']),
      );
    },
    BOOT_MS,
  );

  it(
    'that are damaged are put in order, and kept',
    async () => {
      // The superblock, and where the groups of blocks are.
      spoil(2 * BLOCK, 0);
      running = await Running.powerOn(medium);
      expect(await nameOf()).toBe('Counter 2');
      expect((await json<Network>('/network')).custodyHold).toBe(false);
    },
    BOOT_MS,
  );

  it(
    'of which one copy is on a bad sector are kept, or those one change before, and can be changed again',
    async () => {
      // A block of each copy, and what is in it.
      const copies = (file: string) =>
        `for copy in a b; do debugfs -R "blocks /tillnode/settings.$copy" ${file}; debugfs -R "cat /tillnode/settings.$copy" ${file}; done`;
      for (const [broken, kept] of [
        [31, 30],
        [30, 31],
      ]) {
        running = await Running.powerOn(medium);
        await running.answered('/status', BOOT_MS);
        for (const width of [30, 31]) expect(await setWidth(width)).toEqual([200, undefined]);
        await running.cut();
        const lines = change(copies).split('\n');
        const [block] = lines.slice(lines.findIndex((line) => line.includes(`"printWidthCols":${broken}`)) - 1);
        const at = offsetOf('data') + Number.parseInt(block ?? '', 10) * BLOCK;
        running = await Running.powerOn(medium, { disk: wornDisk(medium, [{ at, fails: 'read' }]) });
        expect((await json<Config>('/config')).printWidthCols).toBe(kept);
        expect((await json<Network>('/network')).custodyHold).toBe(false);
        expect(await setWidth(32)).toEqual([200, undefined]);
        await running.cut();
      }
    },
    4 * BOOT_MS,
  );

  it(
    'on a medium that takes no writes any more are read: the node is what it was, and says of every change that it is not kept',
    async () => {
      // Its journal was worked off.
      running = await Running.powerOn(medium);
      await running.answered('/status', BOOT_MS);
      await running.cut();
      running = await Running.powerOn(medium, { disk: wornDisk(medium, [{ fails: 'write' }]) });
      expect(await nameOf()).toBe('Counter 2');
      expect((await json<Network>('/network')).custodyHold).toBe(false);
      expect(await rename('Counter 3')).toEqual([500, 'persist_failed']);
      expect(await nameOf()).toBe('Counter 2');
    },
    2 * BOOT_MS,
  );

  it(
    'that cannot be read any more are made anew, and the box is held until its owner attests custody of it',
    async () => {
      spoil(64 * MIB, 0x5a);
      running = await Running.powerOn(medium);
      expect((await json<Network>('/network')).custodyHold).toBe(true);
    },
    BOOT_MS,
  );

  it(
    'that fill the medium are kept, the node answers, and takes settings again when there is space',
    async () => {
      change((file) => {
        const free = `$(dumpe2fs -h ${file} 2>/dev/null | sed -n 's/^Free blocks: *//p')`;
        // All blocks, of which two describe the others.
        return `debugfs -w -R 'write /dev/null filler' ${file}; debugfs -w -R "fallocate filler 0 $((${free} - 2))" ${file}`;
      });
      running = await Running.powerOn(medium);
      expect(await nameOf()).toBe('Counter 2');
      expect(await rename('Counter 3')).toEqual([500, 'persist_failed']);
      expect(await nameOf()).toBe('Counter 2');
      await running.cut();
      change((file) => `debugfs -w -R 'rm filler' ${file}`);
      running = await Running.powerOn(medium);
      expect(await nameOf()).toBe('Counter 2');
      expect(await rename('Counter 3')).toEqual([200, undefined]);
    },
    2 * BOOT_MS,
  );
});
