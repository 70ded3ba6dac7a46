/** GET /scale and scale_weight_changed (specification 2.9, 6.1). */
import { describe, expect, it } from 'vitest';
import { VirtualScale, type VirtualScaleOptions } from '../../../plugins/scale/virtual.ts';
import { soon } from '../../device-node.ts';
import { countReports, startScaleNode } from './node.ts';

const start = async (options: VirtualScaleOptions = {}) => {
  const scale = new VirtualScale({ reportMs: 10, ...options });
  const node = await startScaleNode();
  await node.plug(scale);
  const weighs = async (grams: number, weight: number | null) => {
    scale.set({ grams });
    await soon(async () => {
      const block = await node.scale();
      return block.weight === weight && (weight === null || block.stable);
    });
  };
  return { node, scale, weighs };
};

describe('a scale', () => {
  it('is weighed on: weight, unit and stability, the same at /scale and in /status', async () => {
    const { node, weighs } = await start();
    await weighs(20, 20);
    const { body } = await node.get('/scale');
    expect(body).toEqual({
      ...{ endpoint: 'scale', status: 'reading', weight: 20, unit: 'g', stable: true },
      ageMs: expect.any(Number),
    });
    expect((await node.status())['scale']).toEqual({ ...body, ageMs: expect.any(Number) });
    expect(await node.peripheral('scale')).toMatchObject({
      condition: 'bound',
      device: { vendorId: '0922', productId: '8003' },
      recipe: { id: 'dymo-m10', tier: 'builtin', codec: 'hid-scale' },
    });
  });

  it.each([
    ['kg', 1234, 1.234],
    ['oz', 3218, 113.5],
    ['lb', 3561, 7.85],
    ['g', 0, 0],
  ] as const)('set to %s gives every decimal exactly', async (unit, grams, weight) => {
    const { node, weighs } = await start({ unit });
    await weighs(grams, weight);
    expect(await node.scale()).toMatchObject({ status: 'reading', weight, unit });
  });

  it.each([
    ['over_limit', null],
    ['needs_calibration', null],
    ['needs_rezero', null],
    ['fault', null],
    ['under_zero', -250],
  ] as const)('that says %s has the weight %s', async (status, weight) => {
    const { node, scale, weighs } = await start();
    await weighs(250, 250);
    scale.set({ status });
    await soon(async () => (await node.scale()).fault === status);
    expect(await node.scale()).toMatchObject({ status: 'reading', weight, stable: false, fault: status });
  });

  it('tells of a change of weight, and of nothing else', async () => {
    const { node, scale, weighs } = await start();
    await weighs(0, 0);
    await weighs(500, 500);
    const told = () => node.events('scale_weight_changed');
    const before = told().length;
    expect(told().at(-1)).toEqual({
      ...{ type: 'scale_weight_changed', endpoint: 'scale' },
      ...{ weight: 500, unit: 'g', stable: true },
    });
    expect(told().at(-2)).toMatchObject({ weight: 500, stable: false });
    // The scale goes on to report the same weight many times over.
    const reports = countReports(scale);
    await soon(() => reports() >= 5);
    expect(told()).toHaveLength(before);
    await weighs(0, 0);
    expect(told().slice(before)).toMatchObject([
      { weight: 0, stable: false },
      { weight: 0, stable: true },
    ]);
  });

  it('that was never plugged in is absent, and one that left is absent with an age', async () => {
    const node = await startScaleNode();
    const absent = { endpoint: 'scale', status: 'absent', weight: null, unit: null, stable: false };
    expect(await node.scale()).toEqual({ ...absent, ageMs: null });
    expect(await node.peripheral('scale')).toMatchObject({ condition: 'never_seen' });
    const scale = new VirtualScale();
    await node.plug(scale);
    await node.unplug(scale);
    expect(await node.scale()).toEqual({ ...absent, ageMs: expect.any(Number) });
    expect(await node.peripheral('scale')).toMatchObject({ condition: 'gone', sinceMs: expect.any(Number) });
  });

  it('weighs again after it was pulled out and put back', async () => {
    const { node, scale, weighs } = await start();
    await weighs(100, 100);
    await node.unplug(scale);
    await node.plug(scale);
    await weighs(200, 200);
    expect(node.usb.claimedInterfaces(scale)).toEqual([0]);
  });

  it('has no weight before it has spoken, and its first report, left over from before, is not one', async () => {
    const scale = new VirtualScale({ reportMs: 0 });
    scale.set({ grams: 777 });
    const node = await startScaleNode();
    await node.plug(scale);
    expect(await node.scale()).toMatchObject({ status: 'reading', weight: null, unit: null, ageMs: null });
    scale.set({ grams: 5 });
    await soon(async () => (await node.scale()).weight === 5);
    expect(node.events('scale_weight_changed').map(({ weight }) => weight)).not.toContain(777);
  });
});
