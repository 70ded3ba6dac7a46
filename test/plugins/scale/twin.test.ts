/** PUT /twin/scale, and the code that only a twin gives. */
import { describe, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { createVirtualDevice } from '../../../plugins/scale/virtual.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { soon } from '../../device-node.ts';
import { twinPlugins } from '../../plugins.ts';
import { startScaleNode } from './node.ts';

const start = async (devices: Readonly<Record<string, () => VirtualDevice>> = { scale: createVirtualDevice }) => {
  const node = await startScaleNode({
    plugins: twinPlugins,
    devices: { printer: () => new VirtualPrinter(), ...devices },
  });
  return { ...node, bench: (change: object) => node.put('/twin/scale', change) };
};

describe('the scale of the twin', () => {
  it('weighs what is put on it', async () => {
    const node = await start();
    expect(await node.bench({ grams: 250 })).toEqual({
      status: 200,
      body: { ok: true, grams: 250, status: 'reading', attached: true },
    });
    await soon(async () => (await node.scale()).weight === 250);
    await node.bench({ status: 'over_limit' });
    await soon(async () => (await node.scale()).fault === 'over_limit');
  });

  it('is pulled out and put back; in between there is no_scale', async () => {
    const node = await start();
    expect((await node.bench({ attached: false })).body).toMatchObject({ ok: true, attached: false });
    expect(await node.scale()).toMatchObject({ status: 'absent', weight: null });
    expect(await node.bench({ grams: 1 })).toMatchObject({ status: 409, body: { ok: false, error: 'no_scale' } });
    expect((await node.bench({ attached: true, grams: 90 })).body).toMatchObject({ attached: true, grams: 90 });
    await soon(async () => (await node.scale()).weight === 90);
  });

  it('is not there in a twin without one', async () => {
    const node = await start({});
    expect(await node.bench({ attached: true })).toMatchObject({ status: 409, body: { error: 'no_scale' } });
  });

  it.each([{ grams: 'heavy' }, { grams: 1e9 }, { status: 'tired' }, { colour: 'red' }])(
    'refuses %j',
    async (change) => {
      const node = await start();
      expect(await node.bench(change)).toMatchObject({ status: 422, body: { error: 'invalid_config' } });
    },
  );
});
