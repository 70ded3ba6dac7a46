/** From coverage to dots that a thermal head shows: no stem is thinner than two of them. */
import { type Coverage, FULL } from './scan-line.ts';

/** How much of a dot is covered where it is black. */
const HALF = 0.5;

/** The first dot that can be black where ink begins at a place. */
export const firstBlack = (from: number): number => Math.ceil(from + HALF) - 1;

/** The dot behind the last one that can be black where ink ends at a place. */
export const endOfBlack = (to: number): number => Math.floor(to - HALF) + 1;

/** One byte a dot: 1 where at least this part of it is covered. */
export function blacken({ values }: Coverage, part = HALF): Uint8Array {
  const black = new Uint8Array(values.length);
  const least = part * FULL;
  for (let at = 0; at < values.length; at += 1) if (values[at]! >= least) black[at] = 1;
  return black;
}

/**
 * Blackens outlines. A black dot that is in no black square of two by two gets the one of which most is covered, because one
 * dot alone (0.125 mm) prints grey or not at all; but none that would close the gap to another stem.
 */
export function blackenStems(coverage: Coverage): Uint8Array {
  const { width, height, values } = coverage;
  const covered = blacken(coverage);
  const black = covered.slice();
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      if (covered[row * width + column] === 0) continue;
      const corner = squareOf(column, row, covered, values, width, height);
      if (corner >= 0) for (const at of [corner, corner + 1, corner + width, corner + width + 1]) black[at] = 1;
    }
  return black;
}

/** Where the upper left dot of the square is that a black dot becomes; -1 where it stays as it is. */
function squareOf(
  column: number,
  row: number,
  black: Uint8Array,
  values: Uint16Array,
  width: number,
  height: number,
): number {
  let best = -1;
  let most = 0;
  for (let square = 0; square < 4; square += 1) {
    const x = column - (square & 1);
    const y = row - (square >> 1);
    if (x < 0 || y < 0 || x + 2 > width || y + 2 > height) continue;
    const at = y * width + x;
    const below = at + width;
    if (black[at]! + black[at + 1]! + black[below]! + black[below + 1]! === 4) return -1;
    const sum = values[at]! + values[at + 1]! + values[below]! + values[below + 1]!;
    if (sum > most && !closesGap(x, y, black, width, height)) {
      most = sum;
      best = at;
    }
  }
  return best;
}

/** True where a white dot of a square of two by two has a black one next to it outside of the square. */
function closesGap(x: number, y: number, black: Uint8Array, width: number, height: number): boolean {
  for (let dot = 0; dot < 4; dot += 1) {
    const column = x + (dot & 1);
    const row = y + (dot >> 1);
    if (black[row * width + column] === 1) continue;
    const beside = (dot & 1) === 0 ? column - 1 : column + 1;
    const beyond = dot >> 1 === 0 ? row - 1 : row + 1;
    if (beside >= 0 && beside < width && black[row * width + beside] === 1) return true;
    if (beyond >= 0 && beyond < height && black[beyond * width + column] === 1) return true;
  }
  return false;
}
