/** Scales on serial lines: five protocols, each with good and bad lines. A weight or a fault by its name, and never a zero. */
import { describe, expect, it } from 'vitest';
import { SCALE_PROTOCOLS } from '../../../codecs/serial-scales.ts';
import { holdClock, until } from './clock.ts';
import { startSerialNode } from './node.ts';

holdClock();

const GRAMS = 4876;
const WEIGHT = { status: 'reading', weight: 4.876, unit: 'kg', stable: true };
/** Another than before, so that it is read on the bad line. */
const OTHER = { ...WEIGHT, weight: 2.345 };
const SILENT = { status: 'asleep', weight: null };
const GARBLED = { status: 'reading', weight: null, unit: null, stable: false, fault: 'fault' };

/** What is wrong, and the block that shows it. */
const BAD = [
  ['parity in the eighth bit', { line: 'parity', grams: 2345 }, OTHER],
  ['noise before its message', { line: 'noise', grams: 2345 }, OTHER],
  ['two messages in one read', { line: 'twice', grams: 2345 }, OTHER],
  ['motion', { moves: true }, { status: 'reading', stable: false }],
  ['too much on it', { grams: 16_000 }, { status: 'reading', weight: null, fault: 'over_limit' }],
  ['less than nothing on it', { grams: -20 }, { status: 'reading', stable: false, fault: 'under_zero' }],
  ['another speed', { line: 'speed' }, GARBLED],
  ['messages cut in the middle', { line: 'cut' }, GARBLED],
  ['silence', { line: 'silence' }, SILENT],
] as const;

const conditionOf = (expected: (typeof BAD)[number][2]) => {
  if (expected === GARBLED) return { condition: 'silent', reason: 'garbled' };
  return expected === SILENT ? { condition: 'silent', reason: 'no_answer' } : { condition: 'bound' };
};

describe.each(SCALE_PROTOCOLS)('a scale that speaks %s', (protocol) => {
  it('is weighed on, as a HID scale is', async () => {
    const { node, scale } = await startSerialNode(protocol);
    scale.set({ grams: GRAMS });
    expect(await until(node.scale, ({ weight, stable }) => weight === 4.876 && stable)).toEqual({
      ...{ endpoint: 'scale', ...WEIGHT },
      ageMs: expect.any(Number),
    });
    expect(await node.peripheral('scale')).toMatchObject({
      condition: 'bound',
      recipe: { tier: 'derived', codec: protocol },
    });
    expect(node.events('scale_weight_changed').at(-1)).toEqual({
      ...{ type: 'scale_weight_changed', endpoint: 'scale' },
      ...{ weight: 4.876, unit: 'kg', stable: true },
    });
    scale.set({ grams: 0 });
    await until(node.scale, ({ weight }) => weight === 0);
  });

  it('with a bad line has a weight or says why it has none, and weighs again when the line is good', async () => {
    const { node, scale } = await startSerialNode(protocol);
    for (const [name, change, expected] of BAD) {
      scale.set({ grams: GRAMS, moves: false, line: 'none' });
      await until(node.scale, ({ weight, stable }) => weight === 4.876 && stable);
      const from = node.events('scale_weight_changed').length;
      scale.set(change);
      const fits = (block: object) =>
        Object.entries(expected).every(([key, value]) => (block as Record<string, unknown>)[key] === value);
      expect((await until(node.scale, fits)).weight, name).not.toBe(0);
      expect(await node.peripheral('scale'), name).toMatchObject(conditionOf(expected));
      scale.set({ grams: 1234, moves: false, line: 'none' });
      await until(node.scale, ({ weight, stable }) => weight === 1.234 && stable);
      expect(await node.peripheral('scale'), name).toMatchObject({ condition: 'bound' });
      const told = node.events('scale_weight_changed').slice(from);
      expect(
        told.map(({ weight }) => weight),
        name,
      ).not.toContain(0);
    }
  });

  it('whose adapter is pulled in the middle is absent at once, and weighs again when it is back', async () => {
    const { node, scale } = await startSerialNode(protocol);
    scale.set({ grams: GRAMS, line: 'cut' });
    await until(
      () => node.peripheral('scale'),
      (seen) => seen?.['reason'] === 'garbled',
    );
    await node.unplug(scale);
    expect(await node.scale()).toMatchObject({ status: 'absent', weight: null });
    scale.set({ line: 'none' });
    await node.plug(scale, '1-1');
    await until(node.scale, ({ weight }) => weight === 4.876);
  });
});
