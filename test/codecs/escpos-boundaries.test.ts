import { describe, expect, it } from 'vitest';
import type { Boundaries } from '../../codecs/escpos-boundaries.ts';
import { EscposStream } from '../../codecs/escpos-stream.ts';
import { NOWHERE } from '../../codecs/escpos-stretches.ts';
import { randomFrom } from '../random.ts';

/** All of them, each asked for behind the one before it. */
function* allOf(bytes: Uint8Array, boundaries?: Boundaries): Generator<number> {
  for (let least = 1; ; ) {
    const place = boundaries?.next(bytes, least);
    if (place === undefined) return;
    yield place;
    least = place + 1;
  }
}
const OPTIONS = { realtimePulseDisable: false, pulseOnBel: false, stretch: 16 };
const raster = (rows: number) => [0x1d, 0x76, 0x30, 0, 8, 0, rows, 0, ...new Array<number>(8 * rows).fill(0x55)];
const text = (length: number) => Array.from({ length }, (_, at) => (at % 24 === 23 ? 0x0a : 0x41));
/** Chinese in UTF-8; and a lead byte that begins no command, behind which three bytes may be its parameters. */
const characters = (length: number) =>
  Array.from({ length: Math.ceil(length / 4) }, () => [0x2e, 0xe4, 0xb8, 0xad]).flat();
const unknown = (length: number) => [0x1b, 0x02, ...text(length)];
/** Commands that are kept, and one that is removed, so that what is kept goes on in several runs. */
const COMMANDS = [
  [0x1b, 0x21, 8],
  [0x1b, 0x2a, 33, 4, 0, ...text(12)],
  [0x1d, 0x6b, 73, 6, 0x7b, 0x42, ...text(4)],
  [0x1b, 0x70, 0, 25, 250],
  [0x1d, 0x56, 1],
];

describe('the filter of port 9100', () => {
  it('tells behind a single letter that something may stand there', () => {
    const places: number[][] = [];
    const forward = (bytes: Uint8Array, boundaries?: Boundaries) => void places.push([...allOf(bytes, boundaries)]);
    new EscposStream({ realtimePulseDisable: false, pulseOnBel: false }).push(Uint8Array.of(0x26), {
      ...NOWHERE,
      forward,
    });
    expect(places).toEqual([[1]]);
  });

  it('passes nothing on of a command that is removed, and no run without a byte', () => {
    const runs: number[][] = [];
    const forward = (bytes: Uint8Array) => void runs.push([...bytes]);
    const stream = new EscposStream({ realtimePulseDisable: false, pulseOnBel: true });
    for (const sent of [[0x07], [0x07, 0x41], [0x07, 0x07]])
      stream.push(Uint8Array.from(sent), { ...NOWHERE, forward });
    expect(runs).toEqual([[0x41]]);
  });

  it('tells of places between two commands alone, also where what lies behind them was read before they are used', () => {
    const random = randomFrom(31);
    const one = (choices: number) => Math.floor(random() * choices);
    const parts = [
      () => COMMANDS[one(COMMANDS.length)]!,
      () => raster(1 + one(6)),
      () => text(1 + one(90)),
      () => characters(1 + one(700)),
      () => unknown(one(90)),
    ];
    for (let round = 0; round < 40; round += 1) {
      const sent = Array.from({ length: 60 }, () => parts[one(parts.length)]!()).flat();
      const runs: { from: number; bytes: Uint8Array; boundaries: Boundaries | undefined }[] = [];
      const out: number[] = [];
      const stream = new EscposStream(OPTIONS);
      const forward = (bytes: Uint8Array, boundaries?: Boundaries) => {
        runs.push({ from: out.length, bytes, boundaries });
        out.push(...bytes);
      };
      for (let at = 0; at < sent.length; ) {
        const next = at + 1 + one(200);
        stream.push(Uint8Array.from(sent.slice(at, next)), { ...NOWHERE, forward });
        at = next;
      }
      const places = runs.flatMap(({ from, bytes, boundaries }) =>
        [...allOf(bytes, boundaries)].map((place) => from + place),
      );
      expect(places.length).toBeGreaterThan(10);
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      for (const place of places) {
        const read = new EscposStream(OPTIONS);
        read.push(Uint8Array.from(out.slice(0, place)), NOWHERE);
        expect([place, read.isSettled, read.lacking]).toEqual([place, true, 0]);
      }
    }
  });

  it('tells in a long text without a line end of a place within the next 256 bytes, behind a byte of ASCII, where it has one', () => {
    const whole = (length: number, ...places: number[]) =>
      Buffer.from(Array.from({ length }, (_, at) => (places.includes(at + 1) ? 0x2e : 0xb0)));
    const found = (bytes: Uint8Array, least: number) => {
      const seen: (number | undefined)[] = [];
      new EscposStream(OPTIONS).push(Uint8Array.from(bytes), {
        ...NOWHERE,
        forward: (run, boundaries) => void seen.push(boundaries?.next(run, least)),
      });
      return seen;
    };
    expect(found(whole(600, 40, 90, 500), 20)).toEqual([90]);
    expect(found(whole(600, 40, 90, 500), 91.5)).toEqual([500]);
    expect(found(whole(600, 40), 41)).toEqual([undefined]);
    expect(found(Buffer.from(`${'a'.repeat(50)}\n${'b'.repeat(50)}`), 20)).toEqual([51]);
  });

  it('tells of none in a character of a text that makes a macro too long', () => {
    const stream = new EscposStream({ ...OPTIONS, stretch: 64 });
    const places: (string | boolean)[] = [];
    const forward = () => void places.push('bytes');
    const boundary = () => void places.push(stream.isSettled);
    stream.push(Uint8Array.from([0x1d, 0x3a, ...new Array<number>(2600).fill(0xb0), 0x0a]), {
      ...NOWHERE,
      forward,
      boundary,
    });
    expect(places).toContain('bytes');
    expect(places).not.toContain(false);
  });

  it('tells of a place where the printer is deselected that it is so, also before the FF that ends its page', () => {
    const stream = new EscposStream(OPTIONS);
    const selections: string[] = [];
    const sink = {
      ...NOWHERE,
      forward: (bytes: Uint8Array, boundaries?: Boundaries) =>
        void selections.push(...[...allOf(bytes, boundaries)].map(() => 'none')),
      boundary: () => void selections.push(Buffer.from(stream.selection).toString('hex')),
    };
    stream.push(Uint8Array.from([0x1b, 0x4c, 0x1b, 0x3d, 2, ...text(100), 0x0c, ...text(40)]), sink);
    expect(selections.slice(0, 4)).toEqual(['1b3d02', '1b3d02', '1b3d02', '1b3d02']);
  });
});
