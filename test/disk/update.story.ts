/** The disk image as it ships takes a system by POST /update, and comes back from those that are no good. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needRoot, needTools } from '../tools.ts';
import { changed, hanging, panicking, sha256, stranger } from './bundles.ts';
import { IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from './machine.ts';

const VARIANT = 'wifi';
/** The update key, which the owner of a node sets first. */
const KEY = 'keep-this-key-to-yourself';
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 1_200_000;
/** Three tries, each ended by a watchdog, and a start of the system before. */
const RETURN_MS = 2_400_000;

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, 'busybox-static:busybox']);

interface Status {
  readonly identity: { readonly deviceId: string };
  readonly uptimeSeconds: number;
  readonly boot: { readonly system: { readonly slot: string; readonly failed: readonly string[] } };
}

describe.skipIf(missing !== undefined)(missing ?? 'the system of a disk', () => {
  let running: Running;
  let shipped: Buffer;
  let deviceId = '';
  const status = async (timeoutMs = BOOT_MS) => (await (await running.answered('/status', timeoutMs)).json()) as Status;
  const send = (bytes: Buffer, digest = sha256(bytes)) =>
    fetch(`${running.url}/update`, {
      method: 'POST',
      headers: {
        'X-NODE-Image-Sha256': digest,
        'Content-Type': 'application/octet-stream',
        Authorization: `Bearer ${KEY}`,
      },
      body: new Uint8Array(bytes),
      signal: AbortSignal.timeout(BOOT_MS),
    });
  const refused = async (bytes: Buffer, digest?: string) => {
    const response = await send(bytes, digest);
    const { error } = (await response.json()) as { error: string };
    return [response.status, error];
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
    const stored = await fetch(`${running.url}/update`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ updateKey: KEY }),
    });
    expect(stored.status).toBe(200);
  }, BOOT_MS + BUILD_MS);
  afterAll(() => running?.cut());

  it(
    'is not replaced by a bundle that is damaged, strange or too old',
    async () => {
      const small = panicking(shipped);
      const flipped = Buffer.from(small);
      flipped[50_000]! ^= 1;
      expect(await refused(flipped)).toEqual([422, 'image_invalid']);
      expect(await refused(flipped, sha256(small))).toEqual([422, 'image_digest_mismatch']);
      expect(await refused(small.subarray(0, small.length / 2))).toEqual([422, 'image_invalid']);
      expect(await refused(changed(small, { key: stranger() }))).toEqual([422, 'image_invalid']);
      expect(await refused(changed(small, { floor: 0 }))).toEqual([422, 'image_invalid']);
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
      expect(running.starts, 'the first start, three tries, and the way back').toBe(5);
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
    'is replaced by a bundle that is good, and stays so; and the other way round',
    async () => {
      expect((await send(changed(shipped, { version: '0.2.0' }))).status).toBe(200);
      const { identity } = await becomes(({ boot }) => boot.system.slot === 'b', BOOT_MS);
      expect(identity.deviceId).toBe(deviceId);
      expect((await send(shipped)).status).toBe(200);
      expect((await becomes(({ boot }) => boot.system.slot === 'a', BOOT_MS)).boot.system.failed).toEqual([]);
    },
    3 * BOOT_MS,
  );
});
