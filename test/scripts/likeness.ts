/** How much two drawings of a text are alike, dot by dot. */
import { type Bitmap, blank, draw, scaled, sharp, trimmed } from './bitmap.ts';

/** Two stems are the same where they are at most so many dots apart. */
const REACH = 1;
/** Where a drawing may stand beside or above the other one, in dots. */
const SHIFT = 3;

/** The drawing with everything within reach of its ink. */
function thick(from: Bitmap): Bitmap {
  const to = blank(from.width + 2 * REACH, from.height + 2 * REACH);
  for (let y = 0; y <= 2 * REACH; y += 1) for (let x = 0; x <= 2 * REACH; x += 1) draw(to, from, x, y);
  return to;
}

const inkOf = ({ ink }: Bitmap): number => ink.reduce((sum, each) => sum + (each > 0 ? 1 : 0), 0);

/** Dots that are black in both, where `b` stands at this place of `a`. */
function shared(a: Bitmap, b: Bitmap, x: number, y: number): number {
  let sum = 0;
  for (let row = Math.max(0, y); row < Math.min(a.height, y + b.height); row += 1) {
    for (let column = Math.max(0, x); column < Math.min(a.width, x + b.width); column += 1) {
      if (a.ink[row * a.width + column]! > 0 && b.ink[(row - y) * b.width + column - x]! > 0) sum += 1;
    }
  }
  return sum;
}

export interface Sizes {
  /** The least of the drawing, across. */
  readonly least: number;
  readonly most: number;
  /** How much more it is scaled downwards. */
  readonly stretch: number;
}

/**
 * From 0 to 1: the share of the ink of both that has ink of the other one within a dot, where they fit best. `printed`
 * stays as it is, `drawing` is brought to its width. Both are cut to their ink.
 */
export function likeness(printed: Bitmap, drawing: Bitmap, { least, most, stretch }: Sizes): number {
  if (printed.width === 0 || drawing.width === 0) return 0;
  const across = Math.min(most, Math.max(least, printed.width / drawing.width));
  const sized = trimmed(sharp(scaled(drawing, across, across * stretch)));
  const [thickPrinted, thickSized] = [thick(printed), thick(sized)];
  const total = inkOf(printed) + inkOf(sized);
  let best = 0;
  // By their left or right ends, their tops or bottoms.
  for (const left of new Set([0, printed.width - sized.width])) {
    for (const top of new Set([0, printed.height - sized.height])) {
      for (let y = top - SHIFT; y <= top + SHIFT; y += 1) {
        for (let x = left - SHIFT; x <= left + SHIFT; x += 1) {
          const near =
            shared(thickPrinted, sized, x + REACH, y + REACH) + shared(printed, thickSized, x - REACH, y - REACH);
          best = Math.max(best, near / total);
        }
      }
    }
  }
  return best;
}
