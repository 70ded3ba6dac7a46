/** What a bound scale has to say of its reports, to the millisecond: a reading, asleep, silent. No node is around it. */
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type ScaleOptions, type ScaleReading, scaleLayout } from '../../../codecs/hid-scale.ts';
import { Scale, type ScaleParts } from '../../../plugins/scale/scale.ts';
import { type TransferOptions, UsbError } from '../../../runtime/bindings/usb.ts';

const [ZERO, STABLE, MOVING] = [2, 4, 3];
const [GRAM, KILOGRAM] = [2, 3];
const at = (weight: number, status = STABLE, unit = GRAM) => Uint8Array.of(3, status, unit, 0, weight, 0);
/** What scales send that have no weight. */
const NOTHING = new Uint8Array(6);

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

/** A scale that was bound 1 s after the node began. */
function bind(options: ScaleOptions = {}) {
  vi.advanceTimersByTime(1000);
  onTestFinished(() => void vi.useRealTimers());
  let answer: (report: Uint8Array) => void = () => {};
  const transferIn = (_pipe: unknown, _length: number, { signal }: TransferOptions) =>
    new Promise<Uint8Array>((resolve, reject) => {
      answer = resolve;
      signal?.addEventListener('abort', () => reject(new UsbError('cancelled')));
    });
  const close = vi.fn(async () => {});
  const told: ScaleReading[] = [];
  const scale = new Scale({
    device: { transferIn, close } as unknown as ScaleParts['device'],
    pipe: { address: 0x82, direction: 'in', type: 'interrupt', maxPacketSize: 8 },
    ...{ reportBytes: 6, layout: scaleLayout(), options, recipe: {} as ScaleParts['recipe'] },
    onReading: (reading) => void told.push(reading),
  });
  const bound = performance.now();
  /** Each report this many milliseconds after the one before. */
  const says = async (reports: readonly Uint8Array[], everyMs = 0) => {
    for (const report of reports) {
      vi.advanceTimersByTime(everyMs);
      answer(report);
      await new Promise(setImmediate);
    }
  };
  const after = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return { weight: scale.reading?.weight, asleep: scale.asleep, silentSince: scale.silentSince() };
  };
  return { scale, says, after, told, close, bound };
}

it('a scale that has said nothing is asleep and silent after ten seconds, since it was bound', () => {
  const { scale, after, bound } = bind({ autoOffSeconds: 1 });
  expect(after(9999)).toEqual({ weight: undefined, asleep: false, silentSince: undefined });
  expect(after(1)).toEqual({ weight: undefined, asleep: true, silentSince: bound });
  expect(scale.ageMs).toBeUndefined();
});

it('the first report with a weight is not heard, the next one is, to the nearest millisecond', async () => {
  const { scale, says, told, after } = bind();
  await says([NOTHING, NOTHING, at(7)]);
  expect([scale.ageMs, scale.reading, told]).toEqual([undefined, undefined, []]);
  await says([at(5)], 100);
  const reading = { weight: 5, unit: 'g', stable: true, fault: null };
  expect([scale.ageMs, scale.reading, told]).toEqual([0, reading, [reading]]);
  after(1234.6);
  expect(scale.ageMs).toBe(1235);
  // No report, and no sign of life.
  await says([NOTHING]);
  expect(scale.ageMs).toBe(1235);
});

it('each weight, unit and coming to rest is told, and none twice', async () => {
  const { says, told } = bind();
  await says([at(9), at(5), at(5), at(6), at(6, MOVING), at(6), at(6, STABLE, KILOGRAM), at(9, ZERO, KILOGRAM)]);
  const moments = told.map(({ weight, unit, stable }) => `${weight} ${unit} ${stable ? 'at rest' : 'moving'}`);
  const expected = ['5 g at rest', '6 g at rest', '6 g moving', '6 g at rest', '6 kg at rest', '0 kg at rest'];
  expect(moments).toEqual(expected);
  // A report that cannot be read takes the weight away.
  await says([at(6, 0xff)]);
  expect(told.at(-1)).toEqual({ weight: null, unit: null, stable: false, fault: 'fault' });
});

it('a scale that tells changes alone is silent after ten seconds, since its last, and never asleep', async () => {
  const { says, after, bound } = bind();
  await says([at(9), at(5)], 50);
  expect(after(9999)).toEqual({ weight: 5, asleep: false, silentSince: undefined });
  expect(after(1)).toEqual({ weight: 5, asleep: false, silentSince: bound + 100 });
  expect(after(86_400_000)).toMatchObject({ weight: 5, asleep: false });
});

it.each([
  [180, 180_000],
  [9, 10_000],
])('a scale that switches itself off after %i s is asleep after %i ms', async (autoOffSeconds, ms) => {
  const { says, after } = bind({ autoOffSeconds });
  await says([at(9), at(5)]);
  expect(after(ms - 1)).toMatchObject({ weight: 5, asleep: false });
  expect(after(1)).toMatchObject({ weight: undefined, asleep: true });
});

it('a scale that repeats itself is asleep once it has stopped, and silent as soon', async () => {
  const { says, after, bound } = bind();
  await says([at(9), at(5), at(5), at(5), at(5)], 100);
  expect(after(4999)).toEqual({ weight: 5, asleep: false, silentSince: undefined });
  expect(after(1)).toEqual({ weight: undefined, asleep: true, silentSince: bound + 500 });
  await says([at(5)]);
  expect(after(0)).toEqual({ weight: 5, asleep: false, silentSince: undefined });
});

it('a scale that is let go hears nothing more, and its device is closed', async () => {
  const { scale, says, told, close } = bind();
  await says([at(9), at(5)]);
  await scale.release();
  await says([at(6)]);
  expect([told.length, close.mock.calls.length]).toEqual([1, 1]);
});
