/**
 * Stores a 20 kB document again and again on a disk with 0 to 32 kB left, in steps of 1 kB, and prints what came of each
 * step as a line of JSON. Arguments: an empty directory on a small file system of its own, kind of store.
 */
import { readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createStorage } from '../../../runtime/bindings/native/storage.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { SettingsStore } from '../../../runtime/node/settings-store.ts';
import { TrustingStorage } from './broken-stores.ts';

export interface Step {
  readonly freeKiB: number;
  readonly outcome: string;
  readonly served: unknown;
  readonly onDisk: unknown;
  readonly files: readonly string[];
}

const [directory = '', kind = ''] = process.argv.slice(2);
const ballast = join(directory, 'ballast');
const storage = kind === 'trusting' ? new TrustingStorage(directory) : await createStorage(directory);
const { store } = await SettingsStore.open(storage);

const change = (n: number) =>
  store.update((draft) => {
    draft['n'] = n;
    draft['filler'] = String(n % 10).repeat(20_000);
  });

async function leaveFree(bytes: number): Promise<void> {
  await rm(ballast, { force: true });
  const { bavail, bsize } = await statfs(directory);
  await writeFile(ballast, Buffer.alloc(bavail * bsize - bytes));
}

await change(-2);
await change(-1);
for (let freeKiB = 0; freeKiB <= 32; freeKiB++) {
  await leaveFree(freeKiB * 1024);
  const outcome = await change(freeKiB).then(
    () => 'stored',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
  const files = (await readdir(directory)).filter((name) => name !== 'ballast').sort();
  const { store: afterRestart } = await SettingsStore.open(storage);
  const step: Step = { freeKiB, outcome, served: store.read('n'), onDisk: afterRestart.read('n'), files };
  process.stdout.write(`${JSON.stringify(step)}\n`);
}
