/** Images for which there is no room. */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import { databases, EITHER, fleetOn, folder } from './fleet.ts';
import { upload } from './rollout.ts';

const database = databases(EITHER.at(-1)!);

it('who uploads an image for which the disk has no room is told so, and nothing of it is kept', async () => {
  const images = folder();
  const fleet = await fleetOn(await database(), { images });
  const full = vi.spyOn(fs, 'statfs').mockResolvedValue({ ...(await fs.statfs('.')), bavail: 0 });
  syncBuiltinESMExports();
  const free = () => {
    full.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(free);
  const { status, headers, body } = await upload(fleet);
  expect([status, body]).toEqual([503, { ok: false, error: 'busy', detail: expect.stringContaining('disk') }]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await fs.readdir(images)).toEqual([]);
  free();
  expect((await upload(fleet)).status).toBe(200);
});
