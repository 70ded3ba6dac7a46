/** The disk image as it ships, in a machine with UEFI: written to a medium, plugged in, and its plug pulled. */
import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needRoot, needTools } from '../tools.ts';
import { IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from './machine.ts';
import { MOST_MEGABYTES } from './size.ts';

const VARIANT = 'wifi';
const MEGABYTES = 1_000_000;
/** By the clock of this computer: a machine that has not answered by then never will. */
const BOOT_MS = 900_000;
const BUILD_MS = 1_200_000;

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS]);

interface Status {
  readonly identity: { readonly deviceId: string; readonly variant: string; readonly slot: string };
  readonly online: boolean;
}

describe.skipIf(missing !== undefined)(missing ?? 'the disk image', () => {
  let image = '';
  let running: Running | undefined;
  let medium: Medium;
  const started = async (): Promise<Status> => {
    running = await Running.powerOn(medium);
    return (await (await running.answered('/status', BOOT_MS)).json()) as Status;
  };
  let first: Status;

  beforeAll(async () => {
    image = madeImage(VARIANT);
    medium = new Medium('boot', image);
    first = await started();
  }, BOOT_MS + BUILD_MS);
  afterAll(() => running?.cut());

  it('is at most 120 MB long, or 140 where it was compressed for a check', () => {
    expect(statSync(image).size / MEGABYTES).toBeLessThanOrEqual(MOST_MEGABYTES);
  });

  it('answers on port 80 at the address that DHCP gave it', () => {
    expect(first).toMatchObject({ identity: { variant: VARIANT, slot: 'factory' }, online: true });
  });

  it('uses at most 90 MB of 512 when it has nothing to do', async () => {
    const used = (await running!.memoryAtRest()) / MEGABYTES;
    process.stdout.write(`memory in use: ${Math.round(used)} MB\n`);
    expect(used).toBeLessThanOrEqual(90);
  }, 300_000);

  it(
    'keeps its settings and who it is when its plug is pulled',
    async () => {
      const named = await fetch(`${running!.url}/config`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ printWidthCols: 32 }),
      });
      expect(named.status).toBe(200);
      await running!.cut();
      const second = await started();
      expect(second.identity).toEqual(first.identity);
      const config = await fetch(`${running!.url}/config`);
      expect(await config.json()).toMatchObject({ printWidthCols: 32 });
    },
    BOOT_MS,
  );
});
