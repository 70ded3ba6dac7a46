/**
 * Stores one numbered value after the other and says so, until it is killed.
 * Arguments: directory, kind of store, how many values (0: no end).
 * Prints `open <n>` with what it found (NaN for a mixture), then `ack <n>` after each stored value, `refused <n> <code>`
 * for one that was not.
 */
import { writeSync } from 'node:fs';
import { createStorage } from '../../../runtime/bindings/native/storage.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { SettingsStore } from '../../../runtime/node/settings-store.ts';
import { InPlaceStore, type Store, TrustingStorage } from './broken-stores.ts';

const [directory = '', kind = '', values = '0'] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

async function openStore(): Promise<Store> {
  if (kind === 'in-place') {
    const store = new InPlaceStore(directory);
    await store.load();
    return store;
  }
  const storage = kind === 'trusting' ? new TrustingStorage(directory) : await createStorage(directory);
  const { store, recovered } = await SettingsStore.open(storage);
  if (recovered !== 'fresh' && recovered !== 'current') throw new Error(`recovered: ${recovered}`);
  return store;
}

/** The size of a well-filled document, different for every value. */
const filler = (n: number) => String(n % 10).repeat(20_000 - (n % 7));

const store = await openStore();
let n = (store.read('first') as number | undefined) ?? 0;
const whole = n === 0 || (store.read('last') === n && store.read('filler') === filler(n));
say(`open ${whole ? n : Number.NaN}`);
for (let left = Number(values) || Number.POSITIVE_INFINITY; left > 0; left--) {
  try {
    await store.update((draft) => {
      draft['first'] = n + 1;
      draft['filler'] = filler(n + 1);
      draft['last'] = n + 1;
    });
    n++;
    say(`ack ${n}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(`refused ${n + 1} ${error.code} ${error.detail}`);
  }
}
