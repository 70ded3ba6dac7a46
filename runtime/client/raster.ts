/** Pictures for receipts. What decodes and dithers them is a file of its own, which the first picture loads. */
import type { Picture, RasterLine, RasterOptions } from '../../codecs/picture.ts';

/**
 * Makes a raster line of a print command from pixels (ImageData) or from the bytes of a PNG or JPEG file: the same dots in
 * browsers and in Node, and as the operator page and the command line make them. Transparent is white; a photo is turned
 * as its camera was held. Rejects with a `PictureError`, whose `code` says why; with a RangeError for a width that no
 * printer has.
 */
export async function raster(picture: Picture, options?: RasterOptions): Promise<RasterLine> {
  const { rasterFrom } = await import('../../codecs/picture-raster.ts');
  return rasterFrom(picture, options);
}
