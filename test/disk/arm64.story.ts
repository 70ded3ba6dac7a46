/** The disk image for arm64 as it ships, on a board with UEFI, and on one with U-Boot of a Raspberry Pi's version. */
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needRoot, needTools } from '../tools.ts';
import { changed, panicking } from './bundles.ts';
import { ARM_U_BOOT, ARM_UEFI, type Board, IMAGE_TOOLS, Medium, madeImage, Running } from './machine.ts';
import { MOST_MEGABYTES } from './size.ts';
import { setUpdateKey, upload } from './upload.ts';

const VARIANT = 'wifi';
const MEGABYTES = 1_000_000;
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 2_400_000;
const PAUSE_MS = 1000;
/** As long as a bundle has to be, and none. */
const NO_BUNDLE = Buffer.alloc(1000);

const missing =
  needRoot() ?? needTools([...IMAGE_TOOLS, 'qemu-aarch64-static', ...ARM_UEFI.tools, ...ARM_U_BOOT.tools]);

interface Status {
  readonly identity: { readonly deviceId: string; readonly variant: string; readonly slot: string };
  readonly online: boolean;
  readonly boot: { readonly system: { readonly slot: string; readonly failed: readonly string[] } };
}

/** One board with one medium. */
class Machine {
  readonly #insert: () => Medium;
  #medium: Medium | undefined;
  #running: Running | undefined;
  #first: Status | undefined;

  /** `insert`: makes the medium, for the first start. */
  constructor(insert: () => Medium) {
    this.#insert = insert;
  }

  get running(): Running {
    return this.#running!;
  }

  /** What it answered at its first start. */
  get first(): Status {
    return this.#first!;
  }

  /** Pulls the plug, if it runs, and switches on; resolves with its first answer. */
  async start(): Promise<Status> {
    await this.cut();
    this.#medium ??= this.#insert();
    this.#running = await Running.powerOn(this.#medium);
    const status = (await (await this.#running.answered('/status', BOOT_MS)).json()) as Status;
    this.#first ??= status;
    return status;
  }

  async cut(): Promise<void> {
    await this.#running?.cut();
  }
}

describe.skipIf(missing !== undefined)(missing ?? 'the disk image for arm64', () => {
  let image = '';
  let shipped: Buffer;
  beforeAll(() => {
    image = madeImage(VARIANT, 'arm64');
    shipped = readFileSync(image.replace('.img.zst', '.system'));
  }, BUILD_MS);

  it('is at most 120 MB long, or 140 where it was compressed for a check', () => {
    expect(statSync(image).size / MEGABYTES).toBeLessThanOrEqual(MOST_MEGABYTES);
  });

  /** Tests of the image on a new medium of a board, after which that machine runs. */
  const starts = (name: string, board: Board): Machine => {
    const machine = new Machine(() => new Medium(`arm64-${name}`, image, board));
    beforeAll(async () => {
      await machine.start();
      await setUpdateKey(machine.running.url);
    }, BOOT_MS);
    afterAll(() => machine.cut());

    it('answers on port 80 at the address that DHCP gave it', () => {
      expect(machine.first).toMatchObject({ identity: { variant: VARIANT, slot: 'factory' }, online: true });
      expect(machine.first.boot.system).toEqual({ slot: 'a', failed: [] });
    });

    it(
      'is the same node when its plug was pulled',
      async () => {
        expect((await machine.start()).identity).toEqual(machine.first.identity);
      },
      BOOT_MS,
    );
    return machine;
  };

  describe('on a board with UEFI', () => {
    // Updates are as on a PC, where they have a story of their own.
    starts('uefi', ARM_UEFI);
  });

  describe('on a board with U-Boot', () => {
    const machine = starts('u-boot', ARM_U_BOOT);
    const take = (bytes: Buffer) => upload(machine.running.url, bytes, BOOT_MS);
    const becomes = (wanted: (status: Status) => boolean) => machine.running.statusUntil<Status>(wanted, 2 * BOOT_MS);
    /** Since it was switched on. */
    const triesOfB = () => machine.running.log.split('tillnode: system b is tried').length - 1;
    /** While the system that runs is on trial, the node takes no other one, whatever it is. */
    const untilGood = async () => {
      for (const until = performance.now() + BOOT_MS; ; await delay(PAUSE_MS)) {
        const { error } = await take(NO_BUNDLE);
        if (error !== 'ota_busy' || performance.now() > until) return expect(error).toBe('image_invalid');
      }
    };

    it(
      'is back by itself when the kernel of a new system panics, three times',
      async () => {
        expect(await take(panicking(shipped))).toEqual({ status: 200 });
        const { identity, boot } = await becomes(({ boot }) => boot.system.failed.length > 0);
        expect(boot.system).toEqual({ slot: 'a', failed: ['0.3.0'] });
        expect(triesOfB()).toBe(3);
        expect(identity).toEqual(machine.first.identity);
      },
      3 * BOOT_MS,
    );

    it(
      'has a new system on trial for one start, and for good when that one works',
      async () => {
        const before = triesOfB();
        expect(await take(changed(shipped, { version: '0.2.0' }))).toEqual({ status: 200 });
        const { identity, boot } = await becomes(({ boot }) => boot.system.slot === 'b');
        expect(boot.system).toEqual({ slot: 'b', failed: [] });
        expect(triesOfB() - before).toBe(1);
        expect(identity).toEqual(machine.first.identity);
        await untilGood();
        expect((await machine.start()).boot.system).toEqual({ slot: 'b', failed: [] });
        expect(triesOfB()).toBe(0);
        expect(machine.running.log).toMatch(/^tillnode: system b\r?$/m);
      },
      5 * BOOT_MS,
    );
  });
});
