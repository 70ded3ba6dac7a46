/** Which room a device belongs to where several know it: by its row, or by its class alone (specification 2.1). */
import { describe, expect, it } from 'vitest';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import type { RecipeRow } from '../../runtime/recipes/row.ts';
import settings from '../../runtime/services/settings/index.ts';
import status from '../../runtime/services/status/index.ts';
import { startDeviceNode } from '../device-node.ts';
import { Gadget } from './hotplug-gadget.ts';

/** A room that knows its devices by its row, or takes whatever is of their class. */
const room = (kind: string, by: 'row' | 'class') =>
  definePlugin({
    name: kind,
    api: 2,
    endpoints: [{ id: kind, kind, transport: 'usb', capabilities: [] }],
    codecs: [{ name: `${kind}-codec`, kind, options: {} }],
    room({ hooks }) {
      hooks.classify.tap(kind, (_, recipe) => (by === 'class' || recipe?.row.kind === kind ? kind : undefined));
      hooks.bind.for(kind).tapPromise(kind, async ({ recipe }) => {
        if (recipe === undefined) return { reason: 'no_codec' };
        return { recipe, silentSince: () => undefined, release: async () => {} };
      });
    },
  });
const taker = room('taker', 'class');
const lamp = room('lamp', 'row');
const row: RecipeRow = {
  ...{ id: 'acme-lamp', vendorId: '1234', productId: '0001', make: 'Acme', model: 'Lamp' },
  ...{ kind: 'lamp', codec: 'lamp-codec', options: {} },
};

const endpointsOf = async (plugins: readonly (typeof lamp)[], rows: readonly RecipeRow[], cloud?: RecipeRow) => {
  const node = await startDeviceNode({ plugins: [status, settings, ...plugins], recipes: rows });
  if (cloud) node.kernel.recipes.replace('cloud', [cloud]);
  await node.plug(new Gadget());
  const { peripherals } = (await node.status()) as { peripherals: { endpoint: string; condition: string }[] };
  return peripherals.filter(({ condition }) => condition === 'bound').map(({ endpoint }) => endpoint);
};

describe('a device', () => {
  it.each([
    ['behind', [taker, lamp]],
    ['ahead of', [lamp, taker]],
  ] as const)(
    'is what the row of the image for its ids says, of a room that tapped %s one that takes its class',
    async (_, plugins) => {
      expect(await endpointsOf(plugins, [row])).toEqual(['lamp']);
    },
  );

  it('is of the first room that knows it where no room is for the kind of its row', async () => {
    expect(await endpointsOf([taker], [{ ...row, kind: 'kettle' }])).toEqual(['taker']);
  });

  it('is of the first room that knows it where a row is for all of its vendor alone', async () => {
    expect(await endpointsOf([taker, lamp], [{ ...row, productId: '*' }])).toEqual(['taker']);
  });

  it('is what it is by itself where a row of the cloud says another kind', async () => {
    expect(await endpointsOf([taker, lamp], [{ ...row, kind: 'taker', codec: 'taker-codec' }], row)).toEqual(['taker']);
  });
});
