/** What is read by a key has the type that its room gave it: `npx tsc` refuses these lines where it has not. */
import { expect, it } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import type { Settings } from '../../runtime/kernel/settings.ts';
import { SettingsStore } from '../../runtime/node/settings-store.ts';

declare module '../../runtime/kernel/registry.ts' {
  interface StoredSettings {
    tea: { readonly minutes: number };
  }
}

it('a section of the settings is what its room stores, and no other section can be named', async () => {
  const { store } = await SettingsStore.open(new VirtualStorage());
  const settings: Settings = store;
  await settings.update((draft) => {
    // @ts-expect-error minutes are a number
    draft.tea = { minutes: 'three' };
    // @ts-expect-error no room stores this section
    draft.coffee = { minutes: 3 };
    draft.tea = { minutes: 3 };
  });
  const minutes: number | undefined = settings.read('tea')?.minutes;
  // @ts-expect-error no room stores this section
  expect([minutes, settings.read('coffee')]).toEqual([3, { minutes: 3 }]);
});
