/** The disk image for arm64 as it ships, on a board with UEFI, and on one with U-Boot of a Raspberry Pi's version. */
import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needRoot, needTools } from '../tools.ts';
import { changed, panicking, sha256 } from './bundles.ts';
import { ARM_U_BOOT, ARM_UEFI, type Board, IMAGE_TOOLS, Medium, madeImage, Running } from './machine.ts';

const VARIANT = 'wifi';
const KEY = 'keep-this-key-to-yourself';
const MEGABYTES = 1_000_000;
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 2_400_000;

const missing =
  needRoot() ??
  needTools([...IMAGE_TOOLS, 'qemu-user-static:qemu-aarch64-static', ...ARM_UEFI.tools, ...ARM_U_BOOT.tools]);

interface Status {
  readonly identity: { readonly deviceId: string; readonly variant: string; readonly slot: string };
  readonly online: boolean;
  readonly boot: { readonly system: { readonly slot: string; readonly failed: readonly string[] } };
}
const statusOf = async (running: Running) => (await (await running.answered('/status', BOOT_MS)).json()) as Status;

describe.skipIf(missing !== undefined)(missing ?? 'the disk image for arm64', () => {
  let image = '';
  beforeAll(() => {
    image = madeImage(VARIANT, 'arm64');
  }, BUILD_MS);

  it('is at most 160 MB long', () => {
    expect(statSync(image).size / MEGABYTES).toBeLessThanOrEqual(160);
  });

  describe.each<[string, Board]>([
    ['with UEFI', ARM_UEFI],
    ['with U-Boot', ARM_U_BOOT],
  ])('on a board %s', (name, board) => {
    let running: Running;
    let medium: Medium;
    let first: Status;

    beforeAll(async () => {
      medium = new Medium(`arm64-${name.replaceAll(' ', '-')}`, image, board);
      running = await Running.powerOn(medium);
      first = await statusOf(running);
    }, BOOT_MS);
    afterAll(() => running?.cut());

    it('answers on port 80 at the address that DHCP gave it', () => {
      expect(first).toMatchObject({ identity: { variant: VARIANT, slot: 'factory' }, online: true });
      expect(first.boot.system).toEqual({ slot: 'a', failed: [] });
    });

    it(
      'is the same node when its plug was pulled',
      async () => {
        await running.cut();
        running = await Running.powerOn(medium);
        expect((await statusOf(running)).identity).toEqual(first.identity);
      },
      BOOT_MS,
    );
  });

  describe('where U-Boot starts it', () => {
    let running: Running;
    let shipped: Buffer;
    let deviceId = '';
    const send = (bytes: Buffer) =>
      fetch(`${running.url}/update`, {
        method: 'POST',
        headers: {
          'X-NODE-Image-Sha256': sha256(bytes),
          'Content-Type': 'application/octet-stream',
          Authorization: `Bearer ${KEY}`,
        },
        body: new Uint8Array(bytes),
        signal: AbortSignal.timeout(BOOT_MS),
      });
    const becomes = (wanted: (status: Status) => boolean) => running.statusUntil<Status>(wanted, 2 * BOOT_MS);

    beforeAll(async () => {
      shipped = readFileSync(image.replace('.img.zst', '.system'));
      running = await Running.powerOn(new Medium('arm64-update', image, ARM_U_BOOT));
      deviceId = (await statusOf(running)).identity.deviceId;
      const stored = await fetch(`${running.url}/update`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ updateKey: KEY }),
      });
      expect(stored.status).toBe(200);
    }, BOOT_MS);
    afterAll(() => running?.cut());

    it(
      'is back by itself when the kernel of a new system panics',
      async () => {
        expect((await send(panicking(shipped))).status).toBe(200);
        const { identity, boot } = await becomes(({ boot }) => boot.system.failed.length > 0);
        expect(boot.system).toEqual({ slot: 'a', failed: ['0.3.0'] });
        expect(running.log.split('tillnode: system b is tried').length - 1).toBe(3);
        expect(identity.deviceId).toBe(deviceId);
      },
      3 * BOOT_MS,
    );

    it(
      'is replaced by a system that is good, and stays so when the plug is pulled',
      async () => {
        expect((await send(changed(shipped, { version: '0.2.0' }))).status).toBe(200);
        const { identity } = await becomes(({ boot }) => boot.system.slot === 'b');
        expect(identity.deviceId).toBe(deviceId);
      },
      3 * BOOT_MS,
    );
  });
});
