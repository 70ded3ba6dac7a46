/** What keyboards of every kind type is read as they mean it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LayoutName } from '../../../codecs/keymaps.ts';
import { KEYBOARD_LAYOUTS } from '../../../codecs/keymaps.ts';
import type { FieldDevice } from '../../field/device.ts';
import { until } from '../../node.ts';
import { randomFrom } from '../../random.ts';
import { CP1252, KINDS, type Kind, keyboardOf, reportsOf } from './keyboards.ts';
import { startScanningNode } from './node.ts';

const SEED = Number(process.env['FIELD_SEED'] ?? 20261125);
/** Reads by each kind of keyboard in each layout; 334 make the 10,000 that a change of the codec is tried with. */
const READS = Number(process.env['FIELD_READS'] ?? 12);
const LONGEST = 40;
/** As many as the scan log keeps. */
const BATCH = 12;

/** What a label may hold that this keyboard can type: printable, and no blank at the ends. */
function characters(kind: Kind, layout: LayoutName): string[] {
  if (kind === 'Alt codes')
    return CP1252.filter((character, code) => code > 0x20 && !/[\u007f\u00a0\u00ad\ufffd]/.test(character));
  const levels = KEYBOARD_LAYOUTS[layout].keys.flatMap((key) => key?.levels ?? []);
  const typed = levels.flatMap((meaning) =>
    typeof meaning === 'object'
      ? [meaning.accent, ...meaning.composed.values()]
      : meaning === undefined
        ? []
        : [meaning],
  );
  return [...new Set(typed)];
}

describe.each(Object.keys(KINDS) as Kind[])('a keyboard of the kind %s', (kind) => {
  it.each(Object.keys(KEYBOARD_LAYOUTS) as LayoutName[])('is read right: %s', async (layout) => {
    const keyboard = keyboardOf(kind);
    const node = await startScanningNode([keyboard], {
      recipes: [],
      settings: { layout, minLength: 1, duplicateWindowMs: 0, interKeyTimeoutMs: 1000 },
    });
    onTestFinished(node.stop);
    const any = randomFrom(SEED);
    const alphabet = characters(kind, layout);
    const pick = (from: readonly string[]) => from[Math.floor(any() * from.length)] ?? '';
    // A text that begins with ] may be taken for an AIM identifier, which is no matter of keyboards.
    const first = alphabet.filter((character) => character !== ']');
    const label = () =>
      pick(first) + Array.from({ length: Math.floor(any() * LONGEST) }, () => pick(alphabet)).join('');
    for (let done = 0; done < READS; ) {
      const values = Array.from({ length: Math.min(BATCH, READS - done) }, label);
      for (const value of values) for (const report of reportsOf(kind, value, layout)) keyboard.report(report);
      done += values.length;
      const { scans } = await node.scans(done);
      expect(scans.slice(0, values.length).map(({ value }) => value)).toEqual(values.toReversed());
    }
  });
});

it('a scanner that presses Caps Lock until its light changes sees it change, and is read right', async () => {
  const keyboard = keyboardOf('boot');
  const node = await startScanningNode([keyboard], { recipes: [] });
  onTestFinished(node.stop);
  const lights = () =>
    keyboard.requested
      .filter(({ setup }) => setup.requestType === 0x21 && setup.request === 0x09 && setup.value === 0x0200)
      .map(({ data }) => data[0]);
  expect(lights()).toEqual([1]);
  for (const light of [3, 1]) {
    keyboard.report(Uint8Array.of(0, 0, 0x39, 0, 0, 0, 0, 0));
    keyboard.report(new Uint8Array(8));
    await until(() => lights().at(-1) === light);
  }
  for (const report of reportsOf('boot', 'aBc-4006', 'us')) keyboard.report(report);
  expect((await node.scans(1)).scans[0]).toMatchObject({ value: 'aBc-4006' });
});

/** As `keyboardOf` has them, with an interrupt OUT pipe. */
const WITH_PIPE =
  '1201000200000040 5e05 0012 0001 0102 0001 0902 2900 0101 00c0 32 0904 0000 0203 0101 00 0921 1001 0001 22 3f00 0705 8103 4000 0a 0705 0203 0800 0a';
const lightsOf = ({ received, requested }: FieldDevice) => ({
  byPipe: received.map(([lights]) => lights),
  byRequest: requested.flatMap(({ setup, data }) => (setup.request === 0x09 ? [data[0]] : [])),
});

it('a scanner with a pipe for its lights gets them there', async () => {
  const keyboard = keyboardOf('boot', { descriptors: WITH_PIPE });
  const node = await startScanningNode([keyboard], { recipes: [] });
  onTestFinished(node.stop);
  keyboard.report(Uint8Array.of(0, 0, 0x39, 0, 0, 0, 0, 0));
  await until(() => lightsOf(keyboard).byPipe.length === 2);
  expect(lightsOf(keyboard)).toEqual({ byPipe: [1, 3], byRequest: [] });
});

it('a scanner whose pipe takes nothing gets its lights by request, and is read', async () => {
  const keyboard = keyboardOf('boot', { descriptors: WITH_PIPE, takesNothing: true });
  const node = await startScanningNode([keyboard], { recipes: [] });
  onTestFinished(node.stop);
  for (const report of reportsOf('boot', 'aBc-4006', 'us')) keyboard.report(report);
  expect((await node.scans(1)).scans[0]).toMatchObject({ value: 'aBc-4006' });
  expect(lightsOf(keyboard)).toEqual({ byPipe: [], byRequest: [1] });
});
