/** Endpoints of transport `node`: what is at them is brought by their room, and no USB device gets there. */
import { expect, it, onTestFinished } from 'vitest';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { Gadget, GadgetRoom } from './hotplug-gadget.ts';

declare module '../../runtime/kernel/registry.ts' {
  interface BoundKinds {
    gadget: { readonly released: boolean };
  }
}

const row = { vendorId: '0000', productId: '0000', make: '', model: '', kind: 'gadget', codec: 'none', options: {} };
const brought = (id: string) => ({
  recipe: { row: { id, ...row }, tier: 'builtin' as const },
  released: false,
  silentSince: () => undefined,
  async release() {
    this.released = true;
  },
});

it('an endpoint of transport node takes what its room brings, and no device that is plugged in', async () => {
  const own = definePlugin({
    name: 'own',
    api: 2,
    endpoints: [{ id: 'inner', kind: 'gadget', transport: 'node', capabilities: [] }],
  });
  const node = await startTestNode({ plugins: [new GadgetRoom().plugin, own], recipes: [] });
  onTestFinished(node.stop);
  const { kernel, bench } = node;
  bench.usb.plug(new Gadget());
  await Promise.resolve();
  await kernel.settled();
  expect([kernel.endpoint('inner')?.condition, kernel.endpoint('gadget')?.condition]).toEqual(['never_seen', 'bound']);

  const [first, second] = [brought('first'), brought('second')];
  kernel.bring('inner', first);
  await kernel.settled();
  expect(kernel.bound('gadget', 'inner')).toBe(first);
  kernel.bring('inner', second);
  await kernel.settled();
  expect([first.released, kernel.bound('gadget', 'inner')]).toEqual([true, second]);
  kernel.bring('inner', undefined);
  await kernel.settled();
  expect([second.released, kernel.endpoint('inner')?.condition]).toEqual([true, 'gone']);
  expect(() => kernel.bring('gadget', first)).toThrow('gadget is no endpoint that a room brings');
});
