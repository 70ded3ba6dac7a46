import { VirtualStorage } from '../runtime/bindings/virtual/storage.ts';
import { SettingsStore } from '../runtime/node/settings-store.ts';

/** Storage of a node with these sections in its settings. */
export async function storageWith(sections: Record<string, unknown>): Promise<VirtualStorage> {
  const storage = new VirtualStorage();
  const { store } = await SettingsStore.open(storage);
  await store.update((draft) => Object.assign(draft, sections));
  return storage;
}
