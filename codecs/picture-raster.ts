/** A raster line of a print command from a picture: of pixels, or of a PNG or JPEG. The same dots in every engine. */
import { encodeBase64 } from './base64.ts';
import { ditheredTo } from './dither.ts';
import { decodingJpeg, isJpeg } from './jpeg.ts';
import {
  type Grey,
  greyOf,
  MOST_FILE_BYTES,
  type Picture,
  PictureError,
  paperDots,
  type RasterLine,
  type RasterOptions,
} from './picture.ts';
import { decodingPng, isPng } from './png.ts';

const COLUMNS = 48;
/** As the contract of the printer has it. */
const MOST_DOTS = 2040;

/** The shades of a PNG or JPEG file, upright. Rejects with a PictureError; its size is known before it is decoded. */
export async function readPicture(file: Uint8Array | ArrayBuffer | Blob): Promise<Grey> {
  const reading = readingPicture(file);
  for (;;) {
    const step = await reading.next();
    if (step.done === true) return step.value;
  }
}

/** As `readPicture`, a few pixels at a step. */
export async function* readingPicture(file: Uint8Array | ArrayBuffer | Blob): AsyncGenerator<undefined, Grey> {
  const isBlob = 'arrayBuffer' in file;
  const size = isBlob ? file.size : file.byteLength;
  if (size > MOST_FILE_BYTES) throw new PictureError('too_large', `the file has over ${MOST_FILE_BYTES} bytes`);
  const content = isBlob ? await file.arrayBuffer() : file;
  const bytes = ArrayBuffer.isView(content)
    ? new Uint8Array(content.buffer as ArrayBuffer, content.byteOffset, content.byteLength)
    : new Uint8Array(content);
  if (isPng(bytes)) return yield* decodingPng(bytes);
  if (isJpeg(bytes)) return yield* decodingJpeg(bytes);
  throw new PictureError('format', 'neither PNG nor JPEG');
}

/** The raster line of these shades. Throws a PictureError `too_tall`, a RangeError for a width that no printer has. */
export function rasterOf(
  grey: Grey,
  { width, columns = COLUMNS, dither = 'diffusion' }: RasterOptions = {},
): RasterLine {
  const dots = width ?? Math.min(grey.width, paperDots(columns));
  if (!Number.isInteger(dots) || dots < 1 || dots > MOST_DOTS)
    throw new RangeError(`a width is 1 to ${MOST_DOTS} dots`);
  if (dither !== 'diffusion' && dither !== 'threshold') throw new RangeError('dither is diffusion or threshold');
  const bitmap = ditheredTo(grey, dots, dither);
  return { type: 'raster', width: bitmap.width, height: bitmap.height, data: encodeBase64(bitmap.data) };
}

/** The raster line of a picture. Rejects as `readPicture` and `rasterOf`. */
export async function rasterFrom(picture: Picture, options?: RasterOptions): Promise<RasterLine> {
  return rasterOf('data' in picture ? greyOf(picture) : await readPicture(picture), options);
}
