/** The dots of a picture file, for documents that are one. */
import { ditheredTo } from '../../../codecs/dither.ts';
import { PictureError } from '../../../codecs/picture.ts';
import { readPicture } from '../../../codecs/picture-raster.ts';
import type { DrawnPicture, PictureJob } from './job.ts';

/** Never rejects for what is wrong with the file. */
export async function dotsOf({ file, width, dither }: PictureJob): Promise<DrawnPicture> {
  try {
    return { ok: true, bitmap: ditheredTo(await readPicture(file), width, dither) };
  } catch (thrown) {
    if (!(thrown instanceof PictureError)) throw thrown;
    return { ok: false, error: thrown.code, detail: thrown.message };
  }
}
