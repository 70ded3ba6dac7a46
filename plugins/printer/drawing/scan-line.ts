/**
 * Fills outlines: scan-line conversion of polygons with the non-zero winding rule (Foley, van Dam, Feiner, Hughes: Computer
 * Graphics, Principles and Practice, 3.6), on several lines a dot row, so that each dot gets how much of it is covered.
 */

/** Lines a row of dots, and the parts that a dot's width is counted in. */
const LINES = 4;
const PARTS = 64;
/** Coverage of a dot that lies wholly inside. */
export const FULL = LINES * PARTS;

/** How much of each dot of a rectangle is covered, 0 to `FULL`, row after row. */
export interface Coverage {
  readonly width: number;
  readonly height: number;
  readonly values: Uint16Array;
}

/** A rectangle of which nothing is covered yet. */
export const coverageOf = (width: number, height: number): Coverage => ({
  width,
  height,
  values: new Uint16Array(width * height),
});

/** Where the origin of an outline stands, in dots from the upper left corner, and the dots of one of its units; y goes up. */
export interface Placement {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

/** Crossings of the outline that is filled; kept for the next one, as a row has some 50 outlines. */
let crossings = new Float64Array(4096);

/**
 * Adds what lies inside an outline. `edges`: its closed polygons, each edge as four numbers x0, y0, x1, y1. What lies
 * outside of the rectangle is left out.
 */
export function fill(coverage: Coverage, edges: Float32Array, { x, y, scaleX, scaleY }: Placement): void {
  const { width, height } = coverage;
  const right = width * PARTS;
  const last = height * LINES - 1;
  let count = 0;
  for (let at = 0; at < edges.length; at += 4) {
    const startY = (y - edges[at + 1]! * scaleY) * LINES;
    const endY = (y - edges[at + 3]! * scaleY) * LINES;
    if (startY === endY) continue;
    const startX = (x + edges[at]! * scaleX) * PARTS;
    const slope = ((x + edges[at + 2]! * scaleX) * PARTS - startX) / (endY - startY);
    const down = endY > startY ? 1 : 0;
    // A line runs through the middle of its part of the row.
    const from = Math.max(Math.ceil(Math.min(startY, endY) - 0.5), 0);
    const to = Math.min(Math.ceil(Math.max(startY, endY) - 0.5) - 1, last);
    if (count + to - from >= crossings.length) crossings = enlarged(crossings, count + to - from + 1);
    for (let line = from; line <= to; line += 1) {
      const crossing = Math.round(startX + (line + 0.5 - startY) * slope);
      const inside = Math.min(Math.max(crossing, 0), right);
      crossings[count] = (line * (right + 1) + inside) * 2 + down;
      count += 1;
    }
  }
  fillBetween(coverage, crossings.subarray(0, count).sort());
}

function enlarged(array: Float64Array<ArrayBuffer>, least: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(Math.max(array.length * 2, least));
  larger.set(array);
  return larger;
}

/** `sorted`: for each crossing, twice its place along all lines one behind the other, and 1 more where the edge goes down. */
function fillBetween(coverage: Coverage, sorted: Float64Array): void {
  const stride = coverage.width * PARTS + 1;
  let winding = 0;
  let from = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    const crossing = sorted[at]!;
    const place = Math.floor(crossing / 2);
    if (winding === 0) from = place;
    winding += crossing % 2 === 1 ? 1 : -1;
    if (winding === 0 && place > from) {
      const line = Math.floor(from / stride);
      cover(coverage, Math.floor(line / LINES), from - line * stride, place - line * stride);
    }
  }
}

/** Adds one line of a row, between two places in parts of a dot. */
function cover({ width, values }: Coverage, row: number, from: number, to: number): void {
  for (let column = Math.floor(from / PARTS); column * PARTS < to; column += 1) {
    const part = Math.min(to, (column + 1) * PARTS) - Math.max(from, column * PARTS);
    const at = row * width + column;
    values[at] = Math.min(values[at]! + part, FULL);
  }
}
