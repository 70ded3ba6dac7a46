import { describe, expect, it } from 'vitest';
import { EscposStream } from '../../codecs/escpos-stream.ts';
import { NOWHERE } from '../../codecs/escpos-stretches.ts';
import { randomFrom } from '../random.ts';

const OPTIONS = { realtimePulseDisable: false, pulseOnBel: false, stretch: 16 };
const raster = (rows: number) => [0x1d, 0x76, 0x30, 0, 8, 0, rows, 0, ...new Array<number>(8 * rows).fill(0x55)];
const text = (length: number) => Array.from({ length }, (_, at) => (at % 24 === 23 ? 0x0a : 0x41));
/** Commands that are kept, and one that is removed, so that what is kept goes on in several runs. */
const COMMANDS = [
  [0x1b, 0x21, 8],
  [0x1b, 0x2a, 33, 4, 0, ...text(12)],
  [0x1d, 0x6b, 73, 6, 0x7b, 0x42, ...text(4)],
  [0x1b, 0x70, 0, 25, 250],
  [0x1d, 0x56, 1],
];

describe('the filter of port 9100', () => {
  it('tells of places between two commands alone, also where what lies behind them was read before they are used', () => {
    const random = randomFrom(31);
    const one = (choices: number) => Math.floor(random() * choices);
    for (let round = 0; round < 40; round += 1) {
      const sent = Array.from({ length: 60 }, () =>
        [() => COMMANDS[one(COMMANDS.length)]!, () => raster(1 + one(6)), () => text(1 + one(90))][one(3)]!(),
      ).flat();
      const runs: { from: number; places: readonly number[] }[] = [];
      const out: number[] = [];
      const stream = new EscposStream(OPTIONS);
      const forward = (bytes: Uint8Array, places: readonly number[] = []) => {
        runs.push({ from: out.length, places });
        out.push(...bytes);
      };
      for (let at = 0; at < sent.length; ) {
        const next = at + 1 + one(200);
        stream.push(Uint8Array.from(sent.slice(at, next)), { ...NOWHERE, forward });
        at = next;
      }
      const places = runs.flatMap(({ from, places }) => places.map((place) => from + place));
      expect(places.length).toBeGreaterThan(10);
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      for (const place of places) {
        const read = new EscposStream(OPTIONS);
        read.push(Uint8Array.from(out.slice(0, place)), NOWHERE);
        expect([place, read.isSettled, read.lacking]).toEqual([place, true, 0]);
      }
    }
  });

  it('tells of a place where the printer is deselected that it is so, also before the FF that ends its page', () => {
    const stream = new EscposStream(OPTIONS);
    const selections: string[] = [];
    const sink = {
      ...NOWHERE,
      forward: (_: Uint8Array, places: readonly number[] = []) => void selections.push(...places.map(() => 'none')),
      boundary: () => void selections.push(Buffer.from(stream.selection).toString('hex')),
    };
    stream.push(Uint8Array.from([0x1b, 0x4c, 0x1b, 0x3d, 2, ...text(100), 0x0c, ...text(40)]), sink);
    expect(selections.slice(0, 4)).toEqual(['1b3d02', '1b3d02', '1b3d02', '1b3d02']);
  });
});
