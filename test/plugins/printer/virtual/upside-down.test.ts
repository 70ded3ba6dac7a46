/** ESC { turns each line about the middle of the print area, whatever order its parts came in. */
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import { paperOf } from '../../../../plugins/printer/virtual/paper-of.ts';
import { bytes, type Part } from './bench.ts';

const to = (x: number) => [0x1b, 0x24, x & 0xff, x >> 8];
const TURNED = [0x1b, 0x7b, 1];

/** First and last dot of each part of the only line, from left to right, as it lies on the paper. */
function extents(...parts: Part[]) {
  const { rows } = paperOf(bytes(...parts, '\n'), resolveOptions());
  const [row] = rows;
  if (row?.kind !== 'line') throw new Error('no line');
  const end = Math.max(...row.pieces.map(({ x, width }) => x + width));
  return row.pieces
    .map(({ x, width }) =>
      row.upsideDown ? [row.x + end - x - width, row.x + end - x] : [row.x + x, row.x + x + width],
    )
    .sort(([a = 0], [b = 0]) => a - b);
}

describe('ESC { turns a line about the middle of the print area:', () => {
  it.each([
    ['the frame first, then what is in it', ['|', to(300), '|', to(24), 'ab']],
    ['from left to right', ['|', to(24), 'ab', to(300), '|']],
  ])('%s', (_order, parts) => {
    expect(extents(...parts)).toEqual([
      [0, 12],
      [24, 48],
      [300, 312],
    ]);
    expect(extents(TURNED, ...parts)).toEqual([
      [576 - 312, 576 - 300],
      [576 - 48, 576 - 24],
      [576 - 12, 576],
    ]);
  });

  it('within GS L and GS W, and with white behind the last character', () => {
    const area = [0x1d, 0x4c, 24, 0, 0x1d, 0x57, 0, 1];
    expect(extents(area, TURNED, 'ab', to(120))).toEqual([[24 + 256 - 24, 24 + 256]]);
  });

  it('with white behind the last character, centred', () => {
    const [x] = extents([0x1b, 0x61, 1], 'ab', to(48))[0]!;
    expect(x).toBe((576 - 48) / 2);
    expect(extents([0x1b, 0x61, 1], TURNED, 'ab', to(48))).toEqual([[288, 312]]);
  });
});
