import { describe, expect, it } from 'vitest';
import { Boundaries } from '../../../../codecs/escpos-boundaries.ts';
import { type Part, Parts, SELECTED } from '../../../../plugins/printer/jobs/parts.ts';

const STARTS = { ...SELECTED, starts: true };
const bytes = (from: number, count: number) => Uint8Array.from({ length: count }, (_, index) => (from + index) % 256);
function at(...places: number[]): Boundaries {
  const boundaries = new Boundaries();
  for (const place of places) boundaries.add(place);
  return boundaries;
}
/** Each as its bytes, or `|` of a boundary. */
function taken(parts: Parts, reach: number): string[] {
  const each: string[] = [];
  for (let next: Part | undefined = parts.take(reach); next !== undefined; next = parts.take(reach))
    each.push(next.part === 'boundary' ? '|' : [...next.bytes].join(' '));
  return each;
}

describe('what a job has filtered and not sent', () => {
  it('goes out up to the first boundary that is as many bytes away as the printer takes in one write', () => {
    const parts = new Parts();
    parts.keep(bytes(0, 10), 'bytes', at(2, 4, 7));
    expect(taken(parts, 3)).toEqual(['0 1 2 3', '|', '4 5 6', '|', '7 8 9']);
    parts.keep(bytes(0, 10), 'bytes', at(2, 4, 7));
    expect(taken(parts, 100)).toEqual(['0 1 2 3 4 5 6 7 8 9']);
  });

  it('has a boundary at the end of bytes once, and keeps one that stands alone behind them', () => {
    const parts = new Parts();
    parts.keep(bytes(0, 4), 'bytes', at(2, 4));
    parts.keep(bytes(4, 2), 'bytes');
    parts.mark(SELECTED);
    expect(taken(parts, 4)).toEqual(['0 1 2 3', '|', '4 5', '|']);
    parts.keep(bytes(0, 2), 'bytes', at(1, 2));
    expect(taken(parts, 1)).toEqual(['0', '|', '1', '|']);
    expect(parts.isEmpty).toBe(true);
  });

  it('keeps the boundary at the end of the last bytes, and before what is no plain bytes, however many the printer takes', () => {
    const parts = new Parts();
    parts.keep(bytes(0, 4), 'bytes', at(2, 4));
    parts.keep(bytes(4, 2), 'macro');
    parts.keep(bytes(6, 4), 'bytes', at(2, 4));
    expect(taken(parts, 100)).toEqual(['0 1 2 3', '|', '4 5', '6 7 8 9', '|']);
  });

  it('goes out together with what comes behind it, but over no boundary at which the printer starts again', () => {
    const parts = new Parts();
    for (const from of [0, 2, 4]) {
      parts.keep(bytes(from, 2), 'bytes');
      parts.mark(from === 2 ? STARTS : SELECTED);
    }
    expect(taken(parts, 100)).toEqual(['0 1 2 3', '|', '4 5', '|']);
  });

  it('is counted without what was taken of it, also where others come behind it', () => {
    const parts = new Parts();
    parts.keep(bytes(0, 10), 'bytes', at(4));
    parts.take(1);
    const others = new Parts();
    others.keep(bytes(10, 2), 'macro');
    parts.append(others);
    expect(parts.length).toBe(8);
    expect(taken(parts, 1)).toEqual(['|', '4 5 6 7 8 9', '10 11']);
  });

  it('is no copy where it lies one behind the other', () => {
    const whole = bytes(0, 8);
    const parts = new Parts();
    parts.keep(whole.subarray(0, 3), 'bytes');
    parts.keep(whole.subarray(3), 'bytes', at(2));
    const next = parts.take(5);
    expect(next).toMatchObject({ part: 'bytes' });
    expect((next as { bytes: Uint8Array }).bytes.buffer).toBe(whole.buffer);
  });
});
