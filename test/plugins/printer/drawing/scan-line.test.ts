/** "A scan-line fill of our own": what lies inside an outline by the non-zero winding rule, and how much of each dot. */
import { describe, expect, it } from 'vitest';
import { type Coverage, coverageOf, FULL, fill } from '../../../../plugins/printer/drawing/scan-line.ts';

type Point = readonly [number, number];

/** The edges of closed polygons. */
const edgesOf = (...polygons: readonly (readonly Point[])[]): Float32Array =>
  Float32Array.from(
    polygons.flatMap((points) => points.flatMap((point, index) => [...point, ...points[(index + 1) % points.length]!])),
  );

const square = (from: number, to: number): Point[] => [
  [from, from],
  [from, to],
  [to, to],
  [to, from],
];

/** Polygons in a field of 8 by 8 dots, whose origin is its lower left corner. Coverage in percent. */
function filled(...polygons: readonly (readonly Point[])[]): number[][] {
  const coverage = coverageOf(8, 8);
  fill(coverage, edgesOf(...polygons), { x: 0, y: 8, scaleX: 1, scaleY: 1 });
  return percent(coverage);
}

const percent = ({ width, height, values }: Coverage): number[][] =>
  Array.from({ length: height }, (_, row) =>
    Array.from(values.subarray(row * width, (row + 1) * width), (value) => Math.round((value / FULL) * 100)),
  );

describe('an outline', () => {
  it('covers the dots that it surrounds', () => {
    const rows = filled(square(2, 6));
    expect(rows[0]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(rows[2]).toEqual([0, 0, 100, 100, 100, 100, 0, 0]);
    expect(rows[5]).toEqual([0, 0, 100, 100, 100, 100, 0, 0]);
    expect(rows[6]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('covers a part of the dots at its edge', () => {
    const rows = filled(square(2.25, 5.5));
    expect(rows[4]).toEqual([0, 0, 75, 100, 100, 50, 0, 0]);
    expect(rows[2]).toEqual([0, 0, 38, 50, 50, 25, 0, 0]);
  });

  it('has a hole where another one turns the other way, and none where it turns the same way', () => {
    expect(filled(square(1, 7), square(3, 5).reverse())[4]).toEqual([0, 100, 100, 0, 0, 100, 100, 0]);
    expect(filled(square(1, 7), square(3, 5))[4]).toEqual([0, 100, 100, 100, 100, 100, 100, 0]);
    expect(filled(square(1, 5).reverse(), square(3, 7).reverse())[4]).toEqual([0, 100, 100, 100, 100, 100, 100, 0]);
  });

  it('covers the half of a dot below a diagonal', () => {
    const rows = filled([
      [0, 0],
      [8, 8],
      [8, 0],
    ]);
    for (let at = 0; at < 8; at += 1) expect(rows[7 - at]![at]).toBe(50);
    expect(rows[7]!.slice(1)).toEqual(Array(7).fill(100));
  });

  it('is cut at the border of the field, on every side', () => {
    expect(filled(square(-50, 50))).toEqual(Array(8).fill(Array(8).fill(100)));
    expect(filled(square(10, 20))).toEqual(Array(8).fill(Array(8).fill(0)));
    expect(filled(square(-9, -1))).toEqual(Array(8).fill(Array(8).fill(0)));
  });

  it('adds to what is covered, up to all of a dot', () => {
    const coverage = coverageOf(8, 8);
    for (const part of [square(0, 4.5), square(0, 4.5)])
      fill(coverage, edgesOf(part), { x: 0, y: 8, scaleX: 1, scaleY: 1 });
    expect(percent(coverage)[5]).toEqual([100, 100, 100, 100, 100, 0, 0, 0]);
  });

  it('of more edges than any before is filled whole', () => {
    const comb = Array.from({ length: 3000 }, (_, tooth): Point[] => [
      [tooth / 1000, 0],
      [tooth / 1000, 8],
      [(tooth + 1) / 1000, 8],
      [(tooth + 1) / 1000, 0],
    ]);
    expect(filled(...comb)[3]!.map((part) => part >= 90)).toEqual([true, true, true, ...Array(5).fill(false)]);
  });
});
