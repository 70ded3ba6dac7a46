/** Pictures of which nothing is printed. */
import { decodeBase64 } from '../../../codecs/base64.ts';
import { withoutPadding } from '../../../codecs/raster.ts';
import type { Line } from '../contract/lines.ts';

/** True for a raster without a black dot within its width. */
function isBlank(line: Line): boolean {
  if (line.type !== 'raster') return false;
  if (line.width % 8 === 0) return !/[^A=]/.test(line.data);
  const data = decodeBase64(line.data);
  return data !== undefined && withoutPadding({ ...line, data }).data.every((byte) => byte === 0);
}

/** The index of the first picture without a black dot; -1 where there is none. */
export const blankPictureIn = (lines: readonly Line[]): number => lines.findIndex(isBlank);
