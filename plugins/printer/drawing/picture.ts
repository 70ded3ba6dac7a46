/** The dots of a picture file, for documents that are one. */
import { dithering } from '../../../codecs/dither.ts';
import { PictureError } from '../../../codecs/picture.ts';
import { readingPicture } from '../../../codecs/picture-raster.ts';
import type { DrawnPicture, PictureJob } from './job.ts';

/** Most bytes of the dots of one, which are held as a whole: 1.8 m of 80 mm paper. */
const MOST_BYTES = 1024 * 1024;

/** Decodes a file and makes dots of it, some pixels at a step. Never rejects for what is wrong with the file. */
export async function* dotsOf({ file, width, dither }: PictureJob): AsyncGenerator<undefined, DrawnPicture> {
  try {
    const grey = yield* readingPicture(file);
    return { ok: true, bitmap: yield* dithering(grey, width, dither, MOST_BYTES) };
  } catch (thrown) {
    if (!(thrown instanceof PictureError)) throw thrown;
    return { ok: false, error: thrown.code, detail: thrown.message };
  }
}
