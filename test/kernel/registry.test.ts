/** What is read by a key has the type that its room gave it: `npx tsc` refuses these lines where it has not. */
import { expect, it } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { type Command, succeeded } from '../../runtime/kernel/command.ts';
import { createHooks } from '../../runtime/kernel/hooks.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { Rooms } from '../../runtime/kernel/rooms.ts';
import type { Settings } from '../../runtime/kernel/settings.ts';
import { SettingsStore } from '../../runtime/node/settings-store.ts';

declare module '../../runtime/kernel/registry.ts' {
  interface StoredSettings {
    tea: { readonly minutes: number };
  }
  interface Commands {
    brew: Command & { readonly type: 'brew'; readonly cups: number };
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

it('a command has the fields of its type, where it is sent and where it is run', async () => {
  const { command } = createHooks(new Rooms([], silentLogger));
  command.for('brew').tapPromise('test', async (order) => succeeded(order, 'accepted', order.cups));
  // @ts-expect-error no room has this command
  command.for('roast').tapPromise('test', async () => undefined);
  const node: Pick<Node, 'command'> = {
    command: async (order) => (await command.get(order.type)?.promise(order)) ?? expect.fail(),
  };
  const order = { type: 'brew', id: '1', endpoint: 'pot' } as const;
  // @ts-expect-error the cups are missing
  await node.command(order);
  expect(await node.command({ ...order, cups: 2 })).toMatchObject({ ok: true, bytes: 2 });
});
