/** "Hinted to stems of at least 2 dots so that thermal paper shows them." */
import { describe, expect, it } from 'vitest';
import { blacken, blackenStems } from '../../../../plugins/printer/drawing/hint.ts';
import { FULL } from '../../../../plugins/printer/drawing/scan-line.ts';

/** Each character is a dot: digits are tenths of it, `#` is all. */
function coverage(...rows: readonly string[]) {
  const values = Uint16Array.from(rows.join(''), (dot) => (dot === '#' ? FULL : dot === '.' ? 0 : (+dot / 10) * FULL));
  return { width: rows[0]!.length, height: rows.length, values };
}

const drawn = (black: Uint8Array, width: number): string[] =>
  Array.from({ length: black.length / width }, (_, row) =>
    Array.from(black.subarray(row * width, (row + 1) * width), (dot) => (dot === 1 ? '#' : '.')).join(''),
  );

const stems = (...rows: readonly string[]) => drawn(blackenStems(coverage(...rows)), rows[0]!.length);

describe('a stem', () => {
  it('of one dot becomes two, on the side where more of it is', () => {
    expect(stems('.4#1.', '.4#1.', '.4#1.')).toEqual(['.##..', '.##..', '.##..']);
    expect(stems('.1#4.', '.1#4.', '.1#4.')).toEqual(['..##.', '..##.', '..##.']);
    expect(stems('.....', '11111', '#####', '44444', '.....')).toEqual(['.....', '.....', '#####', '#####', '.....']);
  });

  it('of two dots stays as it is', () => {
    expect(stems('.##.', '.##.', '.##.')).toEqual(['.##.', '.##.', '.##.']);
  });

  it('that runs aslant has no dot alone', () => {
    const rows = stems('#.....', '.#....', '..#...', '...#..', '....#.', '.....#');
    for (let at = 0; at < 5; at += 1) expect(rows[at]!.slice(at, at + 2)).toBe('##');
  });

  it('does not grow into another one', () => {
    expect(stems('#.#', '#.#', '#.#')).toEqual(['#.#', '#.#', '#.#']);
  });
});

it('a dot is black where half of it is covered, or the part that is asked for', () => {
  expect(drawn(blacken(coverage('456')), 3)).toEqual(['.##']);
  expect(drawn(blacken(coverage('345'), 0.35), 3)).toEqual(['.##']);
});
