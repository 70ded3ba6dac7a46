/** Pictures of paper: how black each dot is. */
import { PNG } from 'pngjs';

export interface Bitmap {
  readonly width: number;
  readonly height: number;
  /** A byte a dot, row by row: 0 is white, 255 is black. */
  readonly ink: Uint8Array;
}

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const BLACK = 255;

export const blank = (width: number, height: number): Bitmap => ({
  width,
  height,
  ink: new Uint8Array(width * height),
});

/** Draws one picture on another: the darker dot stays. What is beyond the edges is left out. */
export function draw(on: Bitmap, { width, height, ink }: Bitmap, x: number, y: number): void {
  for (let row = Math.max(0, -y); row < Math.min(height, on.height - y); row += 1) {
    for (let column = Math.max(0, -x); column < Math.min(width, on.width - x); column += 1) {
      const at = (y + row) * on.width + x + column;
      on.ink[at] = Math.max(on.ink[at]!, ink[row * width + column]!);
    }
  }
}

/** A part of a picture; what is beyond its edges is white. */
export function crop(from: Bitmap, { x, y, width, height }: Area): Bitmap {
  const part = blank(width, height);
  draw(part, from, -x, -y);
  return part;
}

/** The least area that holds all ink that is at least half black, or undefined where there is none. */
export function inkArea({ width, height, ink }: Bitmap): Area | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (ink[y * width + x]! < BLACK / 2) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  return right < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Cut to its ink; an empty picture where there is none. */
export function trimmed(bitmap: Bitmap): Bitmap {
  const area = inkArea(bitmap);
  return area === undefined ? blank(0, 0) : crop(bitmap, area);
}

/** Every dot is black or white. */
export const sharp = ({ width, height, ink }: Bitmap): Bitmap => ({
  width,
  height,
  ink: ink.map((each) => (each < BLACK / 2 ? 0 : BLACK)),
});

/** Larger or smaller; each dot is the mean of the area that it comes from. */
export function scaled(from: Bitmap, across: number, down: number): Bitmap {
  const [width, height] = [Math.max(1, Math.round(from.width * across)), Math.max(1, Math.round(from.height * down))];
  const halfway = blank(width, from.height);
  for (let y = 0; y < from.height; y += 1) average(from, halfway, y * from.width, 1, y * width, 1);
  const to = blank(width, height);
  for (let x = 0; x < width; x += 1) average(halfway, to, x, width, x, width, true);
  return to;
}

/** One row (or column, `down`) of `from`, spread over one of `to`. */
function average(
  from: Bitmap,
  to: Bitmap,
  start: number,
  step: number,
  target: number,
  stride: number,
  down = false,
): void {
  const [count, wanted] = down ? [from.height, to.height] : [from.width, to.width];
  const ratio = count / wanted;
  for (let index = 0; index < wanted; index += 1) {
    const [begin, end] = [index * ratio, Math.min(count, (index + 1) * ratio)];
    let sum = 0;
    for (let at = Math.floor(begin); at < end; at += 1) {
      sum += from.ink[start + at * step]! * (Math.min(at + 1, end) - Math.max(at, begin));
    }
    to.ink[target + index * stride] = Math.round(sum / (end - begin));
  }
}

/** Pieces of a picture one below the other, each apart from the next by at least `gap` white rows; cut to their ink. */
export function pieces(bitmap: Bitmap, gap: number): Bitmap[] {
  const found: Bitmap[] = [];
  let first = -1;
  let last = -1;
  const put = (): void => {
    if (first >= 0) {
      found.push(trimmed(crop(bitmap, { x: 0, y: first, width: bitmap.width, height: last - first + 1 })));
    }
    first = -1;
  };
  for (let y = 0; y < bitmap.height; y += 1) {
    const row = bitmap.ink.subarray(y * bitmap.width, (y + 1) * bitmap.width);
    if (!row.some((each) => each >= BLACK / 2)) continue;
    if (first >= 0 && y - last > gap) put();
    if (first < 0) first = y;
    last = y;
  }
  put();
  return found;
}

/** A PNG file as a picture: black on white, or on nothing. */
export function read(file: Uint8Array): Bitmap {
  const { width, height, data } = PNG.sync.read(Buffer.from(file));
  const ink = new Uint8Array(width * height);
  for (let at = 0; at < ink.length; at += 1) {
    ink[at] = Math.round(((BLACK - data[4 * at + 1]!) * data[4 * at + 3]!) / BLACK);
  }
  return { width, height, ink };
}

/** The PNG file of a picture. */
export function write({ width, height, ink }: Bitmap): Buffer {
  const file = new PNG({ width, height, colorType: 0 });
  for (let at = 0; at < ink.length; at += 1) {
    file.data.fill(BLACK - ink[at]!, 4 * at, 4 * at + 3);
    file.data[4 * at + 3] = BLACK;
  }
  return PNG.sync.write(file, { colorType: 0 });
}
