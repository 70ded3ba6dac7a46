/** How a camera was held (Exif 2.32 by CIPA DC-008, tag Orientation), and the picture turned upright. */
import { type Grey, type PictureSteps, STEP_PIXELS } from './picture.ts';

const MARK = 'Exif\0\0';
const ORIENTATION = 0x0112;
const ENTRY_BYTES = 12;
/** Bytes of a value of each type (TIFF 6.0, section 2; 13 of its Technical Note 1); the standard asks for SHORT, 3, and programs write others. */
const BYTES: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 2: 1, 3: 2, 4: 4, 6: 1, 7: 1, 8: 2, 9: 4, 13: 4 };

/** 1 to 8, from the content of an APP1 segment of a JPEG; undefined where it says none. */
export function orientationIn(segment: Uint8Array): number | undefined {
  if (!MARK.split('').every((letter, at) => letter.charCodeAt(0) === segment[at])) return undefined;
  return orientationOf(segment.subarray(MARK.length));
}

/** 1 to 8, from the TIFF header on, which is the content of a part eXIf of a PNG; undefined where it says none. */
export function orientationOf(tiff: Uint8Array): number | undefined {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  try {
    const isLittle = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, isLittle);
    for (let entry = 0; entry < view.getUint16(directory, isLittle); entry += 1) {
      const at = directory + 2 + ENTRY_BYTES * entry;
      if (view.getUint16(at, isLittle) !== ORIENTATION) continue;
      // A value of less than four bytes begins at the first of them, in either order of bytes.
      const place = at + 8;
      const bytes = BYTES[view.getUint16(at + 2, isLittle)];
      const value =
        bytes === 4
          ? view.getUint32(place, isLittle)
          : bytes === 2
            ? view.getUint16(place, isLittle)
            : bytes && view.getUint8(place);
      return value !== undefined && value >= 1 && value <= 8 ? value : undefined;
    }
  } catch {
    // What points outside of the segment says nothing.
  }
  return undefined;
}

/** The picture as it was seen. `orientation` as Exif has it: where row 0 and column 0 of the stored picture belong. */
export function* upright(grey: Grey, orientation: number): PictureSteps<Grey> {
  if (orientation === 1) return grey;
  const { width, height, data } = grey;
  const isTurned = orientation >= 5;
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const [across, down] = isTurned ? [height, width] : [width, height];
  const start = (fromRight ? width - 1 : 0) + (fromBottom ? height - 1 : 0) * width;
  const [stepX, stepY] = [fromRight ? -1 : 1, fromBottom ? -width : width];
  const [right, below] = isTurned ? [stepY, stepX] : [stepX, stepY];
  const shades = new Uint8Array(data.length);
  let left = STEP_PIXELS;
  for (let y = 0, to = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1, to += 1) shades[to] = data[start + x * right + y * below]!;
    left -= across;
    if (left > 0) continue;
    left = STEP_PIXELS;
    yield;
  }
  return { width: across, height: down, data: shades };
}
