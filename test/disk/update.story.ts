/** The disk image as it ships takes a system by POST /update, and comes back from those that are no good. */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { offsetOf } from '../../runtime/disk/partitions.ts';
import { needRoot, needTools } from '../tools.ts';
import { changed, crashing, hanging, panicking, sha256, stranger, tiny } from './bundles.ts';
import { type Frozen, IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from './machine.ts';
import { headersOf, setUpdateKey, upload } from './upload.ts';
import { wornDisk } from './worn.ts';

const VARIANT = 'wifi';
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 1_200_000;
const MEGABYTE = 1024 * 1024;
/** Three tries, each ended by a watchdog, and a start of the system before. */
const RETURN_MS = 2_400_000;

/** Seconds for which the first program of a start looks for a disk that may come yet (initramfs/init). */
const DISK_S = 60;
/** A block of the root, in bytes, and one of its blocks: by its number. */
const BLOCK = 4096;
const CHANGED_BLOCK = 64;

/** Changes one bit of a file. */
function flip(path: string, at: number): void {
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  byte[0]! ^= 1;
  writeSync(file, byte, 0, 1, at);
  closeSync(file);
}

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, 'busybox']);

interface Status {
  readonly identity: { readonly deviceId: string };
  readonly uptimeSeconds: number;
  readonly boot: { readonly system: { readonly slot: string; readonly failed: readonly string[] } };
}

describe.skipIf(missing !== undefined)(missing ?? 'the system of a disk', () => {
  /** After its first start, with the update key: every test goes on from there. */
  let ready: Frozen;
  let running: Running;
  let shipped: Buffer;
  let deviceId = '';
  const status = async (timeoutMs = BOOT_MS) => (await (await running.answered('/status', timeoutMs)).json()) as Status;
  const send = (bytes: Buffer, digest?: string) => upload(running.url, bytes, BOOT_MS, digest);
  /** A sender that goes away when half of it was taken. */
  const leave = (bytes: Buffer) =>
    new Promise<void>((resolve) => {
      const headers = { ...headersOf(sha256(bytes)), 'Content-Length': bytes.length };
      const sender = request(`${running.url}/update`, { method: 'POST', headers, agent: false });
      sender.on('error', () => {}).on('close', resolve);
      sender.write(bytes.subarray(0, bytes.length / 2), () => sender.destroy());
    });
  const untilTaken = async (bytes: Buffer) => {
    for (const until = performance.now() + BOOT_MS; ; await delay(5000)) {
      const { status } = await send(bytes);
      if (status !== 409 || performance.now() > until) return expect(status).toBe(200);
    }
  };
  const refused = async (bytes: Buffer, digest?: string) => {
    const { status, error } = await send(bytes, digest);
    return [status, error];
  };
  /** The system that runs when the machine has ended what it does now, and tells so by its status. */
  const becomes = (wanted: (status: Status) => boolean, timeoutMs: number) =>
    running.statusUntil<Status>(wanted, timeoutMs);

  beforeAll(async () => {
    const image = madeImage(VARIANT);
    shipped = readFileSync(image.replace('.img.zst', '.system'));
    running = await Running.powerOn(new Medium('update', image));
    const first = await status();
    deviceId = first.identity.deviceId;
    expect(first.boot.system).toEqual({ slot: 'a', failed: [] });
    await setUpdateKey(running.url);
    ready = await running.freeze();
  }, BOOT_MS + BUILD_MS);
  beforeEach(async () => {
    running = await ready.goOn();
  });
  afterEach(() => running.cut());
  afterAll(() => running?.cut());

  it(
    'is not replaced by a bundle that is damaged, strange or too old',
    async () => {
      const small = tiny(shipped);
      const flipped = Buffer.from(small);
      flipped[50_000]! ^= 1;
      expect(await refused(flipped)).toEqual([422, 'image_invalid']);
      expect(await refused(flipped, sha256(small))).toEqual([422, 'image_digest_mismatch']);
      expect(await refused(small.subarray(0, small.length / 2))).toEqual([422, 'image_invalid']);
      expect(await refused(changed(small, { key: stranger() }))).toEqual([422, 'image_invalid']);
      expect(await refused(changed(small, { floor: 0 }))).toEqual([422, 'image_invalid']);
      await leave(small);
      expect((await status()).boot.system).toEqual({ slot: 'a', failed: [] });
    },
    BOOT_MS,
  );

  it(
    'is back by itself when the kernel of the new one panics',
    async () => {
      expect((await send(panicking(shipped))).status).toBe(200);
      const { identity, boot } = await becomes(({ boot }) => boot.system.failed.length > 0, RETURN_MS);
      expect(boot.system).toEqual({ slot: 'a', failed: ['0.3.0'] });
      expect(running.starts, 'three tries, and the way back').toBe(4);
      expect(identity.deviceId).toBe(deviceId);
    },
    RETURN_MS,
  );

  it(
    'is back by itself when the root of the new one hangs',
    async () => {
      expect((await send(hanging(shipped))).status).toBe(200);
      const { identity, boot } = await becomes(({ boot }) => boot.system.failed.includes('0.4.0'), RETURN_MS);
      expect(boot.system).toEqual({ slot: 'a', failed: ['0.4.0'] });
      expect(identity.deviceId).toBe(deviceId);
    },
    RETURN_MS,
  );

  it(
    'is back by itself when the node of the new one crashes again and again',
    async () => {
      expect((await send(crashing(shipped))).status).toBe(200);
      const { identity, boot } = await becomes(({ boot }) => boot.system.failed.includes('0.6.0'), RETURN_MS);
      expect(boot.system).toEqual({ slot: 'a', failed: ['0.6.0'] });
      expect(identity.deviceId).toBe(deviceId);
    },
    RETURN_MS,
  );

  it(
    'stays when the medium cannot hold the new one, or what starts it',
    async () => {
      for (const at of [offsetOf('root_b') + 20 * MEGABYTE, offsetOf('root_b') + 140 * MEGABYTE]) {
        await running.cut();
        running = await ready.goOn(wornDisk(ready.medium, [{ at, fails: 'write' }]));
        expect(await refused(changed(shipped, { version: '0.2.0' }))).toEqual([500, 'ota_write_failed']);
        expect((await status()).boot.system).toEqual({ slot: 'a', failed: [] });
      }
    },
    2 * BOOT_MS,
  );

  it(
    'is back by itself, and waits for no other disk, when the medium cannot read the new one any more',
    async () => {
      expect((await send(changed(shipped, { version: '0.2.0' }))).status).toBe(200);
      await running.cut();
      running = await Running.powerOn(ready.medium, {
        disk: wornDisk(ready.medium, [{ at: offsetOf('root_b'), fails: 'read' }]),
      });
      const { identity, boot } = await becomes(({ boot }) => boot.system.failed.includes('0.2.0'), RETURN_MS);
      expect(boot.system).toEqual({ slot: 'a', failed: ['0.2.0'] });
      expect(identity.deviceId).toBe(deviceId);
      const seconds = await running.seconds();
      process.stdout.write(`back ${seconds} s after power on\n`);
      expect(seconds).toBeLessThan(3 * DISK_S);
    },
    RETURN_MS,
  );

  it(
    'is never run with a block that was changed, and is back by itself',
    async () => {
      expect((await send(changed(shipped, { version: '0.2.0' }))).status).toBe(200);
      await running.cut();
      // Of the files that a start opens first, which lie together (start-order.txt).
      flip(ready.medium.path, offsetOf('root_b') + CHANGED_BLOCK * BLOCK);
      running = await Running.powerOn(ready.medium);
      const { identity, boot } = await becomes(({ boot }) => boot.system.failed.includes('0.2.0'), RETURN_MS);
      expect(boot.system).toEqual({ slot: 'a', failed: ['0.2.0'] });
      expect(identity.deviceId).toBe(deviceId);
      expect(running.starts, 'three tries, and the way back').toBe(4);
      expect(running.log.split(`data block ${CHANGED_BLOCK} is corrupted`).length - 1).toBeGreaterThanOrEqual(3);
      process.stdout.write(`back ${await running.seconds()} s after power on\n`);
    },
    RETURN_MS,
  );

  it(
    'is replaced by a bundle that is good, and stays so; and the other way round',
    async () => {
      expect((await send(changed(shipped, { version: '0.2.0' }))).status).toBe(200);
      const { identity } = await becomes(({ boot }) => boot.system.slot === 'b', BOOT_MS);
      expect(identity.deviceId).toBe(deviceId);
      // While it is on trial, it takes no other one.
      await untilTaken(shipped);
      expect((await becomes(({ boot }) => boot.system.slot === 'a', BOOT_MS)).boot.system.failed).toEqual([]);
    },
    3 * BOOT_MS,
  );
});
