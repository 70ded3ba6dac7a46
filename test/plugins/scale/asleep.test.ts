/** A scale that has gone to sleep says so instead of reporting zero (specification 2.9). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Rhythm } from '../../../plugins/scale/sleep-detection.ts';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { expandMakerFile } from '../../../runtime/recipes/row.ts';
import { soon } from '../../device-node.ts';
import { countReports, startScaleNode } from './node.ts';

let passed = 0;
beforeEach(() => {
  passed = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const [row] = expandMakerFile({
  maker: 'Dymo',
  rows: [
    {
      ...{ id: 'test-scale', vendorId: '0922', productId: '8003', model: 'M10', kind: 'scale' },
      ...{ codec: 'hid-scale', options: {} },
    },
  ],
});
const plain = row!;
const node = (options = {}) => startScaleNode({ recipes: [{ ...plain, options }] });

/** A node and a scale that has said the same thing often enough to be known by it. */
async function weighing(reportMs: number, options = {}) {
  const scale = new VirtualScale({ reportMs });
  const reports = countReports(scale);
  const running = await node(options);
  await running.plug(scale);
  scale.set({ grams: 40 });
  await soon(() => reports() >= (reportMs > 0 ? 9 : 2));
  await soon(async () => (await running.scale()).stable);
  return { running, scale };
}

describe('a scale that reports all the time', () => {
  it('is asleep once its reports have stopped: no weight, the age of the last, and a silent endpoint', async () => {
    const { running, scale } = await weighing(5);
    scale.set({ status: 'asleep' });
    passed = 4000;
    expect(await running.scale()).toMatchObject({ status: 'reading', weight: 40 });
    passed = 10_000;
    const block = await running.scale();
    expect(block).toEqual({
      ...{ endpoint: 'scale', status: 'asleep', weight: null, unit: null, stable: false },
      ageMs: expect.any(Number),
    });
    expect(block.ageMs).toBeGreaterThanOrEqual(10_000);
    expect(await running.peripheral('scale')).toMatchObject({ condition: 'silent', sinceMs: expect.any(Number) });
  });

  it('wakes with its next report', async () => {
    const { running, scale } = await weighing(5);
    scale.set({ status: 'asleep' });
    passed = 60_000;
    expect((await running.scale()).status).toBe('asleep');
    scale.set({ status: 'reading', grams: 60 });
    await soon(async () => (await running.scale()).weight === 60);
    expect(await running.peripheral('scale')).toMatchObject({ condition: 'bound' });
  });
});

describe('a scale that speaks only when the weight changes', () => {
  it('keeps its last reading with its age, and is silent', async () => {
    const { running } = await weighing(0);
    passed = 3_600_000;
    const block = await running.scale();
    expect(block).toMatchObject({ status: 'reading', weight: 40, unit: 'g', stable: true });
    expect(block.ageMs).toBeGreaterThanOrEqual(3_600_000);
    expect(await running.peripheral('scale')).toMatchObject({ condition: 'silent' });
  });

  it('is asleep after the time its recipe says it switches itself off', async () => {
    const { running } = await weighing(0, { autoOffSeconds: 180 });
    passed = 170_000;
    expect(await running.scale()).toMatchObject({ status: 'reading', weight: 40 });
    passed = 180_000;
    expect(await running.scale()).toMatchObject({ status: 'asleep', weight: null });
  });

  it('that has said nothing at all since it was plugged in is asleep', async () => {
    const scale = new VirtualScale();
    scale.set({ status: 'asleep' });
    const running = await node();
    await running.plug(scale);
    passed = 10_000;
    expect(await running.scale()).toMatchObject({ status: 'asleep', weight: null, ageMs: null });
  });
});

describe('the rhythm of a scale', () => {
  const report = (weight: number) => Uint8Array.of(3, 4, 2, 0, weight, 0);
  const heard = (weights: readonly number[], everyMs: number) => {
    const rhythm = new Rhythm();
    weights.forEach((weight, count) => {
      rhythm.heard(report(weight), count * everyMs);
    });
    return rhythm.asleepAfterMs;
  };

  it('is known from three reports that repeat the one before, and then for good', () => {
    expect(heard([5, 5, 5], 100)).toBeUndefined();
    expect(heard([5, 5, 5, 5], 100)).toBe(5000);
    expect(heard([5, 5, 5, 5, 6, 7, 8], 100)).toBe(5000);
    expect(heard([1, 2, 1, 2, 1, 2], 100)).toBeUndefined();
  });

  it('says that a slower scale is asleep later, but no later than after ten seconds', () => {
    expect(heard([5, 5, 5, 5], 400)).toBe(8000);
    expect(heard([5, 5, 5, 5], 3000)).toBe(10_000);
    expect(heard([5, 5, 5, 5], 60_000)).toBeUndefined();
  });
});
